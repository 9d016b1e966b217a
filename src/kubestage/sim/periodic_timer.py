"""A callback at regular intervals of virtual time: what Skenario calls a ticktock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.sim.entity import Entity
from kubestage.sim.movement import Movement
from kubestage.sim.stock import ArrayStock

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim.environment import Environment

KIND: Final = "Ticktock"
"""The kind of entity by which a trace recognises ticks."""


class PeriodicTimer(ArrayStock[Entity]):
    """A stock of one entity; each movement of the entity back into the stock is a tick.

    The first tick comes one interval after the start. Ticks are a nanosecond late, so that
    everything else that is due at a whole second, for example, has happened before the tick.
    """

    __slots__ = ("_callback", "_environment", "_movement", "every_ns")

    def __init__(
        self,
        environment: Environment,
        name: str,
        movement: str,
        every_ns: int,
        callback: Callable[[], None],
    ) -> None:
        super().__init__(name, KIND)
        self.every_ns = every_ns
        self._environment = environment
        self._callback = callback
        self._movement = Movement(movement, 0, self, self)
        super().add(Entity(name, KIND))

    @property
    def is_running(self) -> bool:
        """Whether it is running."""
        return self._movement.is_scheduled

    def start(self) -> None:
        """Tick from now on, unless it is running already."""
        if not self.is_running:
            self._schedule(self._environment.clock.now_ns + 1)

    def stop(self) -> None:
        """Stop ticking."""
        self._environment.cancel(self._movement)

    def add(self, entity: Entity) -> None:
        """A tick. The next one is scheduled before the callback runs."""
        super().add(entity)
        self._schedule(self._movement.occurs_at)
        self._callback()

    def _schedule(self, last_ns: int) -> None:
        self._environment.add_to_schedule(self._movement, last_ns + self.every_ns)
