"""Histograms of durations whose buckets are a fixed fraction of an octave wide.

Whole numbers only, so the order in which durations are counted is of no consequence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def bucket_count(sub_bits: int, value_bits: int) -> int:
    """How many buckets there are for values of so many bits, with 2**sub_bits to an octave."""
    return (value_bits - sub_bits + 1) << sub_bits


def buckets_of(values: NDArray[np.int64], sub_bits: int) -> NDArray[np.int64]:
    """The bucket of each value. Values up to two octaves of buckets have one of their own."""
    exponents = np.frexp(values.astype(np.float64))[1].astype(np.int64)
    shifts = np.maximum(exponents - (sub_bits + 1), 0)
    found: NDArray[np.int64] = (shifts << sub_bits) + (values >> shifts)
    return found


def middle_of(bucket: int, sub_bits: int) -> float:
    """The value in the middle of a bucket."""
    shift = max((bucket >> sub_bits) - 1, 0)
    low = (bucket - (shift << sub_bits)) << shift
    return low + ((1 << shift) - 1) / 2


def percentiles(
    counts: NDArray[np.int64], percents: Sequence[int], sub_bits: int, first: int = 0
) -> list[float] | None:
    """The value below which each so many percent are, to the width of a bucket; None for none.

    `first` is the bucket of the first count.
    """
    sums = np.cumsum(counts, dtype=np.int64)
    total = int(sums[-1]) if len(sums) else 0
    if not total:
        return None
    ranks = [max(-(-total * percent // 100), 1) for percent in percents]
    return [middle_of(first + int(bucket), sub_bits) for bucket in np.searchsorted(sums, ranks)]
