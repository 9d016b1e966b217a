"""The cores of the API server, which its calls share.

A call with little work takes the next core that gets free. Long lists, and calls that were queued
before, are known long before their work begins: they are kept apart, by priority level, so that
none of another level waits for their end. While they use all cores, a call with little work waits
for one slice of time, and all of them get fewer of the cores.
"""

from __future__ import annotations

from heapq import heappop, heappush, heapreplace
from typing import Final

SLICE_NS: Final = 10_000_000
"""For how long Go lets one goroutine run while others wait."""


class Processors:
    """The cores: when each gets free of little work, and of long work by level."""

    __slots__ = ("_by_level", "_pending", "_running", "free", "long_until_ns")

    def __init__(self, cores: int) -> None:
        self.free = [0] * cores
        """When each core gets free of calls with little work, soonest first."""
        self.long_until_ns = 0
        """When the last long work that is known ends."""
        self._by_level: dict[str, list[int]] = {}
        self._pending: list[tuple[int, int]] = []
        self._running: list[int] = []

    def work(self, begins_ns: int, cpu_ns: int) -> int:
        """Do little work as soon as a core is free; when it is done."""
        free = self.free
        if not free:
            return begins_ns + cpu_ns
        waits_ns = 0
        if begins_ns < self.long_until_ns:
            running = self._running_at(begins_ns)
            if running >= len(free):
                waits_ns = SLICE_NS
                cpu_ns = cpu_ns * (running + 1) // len(free)
        done_ns = max(begins_ns, free[0]) + cpu_ns
        heapreplace(free, done_ns)
        return done_ns + waits_ns

    def work_long(self, level: str, begins_ns: int, cpu_ns: int) -> int:
        """Do long or queued work of a level, in the order in which its calls begin."""
        if not self.free:
            return begins_ns + cpu_ns
        cores = self._by_level.setdefault(level, [0] * len(self.free))
        starts_ns = max(begins_ns, cores[0])
        at_once = 1 + sum(
            end_ns > starts_ns for each in (self.free, *self._by_level.values()) for end_ns in each
        )
        done_ns = starts_ns + cpu_ns * max(at_once, len(cores)) // len(cores)
        heapreplace(cores, done_ns)
        heappush(self._pending, (starts_ns, done_ns))
        self.long_until_ns = max(self.long_until_ns, done_ns)
        return done_ns

    def _running_at(self, now_ns: int) -> int:
        """How many calls do long work; not before an earlier question."""
        pending, running = self._pending, self._running
        while pending and pending[0][0] <= now_ns:
            heappush(running, heappop(pending)[1])
        while running and running[0] <= now_ns:
            heappop(running)
        return len(running)
