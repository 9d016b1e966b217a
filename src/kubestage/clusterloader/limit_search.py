"""The search for the highest load that still meets a goal; others run the loads.

It rests on one assumption: what meets the goal at some load meets it at every lower one. A
bisection cannot see whether that holds, so the search tries two more loads at its end, one
well below the limit and one above, and reports if they contradict.
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

    `limit` is the highest load that was tried and below which no load that was tried misses the
    goal; None if the lowest one misses it. `above` is the lowest load that was tried and misses;
    None if none does. The true limit is between them. `tried` has every load and whether it meets
    the goal, from low to high; `is_monotonic` is whether none meets it above one that misses.
    """

    limit: float | None
    above: float | None
    tried: tuple[tuple[float, bool], ...]
    is_monotonic: bool


def search(meets: Callable[[float], bool], within: SearchRange) -> FoundLimit:
    """Find the limit; `meets` is called at most once for a load."""
    tries = _Tries(meets, within)
    low, high = _bracket(tries, within)
    if low is not None and high is not None:
        low, high = _bisect(tries, low, high, within)
        _check_monotonic(tries, low, high)
    return _found(tries.answers)


class _Tries:
    """The loads that were tried."""

    def __init__(self, meets: Callable[[float], bool], within: SearchRange) -> None:
        self.within = within
        self.answers: dict[float, bool] = {}
        self._meets = meets

    def meets(self, value: float) -> bool:
        found = self.answers.get(value)
        if found is None:
            found = self.answers[value] = self._meets(value)
        return found


def _bracket(tries: _Tries, within: SearchRange) -> tuple[float | None, float | None]:
    """A load that meets the goal and a higher one that misses it; None where there is none."""
    value = within.start
    if tries.meets(value):
        while value < within.highest:
            low, value = value, min(_neat(value * _FACTOR, within), within.highest)
            if not tries.meets(value):
                return low, value
        return value, None
    while value > within.lowest:
        high, value = value, max(_neat(value / _FACTOR, within), within.lowest)
        if tries.meets(value):
            return value, high
    return None, value


def _bisect(tries: _Tries, low: float, high: float, within: SearchRange) -> tuple[float, float]:
    while high - low > within.precision * high:
        middle = _neat((low + high) / 2, within)
        if not low < middle < high:
            break
        if tries.meets(middle):
            low = middle
        else:
            high = middle
    return low, high


def _check_monotonic(tries: _Tries, low: float, high: float) -> None:
    """Ask where a limit that is one cannot be: well below it, and above it."""
    within = tries.within
    below = _neat(low * 2 / 3, within)
    if within.lowest <= below < low:
        tries.meets(below)
    above = _neat(high * _ABOVE, within)
    if high < above <= within.highest:
        tries.meets(above)


def _found(answers: dict[float, bool]) -> FoundLimit:
    tried = tuple(sorted(answers.items()))
    missed = [value for value, is_met in tried if not is_met]
    above = missed[0] if missed else None
    met = [value for value, is_met in tried if is_met and (above is None or value < above)]
    is_monotonic = all(not is_met or above is None or value < above for value, is_met in tried)
    return FoundLimit(
        limit=met[-1] if met else None, above=above, tried=tried, is_monotonic=is_monotonic
    )


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
