"""Means with confidence intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.statistics import samples, student_t

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL: Final = 0.95
"""The confidence level, unless another is chosen."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of a sample, and how sure it is.

    `deviation` is that of single values; None below two of them. `half_width` is how far the
    interval reaches on either side; None below two values, 0 if all are the same.
    """

    count: int
    level: float
    mean: float | None = None
    deviation: float | None = None
    half_width: float | None = None

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval: two values or more, and not all the same."""
        return bool(self.half_width)

    @property
    def low(self) -> float | None:
        """The lower end of the interval; None without one."""
        if self.mean is None or not self.half_width:
            return None
        return self.mean - self.half_width

    @property
    def high(self) -> float | None:
        """The upper end of the interval; None without one."""
        if self.mean is None or not self.half_width:
            return None
        return self.mean + self.half_width

    @property
    def note(self) -> str:
        """Why there is no interval; empty if there is one."""
        if not self.count:
            return "no value"
        if self.count == 1:
            return "one seed"
        return "" if self.has_interval else f"the same in {self.count} seeds"


def estimate(values: Sequence[float], level: float = LEVEL, scale: float | None = None) -> Estimate:
    """The mean of values and Student's interval around it."""
    count = len(values)
    if not count:
        return Estimate(count=0, level=level)
    if count == 1:
        return Estimate(count=1, level=level, mean=values[0])
    spread = samples.deviation(values, scale)
    reach = half_width(spread, count, level)
    centre = samples.mean(values)
    return Estimate(count=count, level=level, mean=centre, deviation=spread, half_width=reach)


def half_width(deviation: float, count: int, level: float) -> float:
    """How far the interval of a mean of `count` values reaches on either side."""
    if not deviation:
        return 0.0
    return student_t.critical((1 - level) / 2, count - 1) * deviation / math.sqrt(count)
