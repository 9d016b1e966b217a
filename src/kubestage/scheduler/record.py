"""The record of attempts: nothing, one row each, or all that was found out.

The full story of an attempt is a thousand times the size of its row, and a run is deterministic.
So record rows, and have the one attempt of interest told in full when the run is repeated: fork
the stage before the run, `explain_at` the number on the fork's record, run the fork likewise, and
read it from `explanations`.
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
    from kubestage.scheduler.cycle import AnyAttempt, Attempt


WAITING: Final = "waiting"


class Recording(enum.Enum):
    """How much is kept of each attempt."""

    NONE = "none"
    DECISIONS = "decisions"
    FULL = "full"


class Decision(NamedTuple):
    """One attempt in one row; `node` is empty unless the pod got one.

    The result is ``scheduled``, ``unschedulable`` or ``error``; an attempt that ends ``waiting``
    for a permit gets a second row when its fate is decided.
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
    """Somebody who hears of every attempt as it ends."""

    def attempted(self, decision: Decision, attempt: AnyAttempt, told: Json | None) -> None:
        """An attempt has ended; `told` is the full story, if full stories are handed on."""
        ...


class Record:
    """Rows in the order in which attempts ended, and the explanations that were asked for."""

    def __init__(self, level: Recording = Recording.NONE) -> None:
        self.level = level
        self.decisions: list[Decision] = []
        self.explanations: dict[int, Json] = {}
        self._wanted: set[int] = set()
        self._listener: Listener | None = None
        self._hands_on_all = False
        # Those who hear of every attempt in full, before the listener does.
        self._followers: list[Listener] = []

    def hand_on(self, listener: Listener | None, *, in_full: bool = False) -> None:
        """Tell this listener, and no other, of every attempt; None for nobody.

        Full stories that are handed on are not kept here, unless this record keeps all.
        """
        self._listener, self._hands_on_all = listener, in_full

    def begin_anew(self) -> None:
        """Keep nothing of what was tried so far: numbers begin with 1 again."""
        self.decisions.clear()
        self.explanations.clear()

    def follow(self, follower: Listener) -> None:
        """Tell a follower of every attempt in full, whoever else is told."""
        self._followers.append(follower)

    def unfollow(self, follower: Listener) -> None:
        """Tell a follower no more."""
        self._followers.remove(follower)

    def explain_at(self, number: int) -> None:
        """Have the attempt of this number, yet to come, told in full."""
        self._wanted.add(number)

    def explains(self, number: int) -> bool:
        """Whether an attempt is to be told in full."""
        return (
            self.level is Recording.FULL
            or self._hands_on_all
            or bool(self._followers)
            or number in self._wanted
        )

    @property
    def listens(self) -> bool:
        """Whether somebody hears of every attempt."""
        return self._listener is not None

    def tell(self, number: int, attempt: Attempt) -> None:
        """Keep all that was found out; to be called before anything is done about it."""
        told = explanation.explain(attempt) | explanation.unseen(attempt)
        if attempt.post_filter is not None:
            told["preemption"] = report.told(attempt)
        self.explanations[number] = told

    def add(
        self,
        number: int,
        at_ns: int,
        attempt: AnyAttempt,
        result: str,
        node: str = "",
        message: str = "",
    ) -> None:
        """Keep a row, if rows are kept, and hand it on."""
        if self.level is Recording.NONE and self._listener is None and not self._followers:
            return
        decision = Decision(
            number,
            at_ns,
            attempt.pod.key,
            attempt.profile.name,
            result,
            node,
            attempt.evaluated_count,
            attempt.feasible_count,
            message,
        )
        if self.level is not Recording.NONE:
            self.decisions.append(decision)
        if result != WAITING:
            self._hand_on(decision, attempt)

    def _hand_on(self, decision: Decision, attempt: AnyAttempt) -> None:
        number = decision.number
        told = self.explanations.get(number)
        if told is not None and self.level is not Recording.FULL and number not in self._wanted:
            del self.explanations[number]
        for follower in self._followers:
            follower.attempted(decision, attempt, told)
        if self._listener is not None:
            self._listener.attempted(decision, attempt, told if self._hands_on_all else None)

    def lines(self) -> bytes:
        """The rows as JSON, one a line, the same bytes for the same run."""
        return b"".join(msgspec.json.encode(row._asdict()) + b"\n" for row in self.decisions)
