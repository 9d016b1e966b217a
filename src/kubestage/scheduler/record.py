"""The record of attempts: nothing, one row each, or all that was found out.

The full story of an attempt is a thousand times the size of its row, and a run is deterministic.
So record rows, and have the one attempt of interest told in full when the run is repeated: fork
the stage before the run, `explain_at` the number on the fork's record, run the fork likewise, and
read it from `explanations`.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from kubestage.scheduler import explanation
from kubestage.scheduler.preemption import report

if TYPE_CHECKING:
    from kubestage.scheduler.cycle import Attempt

Json = dict[str, Any]


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


class Record:
    """Rows in the order in which attempts ended, and the explanations that were asked for."""

    def __init__(self, level: Recording = Recording.NONE) -> None:
        self.level = level
        self.decisions: list[Decision] = []
        self.explanations: dict[int, Json] = {}
        self._wanted: set[int] = set()

    def explain_at(self, number: int) -> None:
        """Have the attempt of this number, yet to come, told in full."""
        self._wanted.add(number)

    def explains(self, number: int) -> bool:
        """Whether an attempt is to be told in full."""
        return self.level is Recording.FULL or number in self._wanted

    def tell(self, number: int, attempt: Attempt) -> None:
        """Keep all that was found out; to be called before anything is done about it."""
        told = explanation.explain(attempt)
        if attempt.post_filter is not None:
            told["preemption"] = report.told(attempt)
        self.explanations[number] = told

    def add(
        self,
        number: int,
        at_ns: int,
        attempt: Attempt,
        result: str,
        node: str = "",
        message: str = "",
    ) -> None:
        """Keep a row, if rows are kept."""
        if self.level is Recording.NONE:
            return
        self.decisions.append(
            Decision(
                number,
                at_ns,
                attempt.pod.key,
                attempt.profile.name,
                result,
                node,
                attempt.evaluated_count,
                len(attempt.feasible),
                message,
            )
        )

    def lines(self) -> bytes:
        """The rows as JSON, one a line, the same bytes for the same run."""
        return b"".join(msgspec.json.encode(row._asdict()) + b"\n" for row in self.decisions)
