"""An alarm on the simulation's schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.sim.entity import Entity
from kubestage.sim.movement import Movement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.sim.environment import Environment

KIND: Final = "Alarm"
"""What only alarms stock: their movements are how others keep time, and nothing goes anywhere."""


class Alarm:
    """A stock of one entity whose movement back into it, at a given time, calls somebody.

    Only the next time counts: setting the alarm replaces what it was set to.
    """

    def __init__(self, environment: Environment, name: str, ring: Callable[[], None]) -> None:
        self.name = name
        self.kind_stocked = KIND
        self._environment = environment
        self._ring = ring
        self._entity = Entity(name, self.kind_stocked)
        self._movement = Movement("ring", 0, self, self)

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
        self._ring()

    def set(self, at_ns: int | None) -> None:
        """Ring at this time and at no other; None switches it off."""
        movement = self._movement
        if at_ns is None:
            self._environment.cancel(movement)
        elif not movement.is_scheduled or movement.occurs_at != at_ns:
            self._environment.reschedule(movement, at_ns)

    @property
    def is_set(self) -> bool:
        """Whether it is going to ring."""
        return self._movement.is_scheduled
