"""The limiter that Go programs share: tokens that come back at a rate, up to a burst."""

from __future__ import annotations

from kubestage.units import SECOND_NS


class TokenBucket:
    """golang.org/x/time/rate as a value: it says when, and waits for nobody.

    It starts full, so the first `burst` go at once; from then on one goes every ``1 / qps``. Who
    comes too early takes a token that is not there yet and is told when it will be: those who
    ask in one order go in that order.
    """

    __slots__ = ("_last_ns", "_tokens", "burst", "qps")

    def __init__(self, qps: float, burst: int) -> None:
        assert qps > 0, qps
        assert burst > 0, burst
        self.qps = qps
        self.burst = burst
        self._tokens = float(burst)
        self._last_ns = 0

    def reserve(self, now_ns: int, n: int = 1) -> int:
        """Take `n` tokens; the answer is when whoever asked may go."""
        assert n <= self.burst, "nobody can ever have more than a burst"
        elapsed_ns = max(now_ns - self._last_ns, 0)
        # As Go computes it: seconds as one float, then tokens as another.
        seconds = elapsed_ns // SECOND_NS + (elapsed_ns % SECOND_NS) / SECOND_NS
        tokens = min(self._tokens + seconds * self.qps, float(self.burst)) - n
        self._tokens = tokens
        self._last_ns = now_ns
        return now_ns if tokens >= 0 else now_ns + int(-tokens / self.qps * SECOND_NS)
