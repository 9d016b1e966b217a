"""The search for the highest load that still meets a goal; it asks, and others run the loads.

It rests on one assumption: what meets the goal at some load meets it at every lower one. A
bisection cannot see whether that holds, so the search asks for two more loads at its end, one
well below the limit and one above, and says if they contradict.
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


class Range(msgspec.Struct, frozen=True, kw_only=True):
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


class Found(msgspec.Struct, frozen=True, kw_only=True):
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


def search(meets: Callable[[float], bool], within: Range) -> Found:
    """Find the limit; `meets` is asked at most once for a load."""
    asked = _Asked(meets, within)
    low, high = _bracket(asked, within)
    if low is not None and high is not None:
        low, high = _bisect(asked, low, high, within)
        _doubt(asked, low, high)
    return _found(asked.answers)


class _Asked:
    """The loads that were tried."""

    def __init__(self, meets: Callable[[float], bool], within: Range) -> None:
        self.within = within
        self.answers: dict[float, bool] = {}
        self._meets = meets

    def ask(self, value: float) -> bool:
        found = self.answers.get(value)
        if found is None:
            found = self.answers[value] = self._meets(value)
        return found


def _bracket(asked: _Asked, within: Range) -> tuple[float | None, float | None]:
    """A load that meets the goal and a higher one that misses it; None where there is none."""
    value = within.start
    if asked.ask(value):
        while value < within.highest:
            low, value = value, min(_neat(value * _FACTOR, within), within.highest)
            if not asked.ask(value):
                return low, value
        return value, None
    while value > within.lowest:
        high, value = value, max(_neat(value / _FACTOR, within), within.lowest)
        if asked.ask(value):
            return value, high
    return None, value


def _bisect(asked: _Asked, low: float, high: float, within: Range) -> tuple[float, float]:
    while high - low > within.precision * high:
        middle = _neat((low + high) / 2, within)
        if not low < middle < high:
            break
        if asked.ask(middle):
            low = middle
        else:
            high = middle
    return low, high


def _doubt(asked: _Asked, low: float, high: float) -> None:
    """Ask where a limit that is one cannot be: well below it, and above it."""
    within = asked.within
    below = _neat(low * 2 / 3, within)
    if within.lowest <= below < low:
        asked.ask(below)
    above = _neat(high * _ABOVE, within)
    if high < above <= within.highest:
        asked.ask(above)


def _found(answers: dict[float, bool]) -> Found:
    tried = tuple(sorted(answers.items()))
    missed = [value for value, is_met in tried if not is_met]
    above = missed[0] if missed else None
    met = [value for value, is_met in tried if is_met and (above is None or value < above)]
    is_monotonic = all(not is_met or above is None or value < above for value, is_met in tried)
    return Found(
        limit=met[-1] if met else None, above=above, tried=tried, is_monotonic=is_monotonic
    )


def _neat(value: float, within: Range) -> float:
    """A load as it is tried."""
    if within.is_whole:
        return float(max(round(value), 1))
    digits = _DIGITS - 1 - math.floor(math.log10(value))
    return round(value, digits)


def verdict(passed: int, runs: int, confidence: float) -> bool | None:
    """Whether a load meets the goal, by how many of its runs did; None if that cannot be said.

    A load meets the goal if more than half of all runs of it would. Were it exactly half, so many
    passes (or more) would come by chance with some probability; if that is at most
    1 - `confidence`, the load meets the goal. For misses it is the same.
    """
    chance = 1 - confidence
    if _tail(passed, runs) <= chance:
        return True
    if _tail(runs - passed, runs) <= chance:
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
