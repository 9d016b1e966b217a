"""Go's ``golang.org/x/time/rate``: so many at once, then so many a second."""

from __future__ import annotations

import math
from typing import Final

from kubestage.units import SECOND_NS

# Sums of fractions come out a hair beside the whole number that they make.
_ROUNDING: Final = 1e-6


class Limiter:
    """A bucket of tokens that come back at a rate, up to a burst; it starts full.

    It never waits, but returns times. Tokens can be taken before they are there; later
    callers then wait until these have come back.
    """

    __slots__ = ("_last_ns", "_tokens", "burst", "per_second")

    def __init__(self, per_second: float, burst: int) -> None:
        assert per_second > 0, per_second
        assert burst > 0, burst
        self.per_second = per_second
        self.burst = burst
        self._tokens = float(burst)
        self._last_ns = 0

    def allow(self, now_ns: int) -> bool:
        """Take one token if there is one."""
        self._refill(now_ns)
        if self._tokens < 1 and self._owed_ns(1.0) > 0:
            return False
        self._tokens -= 1
        return True

    def reserve(self, now_ns: int, count: int = 1) -> int:
        """Take tokens, there or not; when the caller may go, as Go rounds it: down."""
        assert count <= self.burst, "more than a burst can never be had"
        self._refill(now_ns)
        self._tokens -= count
        return now_ns + max(self._owed_ns(0.0), 0)

    def charge(self, now_ns: int, count: int = 1) -> int:
        """Take tokens, there or not, and more than a burst; when nothing is owed any more."""
        self._refill_fraction(now_ns)
        self._tokens -= count
        return self._when(0.0)

    def available(self, now_ns: int) -> int:
        """How many tokens can be taken now without owing any."""
        self._refill_fraction(now_ns)
        return max(math.floor(self._tokens + _ROUNDING), 0)

    def ready_ns(self, now_ns: int, count: int = 1) -> int:
        """When so many tokens are there; that may be now."""
        self._refill_fraction(now_ns)
        return self._when(float(count))

    def _refill(self, now_ns: int) -> None:
        elapsed_ns = now_ns - self._last_ns
        if elapsed_ns > 0:
            # As Go computes it: seconds as one float, then tokens as another.
            seconds = elapsed_ns // SECOND_NS + (elapsed_ns % SECOND_NS) / SECOND_NS
            grown = self._tokens + seconds * self.per_second
            self._tokens, self._last_ns = min(grown, float(self.burst)), now_ns

    def _refill_fraction(self, now_ns: int) -> None:
        """As `_refill`, rounded once: another rounding moves modelled calls by a nanosecond."""
        if now_ns > self._last_ns:
            grown = self._tokens + (now_ns - self._last_ns) * self.per_second / SECOND_NS
            self._tokens, self._last_ns = min(grown, float(self.burst)), now_ns

    def _owed_ns(self, level: float) -> int:
        return int((level - self._tokens) / self.per_second * SECOND_NS)

    def _when(self, level: float) -> int:
        missing = level - self._tokens
        if missing <= _ROUNDING:
            return self._last_ns
        return self._last_ns + math.ceil(missing / self.per_second * SECOND_NS - _ROUNDING)
