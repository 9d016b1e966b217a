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

    __slots__ = ("_began_ns", "_ends", "_most", "_now", "_squares", "_sum", "_upto_ns", "smoothed")

    def __init__(self) -> None:
        self.smoothed = 0.0
        self._ends: list[tuple[int, int]] = []
        self._now = 0
        self._most = 0
        self._sum = 0
        self._squares = 0
        self._began_ns = 0
        self._upto_ns = 0

    @property
    def most(self) -> int:
        """The highest demand since the period began."""
        return self._most

    def add(self, arrives_ns: int, ends_ns: int, width: int) -> None:
        """A call that arrives now, or next, needs seats until it ends."""
        self._advance(arrives_ns)
        if ends_ns <= self._upto_ns:
            return
        heappush(self._ends, (ends_ns, width))
        self._now = now = self._now + width
        if now > self._most:
            self._most = now

    def close(self, at_ns: int) -> Period:
        """End the period, and begin the next one."""
        self._advance(at_ns)
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

    def _advance(self, to_ns: int) -> None:
        """Integrate the demand up to a time, from one end of a call to the next.

        NOTE: in one piece, for it is done at every change of the store (benchmarks/load.py).
        """
        ends, now, upto_ns = self._ends, self._now, self._upto_ns
        if ends and ends[0][0] <= to_ns:
            area = squares = 0
            while ends and ends[0][0] <= to_ns:
                ended_ns, width = heappop(ends)
                if ended_ns > upto_ns:
                    part = now * (ended_ns - upto_ns)
                    area += part
                    squares += now * part
                    upto_ns = ended_ns
                now -= width
            self._now = now
            self._sum += area
            self._squares += squares
        if to_ns > upto_ns:
            part = now * (to_ns - upto_ns)
            self._sum += part
            self._squares += now * part
            upto_ns = to_ns
        self._upto_ns = upto_ns
