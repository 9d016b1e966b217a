"""A callback at one moment of virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.sim.entity import Entity
from kubestage.sim.movement import Movement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.sim.schedule import Schedule

KIND: Final = "Alarm"
"""The kind of entity by which a trace recognises timers: nothing moves when one fires."""


class Timer:
    """Calls a function at the time it is set to, once; `Environment.timer` makes one.

    Only the last time counts: setting the timer again replaces the time. A time that has passed
    means as soon as possible.
    """

    __slots__ = ("_movement", "_schedule")

    def __init__(self, schedule: Schedule, name: str, callback: Callable[[], None]) -> None:
        self._schedule = schedule
        stock = _TimerStock(name, callback)
        self._movement = Movement("ring", 0, stock, stock)

    def set(self, at_ns: int | None) -> None:
        """Fire at this time and at no other; None switches the timer off."""
        schedule, movement = self._schedule, self._movement
        if at_ns is None:
            schedule.cancel(movement)
            return
        # NOTE: in line, for this is done several times for each change (benchmarks/load.py).
        earliest_ns = schedule.clock.now_ns or 1
        at_ns = max(earliest_ns, at_ns)
        if not movement.ticket or movement.occurs_at != at_ns:
            schedule.reschedule(movement, at_ns)

    @property
    def is_set(self) -> bool:
        """Whether it is going to fire."""
        return self._movement.is_scheduled


class _TimerStock:
    """How a timer looks to the loop and in a trace: one entity that moves back into its stock."""

    def __init__(self, name: str, callback: Callable[[], None]) -> None:
        self.name = name
        self.kind_stocked = KIND
        self._entity = Entity(name, KIND)
        self._callback = callback

    @property
    def count(self) -> int:
        """The one entity is always here."""
        return 1

    def entities_in_stock(self) -> Sequence[Entity]:
        """The one entity."""
        return (self._entity,)

    def remove(self, what: Entity | None = None) -> Entity | None:
        """Hand the entity to its movement."""
        return self._entity if what in (None, self._entity) else None

    def add(self, entity: Entity) -> None:
        """The time has come."""
        del entity
        self._callback()
