"""How a histogram divides values: into buckets of one size, or of a size that grows."""

from __future__ import annotations

import math
from typing import Protocol

import msgspec

from kubestage.errors import InputError


class Buckets(Protocol):
    """A division of all values from zero up; the last bucket has no end."""

    @property
    def count(self) -> int:
        """How many buckets there are."""
        ...

    @property
    def epsilon(self) -> float:
        """A bucket that weighs less than this is empty."""
        ...

    def find(self, value: float) -> int:
        """The bucket of a value, or the nearest one."""
        ...

    def start(self, bucket: int) -> float:
        """The lower bound of a bucket."""
        ...


class LinearBuckets(msgspec.Struct, frozen=True):
    """Buckets of one size. The last one starts at or above `max_value`."""

    max_value: float
    bucket_size: float
    epsilon: float

    def __post_init__(self) -> None:
        if self.max_value <= 0 or self.bucket_size <= 0 or self.epsilon <= 0:
            raise InputError("maxValue and bucketSize must both be positive")

    @property
    def count(self) -> int:
        """How many buckets there are."""
        return math.ceil(self.max_value / self.bucket_size) + 1

    def find(self, value: float) -> int:
        """The bucket of a value, or the nearest one."""
        return min(max(int(value / self.bucket_size), 0), self.count - 1)

    def start(self, bucket: int) -> float:
        """The lower bound of a bucket."""
        return bucket * self.bucket_size


class ExponentialBuckets(msgspec.Struct, frozen=True):
    """Buckets each of which is `ratio` times as wide as the one before it."""

    max_value: float
    first_bucket_size: float
    ratio: float
    epsilon: float

    def __post_init__(self) -> None:
        sizes = (self.max_value, self.first_bucket_size, self.epsilon)
        if min(sizes) <= 0 or self.ratio <= 1:
            raise InputError(
                "maxValue, firstBucketSize and epsilon must be > 0.0, ratio must be > 1.0"
            )

    @property
    def count(self) -> int:
        """How many buckets there are."""
        return math.ceil(self._log(self.max_value)) + 1

    def find(self, value: float) -> int:
        """The bucket of a value, or the nearest one."""
        if value < self.first_bucket_size:
            return 0
        return min(int(self._log(value)), self.count - 1)

    def start(self, bucket: int) -> float:
        """The lower bound of a bucket."""
        if bucket == 0:
            return 0.0
        return self.first_bucket_size * (self.ratio**bucket - 1) / (self.ratio - 1)

    def _log(self, value: float) -> float:
        # In upstream's order of operations: it decides where a value on the brink falls.
        return math.log(value * (self.ratio - 1) / self.first_bucket_size + 1) / math.log(
            self.ratio
        )
