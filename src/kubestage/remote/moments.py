"""The moments of a real cluster: callbacks as time goes by."""

from __future__ import annotations

import time
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from kubestage.remote.loop import Loop


class RealTimer:
    """A callback that waits for its time."""

    __slots__ = ("callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Call nothing."""
        self.callback = None


class RealMoments:
    """Callbacks in the order of their times, on one timer of the loop.

    The calendar is read once and goes on with the clock that never goes back: a correction of
    the machine's time in the middle of a run makes no latency negative.
    """

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._began_unix_ns = time.time_ns()
        self._began_ns = time.monotonic_ns()
        self._due: list[tuple[int, int, RealTimer]] = []
        self._count = 0
        self._handle: asyncio.TimerHandle | None = None
        self._handle_ns = 0
        self._is_ringing = False

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the cluster was opened."""
        return time.monotonic_ns() - self._began_ns

    @property
    def unix_ns(self) -> int:
        """The calendar."""
        return self._began_unix_ns + self.now_ns

    def unix_at(self, at_ns: int) -> int:
        """A moment in the calendar."""
        return self._began_unix_ns + at_ns

    def at(self, at_ns: int, callback: Callable[[], None]) -> RealTimer:
        """Call back at a time."""
        timer = RealTimer(callback)
        self._count += 1
        heappush(self._due, (max(at_ns, self.now_ns), self._count, timer))
        if not self._is_ringing:
            self._set()
        return timer

    def _set(self) -> None:
        """Have the loop's timer go off at the first of all times."""
        if not self._due:
            return
        first_ns = self._due[0][0]
        if self._handle is not None:
            if self._handle_ns <= first_ns:
                return
            self._handle.cancel()
        self._handle_ns = first_ns
        when_s = (self._began_ns + first_ns) / SECOND_NS
        self._handle = self._loop.asyncio.call_at(when_s, self._ring)

    def _ring(self) -> None:
        """Call all callbacks that are due; those added meanwhile wait for the next turn."""
        self._handle = None
        self._is_ringing = True
        now_ns, due = self.now_ns, self._due
        try:
            while due and due[0][0] <= now_ns:
                _, _, timer = heappop(due)
                callback, timer.callback = timer.callback, None
                if callback is not None:
                    self._loop.turn(callback)
        finally:
            self._is_ringing = False
            self._set()
