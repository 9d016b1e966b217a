"""Arrivals, generated one at a time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

from kubestage.sim.entity import Entity
from kubestage.sim.movement import Movement
from kubestage.sim.stock import GeneratingSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim.delays import Delay
    from kubestage.sim.environment import Environment
    from kubestage.sim.stock import Sink

E = TypeVar("E", bound=Entity)


class Arrivals(GeneratingSource[E]):
    """A source that schedules the next arrival when one leaves.

    Scheduling all arrivals beforehand gives the same movements, at the price of a heap as deep
    as the run is long: with a million of them each step costs several times as much.
    """

    __slots__ = ("_environment", "_interval", "_limit", "_movement")

    def __init__(
        self,
        environment: Environment,
        name: str,
        kind_stocked: str,
        make: Callable[[str, str], E],
        to_stock: Sink[E],
        interval: Delay,
        *,
        limit: int | None = None,
    ) -> None:
        super().__init__(name, kind_stocked, make)
        self._environment = environment
        self._interval = interval
        self._limit = sys.maxsize if limit is None else limit
        self._movement = Movement("arrive", 0, self, to_stock)
        self._schedule_next()

    def remove(self, what: Entity | None = None) -> E | None:
        """Generate an entity, and schedule the next one an interval later."""
        entity = GeneratingSource.remove(self, what)
        # Another movement from here leaves the next arrival where it is.
        if not self._movement.ticket:
            self._schedule_next()
        return entity

    def _schedule_next(self) -> None:
        if self.generated < self._limit:
            environment = self._environment
            occurs_at = environment.clock.now_ns + self._interval.draw_ns()
            environment.add_to_schedule(self._movement, occurs_at)
