"""How many seats the calls of a priority level need, observed over periods."""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import Final, NamedTuple

# How much of the smoothed demand is left after a period with less of it, as in kube-apiserver.
_KEPT: Final = 0.977


class Period(NamedTuple):
    """The demand in one period: its mean, standard deviation and maximum."""

    mean: float
    deviation: float
    most: int


class SeatDemand:
    """The seats of calls that are served or queued.

    `smoothed` follows mean plus deviation of each period: upwards at once, downwards slowly.
    """

    __slots__ = (
        "_began_ns",
        "_calls",
        "_ends",
        "_most",
        "_now",
        "_squares",
        "_sum",
        "_upto_ns",
        "smoothed",
    )

    def __init__(self) -> None:
        self.smoothed = 0.0
        self._calls: list[tuple[int, int, int]] = []
        self._ends: list[tuple[int, int]] = []
        self._now = 0
        self._most = 0
        self._sum = 0
        self._squares = 0
        self._began_ns = 0
        self._upto_ns = 0

    def add(self, arrives_ns: int, ends_ns: int, width: int) -> None:
        """A call that arrives now, or next, needs seats until it ends.

        NOTE: done at every change of the store, so the sums wait for the end of the period
        (benchmarks/load.py).
        """
        self._calls.append((arrives_ns, ends_ns, width))

    def close(self, at_ns: int) -> Period:
        """End the period, and begin the next one."""
        self.add(at_ns, 0, 0)
        self._integrate()
        length = max(at_ns - self._began_ns, 1)
        mean = self._sum / length
        deviation = math.sqrt(max(self._squares / length - mean * mean, 0.0))
        period = Period(mean, deviation, self._most)
        envelope = mean + deviation
        if self.smoothed < envelope:
            self.smoothed = envelope
        else:
            self.smoothed = _KEPT * self.smoothed + (1 - _KEPT) * envelope
        self._began_ns, self._sum, self._squares, self._most = at_ns, 0, 0, self._now
        return period

    def _integrate(self) -> None:
        """Sum up the demand, from one arrival or end of a call to the next."""
        ends, now, upto_ns, most = self._ends, self._now, self._upto_ns, self._most
        area = squares = 0
        for arrives_ns, ends_ns, width in self._calls:
            while ends and ends[0][0] <= arrives_ns:
                ended_ns, left = heappop(ends)
                if ended_ns > upto_ns:
                    part = now * (ended_ns - upto_ns)
                    area += part
                    squares += now * part
                    upto_ns = ended_ns
                now -= left
            if arrives_ns > upto_ns:
                part = now * (arrives_ns - upto_ns)
                area += part
                squares += now * part
                upto_ns = arrives_ns
            if ends_ns > upto_ns:
                heappush(ends, (ends_ns, width))
                now += width
                most = max(most, now)
        self._calls.clear()
        self._now, self._upto_ns, self._most = now, upto_ns, most
        self._sum += area
        self._squares += squares
