"""Recorders of the movements that happened or were ignored.

The Environment counts for itself; a recorder keeps more. It is pickled with the Environment, so
one that holds a file or another outside resource decides in ``__reduce__`` what a copy gets
(``results.trace.SqliteRecorder`` becomes ``CountsOnly``: two Environments never share a file).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from kubestage.sim.movement import CompletedMovement, IgnoredMovement, IgnoredReason, Movement

if TYPE_CHECKING:
    from kubestage.sim.entity import Entity


class Recorder(Protocol):
    """Is called for movements in the order in which they happen.

    Times come as arguments: a movement may already be scheduled again when its record is made.
    """

    def completed(self, occurs_at: int, movement: Movement, entity: Entity, /) -> None:
        """The entity was moved."""
        ...

    def ignored(
        self, occurs_at: int, movement: Movement, reason: IgnoredReason, noticed_at: int, /
    ) -> None:
        """The movement intended for ``occurs_at`` will not happen, as known at ``noticed_at``."""
        ...


class MemoryRecorder:
    """Keeps all of it in lists: what tests and small runs want."""

    __slots__ = ("_completed", "_unread", "ignored_movements")

    def __init__(self) -> None:
        self.ignored_movements: list[IgnoredMovement] = []
        self._completed: list[CompletedMovement] = []
        self._unread: list[int | Movement | Entity] = []

    @property
    def completed_movements(self) -> list[CompletedMovement]:
        """All that happened so far."""
        # NOTE: a run appends to one flat list and named tuples are made when they are read;
        # making one for each movement halves the speed of the loop (benchmarks/sim.py).
        times = cast("list[int]", self._unread[::3])
        movements = cast("list[Movement]", self._unread[1::3])
        entities = cast("list[Entity]", self._unread[2::3])
        self._completed.extend(map(CompletedMovement, times, movements, entities))
        self._unread.clear()
        return self._completed

    def completed(self, occurs_at: int, movement: Movement, entity: Entity) -> None:
        """Append to ``completed_movements``."""
        self._unread += (occurs_at, movement, entity)

    def ignored(
        self, occurs_at: int, movement: Movement, reason: IgnoredReason, noticed_at: int
    ) -> None:
        """Append to ``ignored_movements``."""
        self.ignored_movements.append(IgnoredMovement(occurs_at, movement, reason, noticed_at))


class CountsOnly:
    """Keeps nothing, for runs of which only the Environment's counts are needed."""

    __slots__ = ()

    def completed(self, occurs_at: int, movement: Movement, entity: Entity) -> None:
        """Let it pass."""

    def ignored(
        self, occurs_at: int, movement: Movement, reason: IgnoredReason, noticed_at: int
    ) -> None:
        """Let it pass."""
