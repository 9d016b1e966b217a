"""Every scheduling attempt of a run in a row, with explanations as far as a budget goes.

All that is found out in an attempt is a thousand times the size of its outcome. Outcomes are kept
of all attempts, explanations of the first ones. The budget is one of nodes, not of time: the same
run is explained in the same way on every machine.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.scheduler.record import WAITING, Decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scheduler.attempt import AnyAttempt
    from kubestage.scheduler.record import Record
    from kubestage.sim.clock import Clock

_FASTEST: Final = 1
# What an attempt costs besides the nodes that it looks at.
_OWN_COST: Final = 20
NODES: Final = 200_000
"""How many nodes are explained of one run."""


class AttemptRow(msgspec.Struct):
    """An attempt: its outcome, the pod it was about, when it was, and what was found out."""

    decision: Decision
    uid: str
    unix_ns: int
    packed: bytes | None = None
    is_of_scenario: bool = False
    """Whether it was an attempt of a Scenario, whose record has the rest."""

    @property
    def explanation(self) -> Json | None:
        """All that was found out; None if that was not kept."""
        return None if self.packed is None else unpack(self.packed)


def pack(explanation: Json) -> bytes:
    """An explanation as it is kept."""
    return zlib.compress(msgspec.json.encode(explanation), _FASTEST)


def unpack(packed: bytes) -> Json:
    """An explanation that was kept."""
    explanation: Json = msgspec.json.decode(zlib.decompress(packed))
    return explanation


class RunAttempts:
    """The attempts of a run, in the order in which they ended."""

    def __init__(self, rows: list[AttemptRow] | None = None) -> None:
        self.rows: list[AttemptRow] = [] if rows is None else rows

    def attempts_at(self, key: str, uid: str = "") -> Iterator[AttemptRow]:
        """The attempts at a pod, or at all that had its name, in order."""
        return (row for row in self.rows if row.decision.pod == key and (not uid or row.uid == uid))


class AttemptRecorder(RunAttempts):
    """Follows the scheduler of a run; a copy of the stage has none."""

    def __init__(self, clock: Clock, nodes: int = NODES) -> None:
        super().__init__()
        self._clock = clock
        self._left = nodes
        self._record: Record | None = None

    def attach(self, record: Record) -> None:
        """Follow a scheduler's record from now on."""
        self._record = record
        record.follow(self, in_full=self._left > 0)

    def close(self) -> None:
        """Follow no longer."""
        if self._record is not None:
            self._record.unfollow(self)
            self._record = None

    def attempted(self, decision: Decision, attempt: AnyAttempt, explained: Json | None) -> None:
        """An attempt has ended."""
        assert decision.result != WAITING
        row = AttemptRow(decision, attempt.pod.uid, self._clock.unix_ns)
        self.rows.append(row)
        if explained is not None:
            row.packed = pack(explained)
            self.spend(decision)

    def spend(self, decision: Decision) -> None:
        """An attempt was explained: see whether more may be."""
        self._left -= decision.evaluated + _OWN_COST
        if self._left <= 0 and self._record is not None:
            self._record.unfollow(self)
            self._record.follow(self, in_full=False)

    def __reduce__(self) -> tuple[type[NoAttempts], tuple[()]]:
        return (NoAttempts, ())


class NoAttempts:
    """Stands in on a copy of a stage, whose attempts are another run's."""

    def attempted(self, decision: Decision, attempt: AnyAttempt, explained: Json | None) -> None:
        """Forget an attempt."""
