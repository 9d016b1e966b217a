"""What a difference comes to: better, worse, none that matters, or undecided."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.statistics import differences, student_t

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.statistics.differences import Difference

BETTER: Final = "better"
WORSE: Final = "worse"
HIGHER: Final = "higher"
LOWER: Final = "lower"
SAME: Final = "same"
UNDECIDED: Final = "undecided"
DIFFERENT: Final = (BETTER, WORSE, HIGHER, LOWER)
"""Verdicts that claim a difference; the last two of measures that neither more nor less is good."""

_POWER: Final = 0.8
_MOST_SEEDS: Final = 100_000


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a difference at a level.

    `p_value` is corrected for the number of comparisons; None if there was nothing to test.
    `more_seeds` is an estimate of how many more seeds decide; None if it is decided, or if none
    of a sensible number will.
    """

    word: str
    p_value: float | None = None
    more_seeds: int | None = None
    reason: str = ""

    @property
    def is_decided(self) -> bool:
        """Whether more seeds are not needed."""
        return self.word != UNDECIDED


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction: the chance of any wrong claim among all is below the level.

    A value of None is a comparison that could not be made; it claims nothing and does not count.
    """
    known = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, at) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        corrected[at] = highest
    return corrected


def verdicts(
    found: Sequence[Difference],
    better: Sequence[str | None],
    level: float,
    *,
    corrected: bool = True,
) -> list[Verdict]:
    """The verdict on each difference of one family of comparisons.

    Claims of a difference are corrected together, and so are claims that there is none.
    """
    differs = [each.p_differs for each in found]
    same = [each.p_same for each in found]
    if corrected:
        differs, same = holm(differs), holm(same)
    claims = max(1, sum(each is not None for each in differs)) if corrected else 1
    alpha = 1 - level
    return [
        _verdict(each, side, p_differs, p_same, alpha, claims)
        for each, side, p_differs, p_same in zip(found, better, differs, same, strict=True)
    ]


def _verdict(
    difference: Difference,
    better: str | None,
    p_differs: float | None,
    p_same: float | None,
    alpha: float,
    claims: int,
) -> Verdict:
    mean, count = difference.estimate.mean, difference.estimate.count
    if p_differs is None or p_same is None or mean is None:
        reason = "no seed that both have" if not count else "one seed"
        return Verdict(word=UNDECIDED, reason=reason)
    if p_same <= alpha:
        return Verdict(word=SAME, p_value=p_same)
    if p_differs <= alpha:
        return Verdict(word=_direction(mean, better), p_value=p_differs)
    more = more_seeds(difference, alpha / claims)
    return Verdict(word=UNDECIDED, p_value=p_differs, more_seeds=more)


def _direction(mean: float, better: str | None) -> str:
    if better is None:
        return HIGHER if mean > 0 else LOWER
    return BETTER if (mean > 0) == (better == "more") else WORSE


def more_seeds(difference: Difference, alpha: float) -> int | None:
    """How many more seeds decide, in four of five cases, if what was seen so far is the truth."""
    found = difference.estimate
    if found.mean is None or found.deviation is None:
        return None
    if not found.deviation:
        flat = difference.is_flat
        enough = found.count + 1
        while differences.chance_of_constant(enough, is_flat=flat) > alpha:
            enough += 1
        return enough - found.count
    # Whichever comes first: zero outside of the interval, or all of it within the margin.
    distance = max(abs(found.mean), difference.margin - abs(found.mean))
    if distance <= 0:
        return None
    needed = seeds_for(distance, found.deviation, alpha, _POWER)
    return None if needed is None else max(1, needed - found.count)


def seeds_for(
    distance: float, deviation: float, alpha: float, power: float | None = None
) -> int | None:
    """So many seeds have an interval that reaches less than `distance` on either side.

    With `power`, it is that likely that the interval excludes what is that far away. None if that
    takes more than a hundred thousand.
    """

    def is_enough(count: int) -> bool:
        reach = student_t.critical(alpha / 2, count - 1)
        if power is not None:
            reach += student_t.critical(1 - power, count - 1)
        return reach * deviation / math.sqrt(count) < distance

    if not is_enough(_MOST_SEEDS):
        return None
    low, high = 1, 2
    while not is_enough(high):
        low, high = high, min(2 * high, _MOST_SEEDS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
