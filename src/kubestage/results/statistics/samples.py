"""The values of a measure over several seeds, their mean and how much they vary."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

TOLERANCE: Final = 1e-12
"""Values that differ by less, as a share of them, are the same: sums of floating point numbers."""


class Sample(msgspec.Struct, frozen=True):
    """The values of a measure by seed.

    `failed` runs ended with an error; `missing` ones ended well, but have no such measure, or
    one that is no finite number.
    """

    values: dict[int, float]
    failed: int = 0
    missing: int = 0

    @property
    def runs(self) -> int:
        """All runs, with a value or without."""
        return len(self.values) + self.failed + self.missing


def mean(values: Sequence[float]) -> float:
    """The mean, of at least one value."""
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float], scale: float | None = None) -> float:
    """The standard deviation of a sample of at least two; 0 if rounding explains all of it.

    `scale` is how large the numbers were that these were computed from.
    """
    largest = max(abs(each) for each in values) if scale is None else scale
    if max(values) - min(values) <= TOLERANCE * largest:
        return 0.0
    centre = mean(values)
    return math.sqrt(math.fsum((each - centre) ** 2 for each in values) / (len(values) - 1))
