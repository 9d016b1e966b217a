"""The search for the highest load that still meets a goal; others run the loads.

It rests on one assumption: what meets the goal at some load meets it at every lower one. A
bisection cannot see whether that holds, so the search tries two more loads at its end, one
well below the limit and one above, and reports if they contradict.

A load may be neither met nor missed: unsure. The limit is below such loads, and the search goes on
above them to the first load that misses.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

# Values are tried with so many digits: a limit of 103.7 is worth more to a reader than 103.71484.
_DIGITS: Final = 4
_FACTOR: Final = 2.0
_ABOVE: Final = 1.5


class SearchRange(msgspec.Struct, frozen=True, kw_only=True):
    """Where to search: from `start`, up to `highest` and down to `lowest`.

    The limit is known when the two loads around it are no further apart than `precision`, as a
    share of the upper one. `is_whole` has only whole numbers tried.
    """

    lowest: float
    start: float
    highest: float
    precision: float = 0.05
    is_whole: bool = False

    def __post_init__(self) -> None:
        assert 0 < self.lowest <= self.start <= self.highest < math.inf, self
        assert 0 < self.precision < 1, self
        if self.is_whole:
            assert all(float(each).is_integer() for each in (self.lowest, self.start)), self


class FoundLimit(msgspec.Struct, frozen=True, kw_only=True):
    """What the search came to.

    `limit` is the highest load that was tried and below which every load that was tried meets the
    goal; None if the lowest one does not. `above` is the lowest load that was tried and misses;
    None if none does. The true limit is between them. `tried` has every load and whether it meets
    the goal (None if unsure), from low to high; `is_monotonic` is whether none meets it above one
    that misses.
    """

    limit: float | None
    above: float | None
    tried: tuple[tuple[float, bool | None], ...]
    is_monotonic: bool

    @property
    def unsure(self) -> tuple[float, ...]:
        """The loads between the two that neither meet nor miss."""
        return tuple(
            value
            for value, answer in self.tried
            if answer is None and (self.above is None or value < self.above)
        )


def search(meets: Callable[[float], bool | None], within: SearchRange) -> FoundLimit:
    """Find the limit; `meets` is called at most once for a load."""
    tries = _Tries(meets, within)
    low, high = _bracket(tries, within)
    if low is not None and high is not None:
        low, high = _bisect(tries, low, high, lambda value: tries.answer(value) is True)
    if high is not None and tries.answer(high) is None:
        high = _first_miss(tries, high)
    if low is not None and high is not None:
        _check_monotonic(tries, low, high)
    return _found(tries.answers)


class _Tries:
    """The loads that were tried."""

    def __init__(self, meets: Callable[[float], bool | None], within: SearchRange) -> None:
        self.within = within
        self.answers: dict[float, bool | None] = {}
        self._meets = meets

    def answer(self, value: float) -> bool | None:
        if value not in self.answers:
            self.answers[value] = self._meets(value)
        return self.answers[value]


def _bracket(tries: _Tries, within: SearchRange) -> tuple[float | None, float | None]:
    """A load that meets the goal and a higher one that does not; None where there is none."""
    value = within.start
    if tries.answer(value) is True:
        while value < within.highest:
            low, value = value, min(_neat(value * _FACTOR, within), within.highest)
            if tries.answer(value) is not True:
                return low, value
        return value, None
    while value > within.lowest:
        high, value = value, max(_neat(value / _FACTOR, within), within.lowest)
        if tries.answer(value) is True:
            return value, high
    return None, value


def _bisect(
    tries: _Tries, low: float, high: float, is_low: Callable[[float], bool]
) -> tuple[float, float]:
    within = tries.within
    while high - low > within.precision * high:
        middle = _neat((low + high) / 2, within)
        if not low < middle < high:
            break
        if is_low(middle):
            low = middle
        else:
            high = middle
    return low, high


def _first_miss(tries: _Tries, unsure: float) -> float | None:
    """The lowest load above an unsure one that misses, as closely as the limit; None if none."""
    within, low = tries.within, unsure
    missed = [value for value, met in tries.answers.items() if met is False and value > unsure]
    high = min(missed, default=None)
    while high is None and low < within.highest:
        value = min(_neat(low * _FACTOR, within), within.highest)
        if tries.answer(value) is False:
            high = value
        else:
            low = value
    if high is None:
        return None
    return _bisect(tries, low, high, lambda value: tries.answer(value) is not False)[1]


def _check_monotonic(tries: _Tries, low: float, high: float) -> None:
    """Ask where a limit that is one cannot be: well below it, and above it."""
    within = tries.within
    below = _neat(low * 2 / 3, within)
    if within.lowest <= below < low:
        tries.answer(below)
    above = _neat(high * _ABOVE, within)
    if high < above <= within.highest:
        tries.answer(above)


def _found(answers: dict[float, bool | None]) -> FoundLimit:
    tried = tuple(sorted(answers.items()))
    above = next((value for value, met in tried if met is False), None)
    limit = None
    for value, met in tried:
        if met is not True:
            break
        limit = value
    is_monotonic = all(met is not True or above is None or value < above for value, met in tried)
    return FoundLimit(limit=limit, above=above, tried=tried, is_monotonic=is_monotonic)


def _neat(value: float, within: SearchRange) -> float:
    """A load as it is tried."""
    if within.is_whole:
        return float(max(round(value), 1))
    digits = _DIGITS - 1 - math.floor(math.log10(value))
    return round(value, digits)


def verdict(passed: int, runs: int, confidence: float) -> bool | None:
    """Whether a load meets the goal, by how many of its runs did; None if that is uncertain.

    A load meets the goal if more than half of all runs of it would. Were it exactly half, so many
    passes (or more) would come at random with some probability; if that is at most
    1 - `confidence`, the load meets the goal. For misses it is the same.
    """
    error_probability = 1 - confidence
    if _tail(passed, runs) <= error_probability:
        return True
    if _tail(runs - passed, runs) <= error_probability:
        return False
    return None


def runs_needed(confidence: float) -> int:
    """How many runs that agree it takes to be so sure."""
    assert 0 <= confidence < 1, confidence
    runs = 1
    while _tail(runs, runs) > 1 - confidence:
        runs += 1
    return runs


def _tail(least: int, runs: int) -> float:
    """How likely a fair coin shows heads at least so often."""
    ways = sum(math.comb(runs, each) for each in range(least, runs + 1))
    return ways / (1 << runs)
