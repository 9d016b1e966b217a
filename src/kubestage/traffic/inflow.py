"""Requests taken from a feed in blocks: few calls at any rate, and never too many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.sim.clock import NEVER_NS
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kubestage.traffic.requests import Feed

_DESIRED: Final = 8_192
_MOST: Final = 16_384
_LONGEST_S: Final = 512


class Block(NamedTuple):
    """Requests in the order of their arrival, and what they need."""

    at_ns: NDArray[np.int64]
    cpu_ns: NDArray[np.float64]
    io_ns: NDArray[np.int64]
    uniform: NDArray[np.float64]


NOBODY: Final = Block(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), np.zeros(0))


class Inflow:
    """All requests before `horizon_ns` have been taken.

    Nothing arrives at time zero, where a simulation starts. The feed is read for some seconds
    at once, ever more while few requests come. Should many come all of a sudden, they are handed
    out in several blocks, and what they need is drawn for each of these. Those that arrive at one
    instant are in one block.
    """

    def __init__(self, feed: Feed) -> None:
        self.horizon_ns = feed.begin_ns
        self._feed = feed
        self._end_ns = feed.begin_ns
        self._window_s = 1
        self._ahead = NOBODY.at_ns

    def take(self) -> Block:
        """The next block, which may be empty; after the last one the horizon is never reached."""
        if not len(self._ahead):
            next_ns = self._feed.next_after(self._end_ns)
            if next_ns is None:
                self.horizon_ns = NEVER_NS
                return NOBODY
            self._prefetch(next_ns)
        at_ns, self._ahead = self._cut(self._ahead)
        self.horizon_ns = int(self._ahead[0]) if len(self._ahead) else self._end_ns
        return Block(at_ns, *self._feed.demands(len(at_ns))) if len(at_ns) else NOBODY

    def _prefetch(self, next_ns: int) -> None:
        idle_s = max(next_ns - self._end_ns, 0) // SECOND_NS
        self._end_ns += (idle_s + self._window_s) * SECOND_NS
        self._ahead = np.maximum(self._feed.arrivals(self._end_ns), 1)
        if len(self._ahead) > _DESIRED:
            self._window_s = max(self._window_s // 2, 1)
        elif len(self._ahead) * 2 <= _DESIRED:
            self._window_s = min(self._window_s * 2, _LONGEST_S)

    @staticmethod
    def _cut(at_ns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if len(at_ns) <= _MOST:
            return at_ns, NOBODY.at_ns
        end = int(np.searchsorted(at_ns, at_ns[_MOST - 1], side="right"))
        return at_ns[:end], at_ns[end:]


class OneByOne:
    """The requests of a feed, one at a time; without a feed there are none."""

    def __init__(self, feed: Feed | None) -> None:
        self._inflow = None if feed is None else Inflow(feed)
        self._rows: list[tuple[int, float, int, float]] = []

    def next_ns(self) -> int:
        """When the next one comes, or when more must be read."""
        if self._rows:
            return self._rows[-1][0]
        return NEVER_NS if self._inflow is None else self._inflow.horizon_ns

    def take(self, now_ns: int) -> list[tuple[int, float, int, float]]:
        """Those that have come by now: arrival, CPU time, I/O time and `uniform` of each."""
        found = []
        while self.next_ns() <= now_ns:
            if self._rows:
                found.append(self._rows.pop())
            elif self._inflow is not None:
                columns = (column.tolist() for column in self._inflow.take())
                self._rows = list(zip(*columns, strict=True))[::-1]
        return found
