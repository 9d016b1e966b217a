"""Histograms of usage, in which what is old weighs less and less.

Times are nanoseconds since 1970. Weights are floats, added up in upstream's order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.controllers.vpa.buckets import Buckets

YEAR_ONE_NS: Final = -62_135_596_800 * 1_000_000_000
"""The zero of Go's calendar: a time that was never set."""

_MAX_CHECKPOINT_WEIGHT: Final = 10_000
_MAX_DECAY_EXPONENT: Final = 100
_LONGEST_NS: Final = 2**63 - 1


def elapsed_ns(earlier_ns: int, after_ns: int) -> int:
    """From one time to another; nothing lasts longer than 292 years."""
    return max(-_LONGEST_NS - 1, min(after_ns - earlier_ns, _LONGEST_NS))


class HistogramCheckpoint(msgspec.Struct):
    """A histogram in few numbers: the heaviest bucket weighs 10,000, and light ones are dropped."""

    bucket_weights: dict[int, int] = msgspec.field(default_factory=dict)
    total_weight: float = 0.0
    reference_ns: int = YEAR_ONE_NS


class Histogram:
    """Weights of samples by bucket. `first` and `last` enclose the buckets that are not empty."""

    def __init__(self, buckets: Buckets) -> None:
        self.buckets = buckets
        self._epsilon = buckets.epsilon
        self._weights = [0.0] * buckets.count
        self._total = 0.0
        self._first = len(self._weights) - 1
        self._last = 0

    @property
    def is_empty(self) -> bool:
        """Whether no bucket has any weight to speak of."""
        return self._weights[self._first] < self._epsilon

    def add(self, value: float, weight: float, at_ns: int) -> None:
        """Add a sample."""
        del at_ns
        self._add(value, weight)

    def subtract(self, value: float, weight: float, at_ns: int) -> None:
        """Take a sample away that was added."""
        del at_ns
        self._subtract(value, weight)

    def _add(self, value: float, weight: float) -> None:
        bucket = self.buckets.find(value)
        self._weights[bucket] += weight
        self._total += weight
        if self._weights[bucket] >= self._epsilon:
            self._first = min(self._first, bucket)
            self._last = max(self._last, bucket)

    def _subtract(self, value: float, weight: float) -> None:
        bucket = self.buckets.find(value)
        self._total = self._less(self._total, weight)
        self._weights[bucket] = self._less(self._weights[bucket], weight)
        self._narrow()

    def _less(self, weight: float, taken: float) -> float:
        rest = weight - taken
        return 0.0 if rest < self._epsilon else rest

    def merge(self, other: Histogram) -> None:
        """Add all samples of another histogram of the same buckets."""
        assert self.buckets == other.buckets
        for bucket in range(other._first, other._last + 1):
            self._weights[bucket] += other._weights[bucket]
        self._total += other._total
        self._first = min(self._first, other._first)
        self._last = max(self._last, other._last)

    def percentile(self, fraction: float) -> float:
        """The end of the bucket at which this fraction of the weight is reached; 0 if empty."""
        if self.is_empty:
            return 0.0
        threshold, reached, bucket = fraction * self._total, 0.0, self._first
        while bucket < self._last:
            reached += self._weights[bucket]
            if reached >= threshold:
                break
            bucket += 1
        return self.buckets.start(min(bucket + 1, len(self._weights) - 1))

    def save(self) -> HistogramCheckpoint:
        """What a checkpoint keeps."""
        filled = range(self._first, self._last + 1)
        heaviest = max((self._weights[bucket] for bucket in filled), default=0.0)
        saved = HistogramCheckpoint(total_weight=self._total)
        if heaviest > 0:
            ratio = _MAX_CHECKPOINT_WEIGHT / heaviest
            for bucket in filled:
                weight = math.floor(self._weights[bucket] * ratio + 0.5)
                if weight > 0:
                    saved.bucket_weights[bucket] = weight
        return saved

    def load(self, checkpoint: HistogramCheckpoint) -> None:
        """Add what a checkpoint has kept."""
        total = checkpoint.total_weight
        if total < 0:
            raise InputError(f"cannot load checkpoint with negative weight {total}")
        for bucket in checkpoint.bucket_weights:
            if bucket >= len(self._weights):
                raise InputError(
                    f"checkpoint has bucket {bucket} that is exceeding histogram buckets "
                    f"{len(self._weights)}"
                )
            if bucket < 0:
                raise InputError(f"checkpoint has a negative bucket {bucket}")
        weights = sum(checkpoint.bucket_weights.values())
        if not weights:
            return
        ratio = total / weights
        for bucket, weight in checkpoint.bucket_weights.items():
            self._first = min(self._first, bucket)
            self._last = max(self._last, bucket)
            self._weights[bucket] += weight * ratio
        self._total += total
        self._narrow()

    def _narrow(self) -> None:
        weights, end = self._weights, len(self._weights) - 1
        while self._first < end and weights[self._first] < self._epsilon:
            self._first += 1
        while self._last > 0 and weights[self._last] < self._epsilon:
            self._last -= 1

    def _scale(self, factor: float) -> None:
        for bucket in range(self._first, self._last + 1):
            self._weights[bucket] *= factor
        self._total *= factor
        self._narrow()


class DecayingHistogram(Histogram):
    """A histogram in which a sample weighs half as much as one that is a half-life younger.

    Rather than that old samples lose weight, new ones weigh more: twice as much for each half-life
    since the reference, which is moved on before the weights grow too large.
    """

    def __init__(self, buckets: Buckets, half_life_ns: int) -> None:
        super().__init__(buckets)
        self.half_life_ns = half_life_ns
        self.reference_ns = YEAR_ONE_NS

    def add(self, value: float, weight: float, at_ns: int) -> None:
        """Add a sample of a time."""
        self._add(value, weight * self._factor(at_ns))

    def subtract(self, value: float, weight: float, at_ns: int) -> None:
        """Take a sample of a time away."""
        self._subtract(value, weight * self._factor(at_ns))

    def merge(self, other: Histogram) -> None:
        """Add all samples of another histogram; the older reference of the two is moved on."""
        assert isinstance(other, DecayingHistogram)
        assert self.half_life_ns == other.half_life_ns
        if self.reference_ns < other.reference_ns:
            self.shift(other.reference_ns)
        elif other.reference_ns < self.reference_ns:
            other.shift(self.reference_ns)
        super().merge(other)

    def save(self) -> HistogramCheckpoint:
        """What a checkpoint keeps."""
        saved = super().save()
        saved.reference_ns = self.reference_ns
        return saved

    def load(self, checkpoint: HistogramCheckpoint) -> None:
        """Add what a checkpoint has kept, and go on from its reference."""
        super().load(checkpoint)
        self.reference_ns = checkpoint.reference_ns

    def _factor(self, at_ns: int) -> float:
        if at_ns > self.reference_ns + self.half_life_ns * _MAX_DECAY_EXPONENT:
            self.shift(at_ns)
        return math.exp2(elapsed_ns(self.reference_ns, at_ns) / self.half_life_ns)

    def shift(self, to_ns: int) -> None:
        """Move the reference to the multiple of the half-life that is nearest to a time."""
        half_life_ns = self.half_life_ns
        rest_ns = (to_ns - YEAR_ONE_NS) % half_life_ns
        to_ns += half_life_ns - rest_ns if rest_ns * 2 >= half_life_ns else -rest_ns
        back = elapsed_ns(to_ns, self.reference_ns) / half_life_ns
        self._scale(math.ldexp(1.0, math.floor(back + 0.5)))
        self.reference_ns = to_ns
