"""Quantiles: of values that are there, and of histograms by interpolating in a bucket."""

from __future__ import annotations

import bisect
import math
import sys
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.promql.frames import Flags, Floats

_TOLERANCE: Final = 1e-12
_MIN_NORMAL: Final = sys.float_info.min


def of_values(q: float, values: Sequence[float]) -> float:
    """A quantile of single values; between two of them it is weighted. NaN sorts first."""
    if not len(values) or math.isnan(q):
        return math.nan
    if q < 0:
        return -math.inf
    if q > 1:
        return math.inf
    ordered = sorted(values, key=_nan_first)
    rank = q * (len(ordered) - 1)
    lower = max(0, math.floor(rank))
    upper = min(len(ordered) - 1, lower + 1)
    weight = rank - math.floor(rank)
    return float(ordered[lower] * (1 - weight) + ordered[upper] * weight)


def _nan_first(value: float) -> tuple[bool, float]:
    return (False, 0.0) if math.isnan(value) else (True, value)


def of_buckets(q: float, buckets: Iterable[tuple[float, float]]) -> float:
    """A quantile of a histogram: upper bounds with the count up to each of them.

    The last bound has to be infinite. Counts that fall are lifted to those before them.
    """
    if math.isnan(q):
        return math.nan
    if q < 0:
        return -math.inf
    if q > 1:
        return math.inf
    bounds, counts = _ordered(buckets)
    if not bounds or bounds[-1] != math.inf or len(bounds) < 2:
        return math.nan
    observations = counts[-1]
    if observations == 0 or math.isnan(observations):
        return math.nan
    rank = q * observations
    at = bisect.bisect_left(counts, rank, 0, len(counts) - 1)
    if at == len(counts) - 1:
        return bounds[-2]
    if at == 0 and bounds[0] <= 0:
        return bounds[0]
    start = bounds[at - 1] if at else 0.0
    before = counts[at - 1] if at else 0.0
    inside = counts[at] - before
    return start + (bounds[at] - start) * ((rank - before) / inside if inside else math.nan)


def of_bucket_columns(q: Floats, bounds: list[float], counts: Floats) -> Floats:
    """As `of_buckets` for many times at once: a row for each bound, a column for each time."""
    order = sorted(range(len(bounds)), key=bounds.__getitem__)
    uppers = [bounds[row] for row in order]
    # Where a count is NaN, the result depends on which counts a binary search reads.
    is_odd = len(set(uppers)) < max(len(uppers), 2) or uppers[-1] != math.inf
    if is_odd or np.isnan(counts).any():
        columns = zip(q.tolist(), counts.T.tolist(), strict=True)
        return np.array([of_buckets(each, zip(bounds, row, strict=True)) for each, row in columns])
    risen = counts[order]
    for index in range(1, len(risen)):
        before, count = risen[index - 1], risen[index]
        risen[index] = np.where((count < before) | _are_almost(before, count), before, count)
    total = risen[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        rank = q * total
        at = np.sum(risen[:-1] < rank, axis=0)
        floor = np.array([0.0, *uppers[:-1]])[at]
        before = np.where(at > 0, risen[at - 1, np.arange(len(q))], 0.0)
        inside = risen[at, np.arange(len(q))] - before
        found = floor + (np.array(uppers)[at] - floor) * ((rank - before) / inside)
    found = np.where(at == len(uppers) - 1, uppers[-2], found)
    if uppers[0] <= 0:
        found = np.where(at == 0, uppers[0], found)
    found = np.where((total == 0) | np.isnan(total) | np.isnan(q), math.nan, found)
    return np.where(q < 0, -math.inf, np.where(q > 1, math.inf, found))


def _are_almost(a: Floats, b: Floats) -> Flags:
    """As `_is_almost`, for counts that are not both tiny."""
    total = np.abs(a) + np.abs(b)
    limit = np.where((a == 0) | (b == 0) | (total < _MIN_NORMAL), _MIN_NORMAL, total) * _TOLERANCE
    close: Flags = (np.abs(a - b) < limit) | (a == b)
    return close


def _ordered(buckets: Iterable[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Bounds and counts in order: equal bounds added up, counts never falling."""
    bounds: list[float] = []
    counts: list[float] = []
    for bound, count in sorted(buckets, key=_bound):
        if bounds and bounds[-1] == bound:
            counts[-1] += count
        else:
            bounds.append(bound)
            counts.append(count)
    for index in range(1, len(counts)):
        before, count = counts[index - 1], counts[index]
        if count < before or _is_almost(before, count):
            counts[index] = before
    return bounds, counts


def _bound(bucket: tuple[float, float]) -> float:
    return bucket[0]


def _is_almost(a: float, b: float) -> bool:
    """Whether two counts differ by rounding only."""
    if a == b:
        return True
    total, difference = abs(a) + abs(b), abs(a - b)
    if a == 0 or b == 0 or total < _MIN_NORMAL:
        return difference < _TOLERANCE * _MIN_NORMAL
    return difference / min(total, sys.float_info.max) < _TOLERANCE
