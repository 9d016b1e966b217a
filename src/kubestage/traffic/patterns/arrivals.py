"""Arrivals one after the other, made of rates, of a number of requests, or of recorded times.

Times are nanoseconds from the start of the pattern. Each stream draws its arrivals ahead, in
portions that do not depend on the caller, and so neither do the times.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import numpy.typing as npt

    from kubestage.objects.request_traces import RequestTrace
    from kubestage.traffic.patterns.rates import Rates

    Times = npt.NDArray[np.int64]

_BLOCK: Final = 2048
_SECONDS_AT_ONCE: Final = 4096
# Sums of rates are this close to what they should be: a part of a request that is none.
_NOTHING: Final = 1e-6


class Arrivals(abc.ABC):
    """Arrivals that are drawn ahead and handed out in order; `_make` draws them.

    Arrivals are requested up to `_requested_until_ns`, and drawn up to `_drawn_until_ns`.
    """

    def __init__(self) -> None:
        self._drawn: Times = np.empty(0, np.int64)
        self._at = 0
        self._requested_until_ns = 0
        self._drawn_until_ns = 0
        self._is_over = False

    def take(self, end_ns: int) -> Times:
        """The arrivals before this time that have not been handed out."""
        self._requested_until_ns = end_ns
        blocks = [self._drawn[self._at :]]
        while self._drawn_until_ns < end_ns and not self._is_over:
            blocks.append(self._make())
        if len(blocks) > 1:
            self._drawn, self._at = np.concatenate(blocks), 0
        begin = self._at
        self._at = int(np.searchsorted(self._drawn, end_ns))
        return self._drawn[begin : self._at]

    def next_ns(self) -> int | None:
        """When the next arrival can be: at that time or later. None if there is none."""
        if self._at < len(self._drawn):
            return int(self._drawn[self._at])
        return None if self._is_over else self._next_drawn_ns()

    @abc.abstractmethod
    def _make(self) -> Times:
        """The next arrivals, and `_drawn_until_ns` moved on."""

    def _next_drawn_ns(self) -> int | None:
        return self._drawn_until_ns


class _BySecond(Arrivals):
    """Arrivals made of rates, whole seconds at a time."""

    def __init__(self, rates: Rates) -> None:
        super().__init__()
        self._rates = rates

    def _make(self) -> Times:
        first = self._drawn_until_ns // SECOND_NS
        last = min(-(-self._requested_until_ns // SECOND_NS), first + _SECONDS_AT_ONCE)
        self._drawn_until_ns = last * SECOND_NS
        return self._place(first, self._rates.expected(first, last))

    @abc.abstractmethod
    def _place(self, first: int, expected: npt.NDArray[np.float64]) -> Times:
        """Arrivals from this second on, given how many there are to be until each of them."""

    def _next_drawn_ns(self) -> int | None:
        second = self._rates.busy_from(self._drawn_until_ns // SECOND_NS)
        return None if second is None else second * SECOND_NS


class Counted(_BySecond):
    """So many each second, as Skenario counts them: at random within it, or evenly spaced.

    Parts of a request are kept until they make up a whole one.
    """

    def __init__(self, rates: Rates, stream: np.random.Generator | None) -> None:
        super().__init__(rates)
        self._stream = stream

    def _place(self, first: int, expected: npt.NDArray[np.float64]) -> Times:
        numbers = np.ceil(expected - _NOTHING)
        counts = np.diff(numbers).astype(np.int64)
        seconds = np.repeat(np.arange(len(counts)), counts)
        begins = (first + seconds) * SECOND_NS
        if self._stream is not None:
            within = self._stream.random(len(begins)) * SECOND_NS
            return np.sort(begins + within.astype(np.int64))
        number = numbers[0] + np.arange(len(begins))
        return begins + _within(number, expected, seconds)


def _within(
    number: npt.NDArray[np.float64],
    expected: npt.NDArray[np.float64],
    seconds: npt.NDArray[np.intp],
) -> Times:
    """How far into their second that many requests are expected."""
    begins, ends = expected[seconds], expected[seconds + 1]
    within = (number - begins) * SECOND_NS / (ends - begins)
    return np.clip(within, 0, SECOND_NS - 1).astype(np.int64)


class Poisson(_BySecond):
    """Arrivals that know nothing of one another: a Poisson process with the rates given.

    One of rate 1 is stretched so that it has the rates: its n-th arrival comes when so many
    requests are expected as it has time.
    """

    def __init__(self, rates: Rates, stream: np.random.Generator) -> None:
        super().__init__(rates)
        self._stream = stream
        self._marks = np.empty(0)
        self._last = 0.0

    def _place(self, first: int, expected: npt.NDArray[np.float64]) -> Times:
        until = expected[-1]
        blocks = [self._marks]
        while self._last < until:
            gaps = self._stream.standard_exponential(_BLOCK)
            gaps[0] += self._last
            blocks.append(np.cumsum(gaps))
            self._last = float(blocks[-1][-1])
        marks = np.concatenate(blocks)
        at = int(np.searchsorted(marks, until))
        marks, self._marks = marks[:at], marks[at:]
        seconds = np.searchsorted(expected, marks, side="right") - 1
        begins: Times = (first + seconds) * SECOND_NS
        return begins + _within(marks, expected, seconds)


class Scattered(Arrivals):
    """A number of requests, each at any moment of a time: Skenario's uniform pattern.

    They are drawn in their order, without having to draw all: the gap to the next of n arrivals
    that are left is, on a bent scale, the n-th part of an exponential one (Rényi).
    """

    def __init__(self, requests: int, duration_ns: int, stream: np.random.Generator) -> None:
        super().__init__()
        self._left = requests
        self._duration_ns = duration_ns
        self._stream = stream
        self._sum = 0.0

    def _make(self) -> Times:
        count = min(self._left, _BLOCK)
        gaps = self._stream.standard_exponential(count) / (self._left - np.arange(count))
        gaps[0] += self._sum
        sums = np.cumsum(gaps)
        self._sum = float(sums[-1])
        times = (-np.expm1(-sums) * self._duration_ns).astype(np.int64)
        times = np.clip(times, self._drawn_until_ns, self._duration_ns - 1)
        times = np.maximum.accumulate(times)
        self._left -= count
        self._is_over = not self._left
        self._drawn_until_ns = int(times[-1])
        return times


class Recorded(Arrivals):
    """Arrivals as they were recorded, once or round after round.

    With a scale each stands for that many; parts of a request are kept until they make up one.
    """

    def __init__(self, trace: RequestTrace, scale: float, speed: float, *, repeats: bool) -> None:
        super().__init__()
        times = np.asarray(trace.times_ns, np.int64)
        if speed != 1:
            times = (times / speed).astype(np.int64)
        numbers = np.ceil(np.arange(len(times) + 1) * scale - _NOTHING)
        self._times: Times = np.repeat(times, np.diff(numbers).astype(np.int64))
        self._length_ns = int(trace.end_ns / speed) if speed != 1 else trace.end_ns
        self._repeats = repeats
        self._is_over = not len(self._times)

    def _make(self) -> Times:
        begin_ns, length_ns = self._drawn_until_ns, self._length_ns
        missing_ns = self._requested_until_ns - begin_ns
        rounds = -(-missing_ns // length_ns) if self._repeats else 1
        self._drawn_until_ns = begin_ns + rounds * length_ns
        self._is_over = not self._repeats
        begins = begin_ns + np.arange(rounds) * length_ns
        return (begins[:, np.newaxis] + self._times).ravel()

    def _next_drawn_ns(self) -> int | None:
        return self._drawn_until_ns + int(self._times[0])
