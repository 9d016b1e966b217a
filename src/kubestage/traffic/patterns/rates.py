"""How many requests a second a pattern has, second by second, counted from its start.

A pattern is read second by second, in order, and returns how many requests there are until the
end of each. Random arrival times are not its business.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import numpy.typing as npt

    from kubestage.objects.request_traces import RequestTrace

    Floats = npt.NDArray[np.float64]


class Rates(Protocol):
    """A pattern's rates."""

    def expected(self, first: int, last: int) -> Floats:
        """How many requests there are to be until the start of each second from `first` on, and
        until the start of `last`. Each call continues where the one before it ended.
        """
        ...

    def busy_from(self, second: int) -> int | None:
        """The first second from this one on in which there can be requests; None is never."""
        ...


class Steady:
    """A constant rate."""

    def __init__(self, rps: float) -> None:
        self._rps = rps

    def expected(self, first: int, last: int) -> Floats:
        """A line."""
        return self._rps * np.arange(first, last + 1, dtype=np.float64)

    def busy_from(self, second: int) -> int | None:
        """At once."""
        return second


class Ramp:
    """Skenario's ramp: a bit more each second until the most is reached, and down again to 0.

    The sums are made one after the other, as Skenario makes them: with parts of a request as step
    a product would be a whole request off here and there.
    """

    def __init__(self, delta: float, most: float, *, is_whole: bool) -> None:
        rates = np.array([*_up_and_down(delta, most)])
        whole = np.maximum(np.trunc(rates) if is_whole else rates, 0.0)
        self._total = np.concatenate(([0.0], np.cumsum(whole)))

    def expected(self, first: int, last: int) -> Floats:
        """The sums; after the last second nothing is added."""
        seconds = np.minimum(np.arange(first, last + 1), len(self._total) - 1)
        return self._total[seconds]

    def busy_from(self, second: int) -> int | None:
        """At once, until it is over."""
        return second if second < len(self._total) - 1 else None


def _up_and_down(delta: float, most: float) -> list[float]:
    rates, rate = [], delta
    while int(rate) <= most:
        rates.append(rate)
        rate += delta
    while rate > 0:
        rate -= delta
        rates.append(rate)
    return rates


class Sinusoidal:
    """Skenario's wave between 0 and twice the amplitude, which starts half way up."""

    def __init__(self, amplitude: float, period_s: float, *, is_whole: bool) -> None:
        self._amplitude = amplitude
        self._period_s = period_s
        self._is_whole = is_whole
        self._total = 0.0

    def expected(self, first: int, last: int) -> Floats:
        """The sums so far; each second has the rate at its start."""
        rates = (self._rate(second) for second in range(first, last))
        sums = np.fromiter(itertools.accumulate(rates, initial=self._total), np.float64)
        self._total = float(sums[-1])
        return sums

    def _rate(self, second: int) -> float:
        wave = math.sin(2.0 * math.pi * (second / self._period_s))
        rate = self._amplitude * wave + self._amplitude
        whole = math.floor(rate)
        return whole + (rate - whole >= 0.5) if self._is_whole else rate

    def busy_from(self, second: int) -> int | None:
        """At once: a trough is short."""
        return second


class RateTable:
    """The rates of a trace: each holds until the next row, the last one without end.

    A trace that repeats starts again after its last row, which is then as long as the one before.
    """

    def __init__(self, trace: RequestTrace, scale: float, speed: float, *, repeats: bool) -> None:
        assert trace.rates is not None
        at_s = np.asarray(trace.times_ns, np.float64) / SECOND_NS / speed
        rates = np.asarray(trace.rates, np.float64) * scale
        if at_s[0] > 0:
            at_s, rates = np.concatenate(([0.0], at_s)), np.concatenate(([0.0], rates))
        self._at_s, self._rates = at_s, rates
        self._total = np.concatenate(([0.0], np.cumsum(rates[:-1] * np.diff(at_s))))
        self._end_s = trace.end_ns / SECOND_NS / speed if repeats else math.inf
        self._busy = np.flatnonzero(rates)

    def expected(self, first: int, last: int) -> Floats:
        """The sums at these times, over as many rounds as it takes."""
        seconds = np.arange(first, last + 1, dtype=np.float64)
        if self._end_s == math.inf:
            once: Floats = self._within(seconds)
            return once
        rounds, rest = np.divmod(seconds, self._end_s)
        whole = self._within(self._end_s)
        # Sums never go down, not even by the last digit that rounding leaves.
        sums: Floats = np.minimum(rounds * whole + self._within(rest), (rounds + 1) * whole)
        return sums

    def _within(self, seconds: Any) -> Any:
        row = np.searchsorted(self._at_s, seconds, side="right") - 1
        return self._total[row] + self._rates[row] * (seconds - self._at_s[row])

    def busy_from(self, second: int) -> int | None:
        """The second of the next row that is not zero."""
        if not len(self._busy):
            return None
        if self._end_s == math.inf:
            return self._next_busy(second, 0.0)
        begin = second // self._end_s * self._end_s
        found = self._next_busy(second, begin)
        return self._next_busy(second, begin + self._end_s) if found is None else found

    def _next_busy(self, second: int, begin_s: float) -> int | None:
        row = max(int(np.searchsorted(self._at_s, second - begin_s, side="right")) - 1, 0)
        at = int(np.searchsorted(self._busy, row))
        if at == len(self._busy):
            return None
        return max(second, math.floor(begin_s + float(self._at_s[self._busy[at]])))
