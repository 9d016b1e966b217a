"""How often something may be done: so many at once, then so many a second."""

from __future__ import annotations

import math

from kubestage.units import SECOND_NS


class RateLimit:
    """A bucket of tokens that fills by itself; a rate of zero or less is no limit."""

    def __init__(self, per_second: float, burst: int) -> None:
        self._per_second = per_second
        self._burst = max(burst, 1)
        self._tokens = float(self._burst)
        self._at_ns = 0

    def take(self, now_ns: int) -> int:
        """Take a token: zero if there is one, else the nanoseconds until there is."""
        if self._per_second <= 0:
            return 0
        grown = self._tokens + (now_ns - self._at_ns) * self._per_second / SECOND_NS
        self._tokens, self._at_ns = min(grown, self._burst), now_ns
        if self._tokens >= 1:
            self._tokens -= 1
            return 0
        return max(math.ceil((1 - self._tokens) / self._per_second * SECOND_NS), 1)
