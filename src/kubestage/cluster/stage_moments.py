"""The moments of a stage: callbacks in virtual time."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim.environment import Environment


class StageTimer:
    """A callback that waits for its time."""

    __slots__ = ("callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Cancel the callback."""
        self.callback = None


class StageMoments:
    """Callbacks in the order of their times, on one alarm of the stage's environment."""

    def __init__(self, environment: Environment) -> None:
        self._clock = environment.clock
        self._environment = environment
        self._alarm = environment.timer("LoadMoment", self._ring)
        self._due: list[tuple[int, int, StageTimer]] = []
        self._count = 0

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the stage started."""
        return self._clock.now_ns

    @property
    def unix_ns(self) -> int:
        """The stage's calendar."""
        return self._clock.unix_ns

    def at(self, at_ns: int, callback: Callable[[], None]) -> StageTimer:
        """Schedule a callback at a time of the stage's clock."""
        timer = StageTimer(callback)
        self._count += 1
        earliest_ns = self._clock.now_ns or 1
        due_ns = max(earliest_ns, at_ns)
        heappush(self._due, (due_ns, self._count, timer))
        if self._due[0][2] is timer:
            self._alarm.set(due_ns)
        return timer

    def _ring(self) -> None:
        """Call the next callback; others of this instant get their own movement."""
        _, _, timer = heappop(self._due)
        if self._due:
            self._alarm.set(self._due[0][0])
        callback, timer.callback = timer.callback, None
        if callback is not None:
            callback()
