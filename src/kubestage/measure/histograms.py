"""Histograms of cumulative buckets, and the quantiles that are interpolated in them."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.measure.facilities import Sample

_LE = "le"


class Histogram(msgspec.Struct):
    """How often a value was at most each bound: bounds as text, counts cumulative."""

    labels: dict[str, str] = msgspec.field(default_factory=dict)
    buckets: dict[str, int] = msgspec.field(default_factory=dict)

    def add(self, sample: Sample) -> None:
        """Count one row of a ``..._bucket`` metric into its bucket; NaN counts nothing."""
        bound = sample.labels.get(_LE, "")
        count = int(sample.value) if math.isfinite(sample.value) else 0
        self.buckets[bound] = self.buckets.get(bound, 0) + count

    def quantile(self, q: float) -> float:
        """Linear between the bounds of the bucket in which it lies; NaN if nothing is known.

        A bound that is not a number is an InputError.
        """
        bounds = sorted((_bound(text), count) for text, count in self.buckets.items())
        if not bounds or bounds[-1][0] != math.inf:
            bounds.append((math.inf, bounds[-1][1] if bounds else 0))
        return _quantile(q, [upper for upper, _ in bounds], [count for _, count in bounds])

    def to_json(self) -> dict[str, Any]:
        """As it is written in summaries."""
        return {
            "labels": {key: self.labels[key] for key in sorted(self.labels)},
            "buckets": {key: self.buckets[key] for key in sorted(self.buckets)},
        }


def _bound(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} is not a bound of a bucket", path=_LE) from None


def gathered(samples: list[Sample]) -> list[Histogram]:
    """Rows of a ``..._bucket`` metric as histograms, one for each set of other labels."""
    found: dict[tuple[tuple[str, str], ...], Histogram] = {}
    for sample in samples:
        labels = {key: each for key, each in sample.labels.items() if key != _LE}
        histogram = found.setdefault(tuple(sorted(labels.items())), Histogram(labels))
        histogram.add(sample)
    return list(found.values())


def _quantile(q: float, uppers: list[float], counts: list[int]) -> float:
    if q < 0:
        return -math.inf
    if q > 1:
        return math.inf
    if len(uppers) < 2:
        return math.nan
    rank = q * counts[-1]
    last = len(uppers) - 1
    index = bisect_left(counts, rank, 0, last)
    if index == 0:
        return uppers[0] * (rank / counts[0]) if counts[0] else math.nan
    if index == last:
        return uppers[last - 1]
    below, size = counts[index - 1], uppers[index] - uppers[index - 1]
    return uppers[index - 1] + size * ((rank - below) / (counts[index] - below))
