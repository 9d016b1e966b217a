"""The record of attempts: nothing, one row each, or all that was found out.

An explanation is a thousand times the size of its attempt's row, and a run is deterministic. So
record rows, and have the one attempt of interest explained when the run is repeated: fork the
stage before the run, `explain_at` the number on the fork's record, run the fork likewise, and read
it from `explanations`.
"""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import msgspec

from kubestage.scheduler import explanation
from kubestage.scheduler.preemption import report

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.scheduler.attempt import AnyAttempt, Attempt


WAITING: Final = "waiting"


class Recording(enum.Enum):
    """How much is stored of each attempt."""

    NONE = "none"
    DECISIONS = "decisions"
    FULL = "full"


class Decision(NamedTuple):
    """One attempt in one row; `node` is empty unless the pod got one.

    The result is ``scheduled``, ``unschedulable`` or ``error``; an attempt that ends ``waiting``
    for a permit gets a second row when that is decided.
    """

    number: int
    at_ns: int
    pod: str
    profile: str
    result: str
    node: str
    evaluated: int
    feasible: int
    message: str


make_decision: Final[Callable[[tuple[Any, ...]], Decision]] = functools.partial(
    tuple.__new__, Decision
)
"""The same as `Decision._make` at a third of the cost."""


class Listener(Protocol):
    """Called at the end of every attempt."""

    def attempted(self, decision: Decision, attempt: AnyAttempt, explained: Json | None) -> None:
        """An attempt has ended; `explained` is its explanation, if those are handed on."""
        ...


class Record:
    """Rows in the order in which attempts ended, and the explanations that were requested."""

    def __init__(self, level: Recording = Recording.NONE) -> None:
        self.level = level
        self.decisions: list[Decision] = []
        self.explanations: dict[int, Json] = {}
        self._explained_numbers: set[int] = set()
        self._listener: Listener | None = None
        self._hands_on_all = False
        # Called with the explanation of every attempt, before the listener.
        self._followers: list[Listener] = []
        # Called without any.
        self._watchers: list[Listener] = []

    def hand_on(self, listener: Listener | None, *, in_full: bool = False) -> None:
        """Call this listener, and no other, for every attempt; None for none.

        Explanations that are handed on are not stored here, unless this record stores all.
        """
        self._listener, self._hands_on_all = listener, in_full

    def begin_anew(self) -> None:
        """Forget all attempts so far: numbers start with 1 again."""
        self.decisions.clear()
        self.explanations.clear()

    def follow(self, follower: Listener, *, in_full: bool = True) -> None:
        """Call a follower for every attempt, besides the listener; `in_full`, with explanations."""
        (self._followers if in_full else self._watchers).append(follower)

    def unfollow(self, follower: Listener) -> None:
        """Stop calling a follower."""
        (self._followers if follower in self._followers else self._watchers).remove(follower)

    def explain_at(self, number: int) -> None:
        """Have the attempt of this number, yet to come, explained."""
        self._explained_numbers.add(number)

    def explains(self, number: int) -> bool:
        """Whether an attempt is to be explained."""
        return (
            self.level is Recording.FULL
            or self._hands_on_all
            or bool(self._followers)
            or number in self._explained_numbers
        )

    @property
    def listens(self) -> bool:
        """Whether there is a listener, or a follower that needs no explanations."""
        return self._listener is not None or bool(self._watchers)

    def explain(self, number: int, attempt: Attempt) -> None:
        """Store the explanation; to be called before the attempt's result is carried out."""
        explained = explanation.explain(attempt) | explanation.unseen(attempt)
        if attempt.post_filter is not None:
            explained["preemption"] = report.describe(attempt)
        self.explanations[number] = explained

    def add(
        self,
        number: int,
        at_ns: int,
        attempt: AnyAttempt,
        result: str,
        node: str = "",
        message: str = "",
    ) -> None:
        """Store a row, if rows are stored, and hand it on."""
        if self.level is Recording.NONE and not self.listens and not self._followers:
            return
        counts = attempt.evaluated_count, attempt.feasible_count
        about = number, at_ns, attempt.pod.key, attempt.profile.name
        decision = make_decision((*about, result, node, *counts, message))
        if self.level is not Recording.NONE:
            self.decisions.append(decision)
        # NOTE: once for each pod, and mostly nobody listens.
        if result != WAITING and (self.explanations or self._followers or self.listens):
            self._hand_on(decision, attempt)

    def _hand_on(self, decision: Decision, attempt: AnyAttempt) -> None:
        number = decision.number
        explained = self.explanations.get(number)
        if (
            explained is not None
            and self.level is not Recording.FULL
            and number not in self._explained_numbers
        ):
            del self.explanations[number]
        # Who is called may choose to be called otherwise from now on.
        watchers = tuple(self._watchers)
        for follower in tuple(self._followers):
            follower.attempted(decision, attempt, explained)
        for watcher in watchers:
            watcher.attempted(decision, attempt, None)
        if self._listener is not None:
            self._listener.attempted(decision, attempt, explained if self._hands_on_all else None)

    def lines(self) -> bytes:
        """The rows as JSON, one a line, the same bytes for the same run."""
        return b"".join(msgspec.json.encode(row._asdict()) + b"\n" for row in self.decisions)
