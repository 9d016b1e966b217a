"""Differences between two settings, paired by seed.

Two settings of one seed meet the same arrivals, failures and draws. Their difference is that of
the settings, and what the seed alone does to both cancels out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from kubestage.results.statistics import intervals, samples, student_t

if TYPE_CHECKING:
    from kubestage.results.statistics.intervals import Estimate
    from kubestage.results.statistics.samples import Sample


class Margin(msgspec.Struct, frozen=True):
    """How large a difference must be to matter: an amount, or a share of the reference's mean."""

    amount: float = 0.01
    is_share: bool = True

    def of(self, reference: float | None) -> float:
        """The margin as an amount, beside the mean of the reference."""
        return self.amount * abs(reference or 0.0) if self.is_share else self.amount

    def __str__(self) -> str:
        return f"{100 * self.amount:g}%" if self.is_share else f"{self.amount:g}"


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """How much more a setting has of a measure than the reference, seed by seed.

    `p_differs` is the probability of a difference like this one if there were none,
    `p_same` that of one as small as this if the true one were the margin; None with one seed.
    `unpaired` is how many values of either setting have no partner.
    """

    estimate: Estimate
    reference: float | None
    margin: float
    p_differs: float | None
    p_same: float | None
    unpaired: int = 0
    depends_on_seed: bool = True
    is_flat: bool = False
    """Whether neither setting varies with the seed, although the measure does in others."""

    @property
    def share(self) -> float | None:
        """The difference as a share of the reference's mean; None if that is 0."""
        mean = self.estimate.mean
        return None if mean is None or not self.reference else mean / abs(self.reference)


def difference(
    reference: Sample,
    other: Sample,
    margin: Margin,
    level: float = intervals.LEVEL,
    *,
    depends_on_seed: bool = True,
) -> Difference:
    """How much more `other` has than `reference`, over the seeds that both have."""
    seeds = [seed for seed in reference.values if seed in other.values]
    pairs = [(reference.values[seed], other.values[seed]) for seed in seeds]
    scale = max((max(abs(one), abs(two)) for one, two in pairs), default=0.0)
    found = intervals.estimate([two - one for one, two in pairs], level, scale)
    centre = samples.mean([one for one, _ in pairs]) if pairs else None
    beyond = margin.of(centre)
    is_flat = len(seeds) > 1 and not any(map(samples.deviation, zip(*pairs, strict=True)))
    chance = 0.0
    if depends_on_seed:
        chance = chance_of_constant(len(seeds), is_flat=is_flat)
    p_differs, p_same = _probabilities(found, beyond, scale, chance)
    return Difference(
        estimate=found,
        reference=centre,
        margin=beyond,
        p_differs=p_differs,
        p_same=p_same,
        unpaired=len(reference.values) + len(other.values) - 2 * len(seeds),
        depends_on_seed=depends_on_seed,
        is_flat=is_flat,
    )


def chance_of_constant(count: int, *, is_flat: bool) -> float:
    """How likely so many seeds have the same difference by chance.

    Student's formula has nothing to go by if nothing varies. The sign test has: so many seeds on
    one side. If neither setting varies, pairs say no more than single runs: the values of both
    could be exchanged in so many ways, and all but two would not part them like this.
    """
    if count < 2:
        return 1.0
    return 2.0 / math.comb(2 * count, count) if is_flat else 2.0 ** (1 - count)


def _probabilities(
    found: Estimate, margin: float, scale: float, chance: float
) -> tuple[float | None, float | None]:
    if found.mean is None or found.deviation is None:
        return None, None
    if not found.deviation:
        mean = 0.0 if abs(found.mean) <= samples.TOLERANCE * scale else found.mean
        return (chance if mean else 1.0), (chance if abs(mean) <= margin else 1.0)
    error = found.deviation / math.sqrt(found.count)
    freedom = found.count - 1
    differs = student_t.two_sided(found.mean / error, freedom)
    # Two one-sided tests: above the lower margin, and below the upper one.
    same = student_t.upper_tail((margin - abs(found.mean)) / error, freedom)
    return differs, same if margin else 1.0
