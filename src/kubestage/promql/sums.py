"""Sums without rounding errors, and the statistics that use them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kubestage.promql.frames import Flags, Floats


def total(values: Floats) -> float:
    """The exact sum, rounded once; infinite or NaN as IEEE would have it."""
    try:
        return math.fsum(values.tolist())
    except (OverflowError, ValueError):
        with np.errstate(invalid="ignore", over="ignore"):
            return float(np.sum(values))


def mean(values: Floats) -> float:
    """The average, also where the sum would be too large."""
    summed = total(values)
    if math.isinf(summed) and np.isfinite(values).all():
        return math.fsum((values / len(values)).tolist())
    return summed / len(values)


def variance(values: Floats) -> float:
    """The mean square of the distance from the mean, by Welford's way: none for equal values."""
    average, spread = 0.0, 0.0
    for count, value in enumerate(values.tolist(), 1):
        distance = value - average
        average += distance / count
        spread += distance * (value - average)
    return spread / len(values)


def columns(values: Floats, present: Flags) -> Floats:
    """The sum of each column, over the rows that are present (Neumaier's way)."""
    height, width = values.shape
    if width == 1:
        return np.array([total(values[present])])
    summed, lost = np.zeros(width), np.zeros(width)
    with np.errstate(invalid="ignore", over="ignore"):
        for row in range(height):
            value = np.where(present[row], values[row], 0.0)
            after = summed + value
            larger = np.abs(summed) >= np.abs(value)
            lost += np.where(larger, (summed - after) + value, (value - after) + summed)
            summed = after
        return np.where(np.isfinite(summed), summed + lost, summed)
