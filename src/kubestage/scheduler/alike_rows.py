"""Which rows have the same numbers in several columns at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.scheduler.arrays import Ints

_WIDEST: Final = 1 << 31


def alike(parts: Iterable[Ints], count: int) -> tuple[Ints, Ints]:
    """One row of each sort, and the sort of each of `count` rows, counted from 0.

    NOTE: the numbers of a row are made one as digits are, which takes half the time of finding
    tuples apart (400 rows, two columns in which they differ: 27 us, not 60 us).
    """
    joined: Ints = np.zeros(count, np.int64)
    spread = 1
    for part in parts if count else ():
        low = int(part.min())
        digits, width = part - low, int(part.max()) - low + 1
        if width == 1:
            continue
        # What would grow too large is numbered anew.
        if width > _WIDEST:
            firsts, digits = _sorted_out(part)
            width = len(firsts)
        if spread * width > _WIDEST:
            firsts, joined = _sorted_out(joined)
            spread = len(firsts)
        joined = joined * width + digits
        spread *= width
    return _sorted_out(joined)


def _sorted_out(values: Ints) -> tuple[Ints, Ints]:
    """The first place of each value, in the order of values, and which of them is at each place.

    NOTE: `np.unique` is no faster, and loads numpy's masked arrays when first called: 8 ms.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    sorts = np.empty(len(ordered), np.int64)
    sorts[order] = np.cumsum(is_first) - 1
    return order[is_first], sorts
