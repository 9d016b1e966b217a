"""How often something may be done: so many at once, then so many a second."""

from __future__ import annotations

import math
from typing import Final

from kubestage.errors import InputError
from kubestage.units import SECOND_NS

# Sums of fractions come out a hair beside the whole number that they make.
_HAIR: Final = 1e-6


class Rate:
    """Tokens that come back at a rate, up to a burst; it starts full.

    They may be taken before they are there: whoever comes next then waits until what is owed has
    come back.
    """

    __slots__ = ("_at_ns", "_burst", "_per_second", "_tokens")

    def __init__(self, per_second: float, burst: int) -> None:
        assert per_second > 0, per_second
        assert burst > 0, burst
        self._per_second = per_second
        self._burst = float(burst)
        self._tokens = self._burst
        self._at_ns = 0

    def at_hand(self, now_ns: int) -> int:
        """How many can be taken now without owing any."""
        self._refill(now_ns)
        return max(math.floor(self._tokens + _HAIR), 0)

    def take(self, now_ns: int, count: int = 1) -> int:
        """Take some, there or not; when they are all there."""
        self._refill(now_ns)
        self._tokens -= count
        return self._when(0.0)

    def next_ns(self, now_ns: int, count: int = 1) -> int:
        """When there are so many to be taken."""
        self._refill(now_ns)
        return self._when(float(count))

    def _refill(self, now_ns: int) -> None:
        if now_ns > self._at_ns:
            grown = self._tokens + (now_ns - self._at_ns) * self._per_second / SECOND_NS
            self._tokens, self._at_ns = min(grown, self._burst), now_ns

    def _when(self, level: float) -> int:
        missing = level - self._tokens
        if missing <= _HAIR:
            return self._at_ns
        return self._at_ns + math.ceil(missing / self._per_second * SECOND_NS - _HAIR)


def check_client(section: str, qps: float, burst: int) -> None:
    """Refuse limits of a client that a person wrote and that nothing could ever keep.

    `section` is where they are written. A rate of zero is no limit, and needs no burst.
    """
    if not 0 <= qps < math.inf:
        raise InputError(
            f"{qps:g} is no rate",
            path=f"{section}.client_qps",
            fix="write how many calls a second, or 0 for no limit",
        )
    if burst < (1 if qps else 0):
        raise InputError(
            f"{burst} calls at once let none through",
            path=f"{section}.client_burst",
            fix="write 1 or more with a client_qps",
        )
