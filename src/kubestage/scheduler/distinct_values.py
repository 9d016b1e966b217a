"""Which values a column has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Ints


def distinct(values: Ints) -> Ints:
    """The values that there are, in order, each once.

    NOTE: `np.unique` is no faster, and loads numpy's masked arrays when first called: 8 ms.
    """
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
