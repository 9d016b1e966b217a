"""Something that happens at regular intervals: an entity that keeps moving back where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.sim.entity import Entity
from kubestage.sim.movement import Movement
from kubestage.sim.stock import ArrayStock

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim.environment import Environment

KIND: Final = "Ticktock"


class Ticktock(ArrayStock[Entity]):
    """A stock of one entity, whose every movement back into it is a tick.

    The first tick comes one interval after the start. Ticks are a nanosecond late: whatever else
    happens at that very moment, at a whole second say, has happened when one comes.
    """

    __slots__ = ("_environment", "_movement", "_tick", "every_ns")

    def __init__(
        self,
        environment: Environment,
        name: str,
        movement: str,
        every_ns: int,
        tick: Callable[[], None],
    ) -> None:
        super().__init__(name, KIND)
        self.every_ns = every_ns
        self._environment = environment
        self._tick = tick
        self._movement = Movement(movement, 0, self, self)
        super().add(Entity(name, KIND))

    @property
    def is_on(self) -> bool:
        """Whether another tick is to come."""
        return self._movement.is_scheduled

    def start(self) -> None:
        """Tick from now on, unless it does already."""
        if not self.is_on:
            self._schedule(self._environment.clock.now_ns + 1)

    def stop(self) -> None:
        """Tick no more."""
        self._environment.cancel(self._movement)

    def add(self, entity: Entity) -> None:
        """Take the entity back: a tick. The next is due before anything comes of this one."""
        super().add(entity)
        self._schedule(self._movement.occurs_at)
        self._tick()

    def _schedule(self, last_ns: int) -> None:
        self._environment.add_to_schedule(self._movement, last_ns + self.every_ns)
