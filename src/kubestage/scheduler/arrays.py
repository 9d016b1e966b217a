"""Arrays over nodes: their types, and columns of values that many nodes share."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
Codes = np.ndarray[tuple[int], np.dtype[np.int32]]
Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]
Rows = slice | np.ndarray[tuple[int], np.dtype[np.int64]]
"""Some nodes: a slice of rows or their numbers, as an index into any column."""

ABSENT: Final = -1
"""The code of a label that a node does not carry."""

_V = TypeVar("_V", bound="Hashable")


@functools.lru_cache(maxsize=64)
def same(value: int, count: int) -> Ints:
    """One value for all of so many rows; shared, so not to be written to."""
    column = np.full(count, value, np.int64)
    column.setflags(write=False)
    return column


def as_run(rows: Ints) -> Rows:
    """The rows as a slice where they follow one another, which reads columns without copying.

    Only a part of the list of all rows (`sampling.all_rotated`) is known to run on; rows that
    were picked one by one may come in any order.
    """
    if rows.base is None or not len(rows):
        return rows
    first, end = int(rows[0]), int(rows[-1]) + 1
    return slice(first, end) if end - first == len(rows) else rows


@dataclasses.dataclass(slots=True)
class ValueColumn(Generic[_V]):
    """One property over all nodes: `codes` number its values, ABSENT where there is none.

    Nodes by the thousand share a few values, so what depends on the property alone is worked
    out once for each value and gathered by code.
    """

    codes: Codes
    values: list[_V]
    code_of: dict[_V, int]

    def encode(self, value: _V | None) -> int:
        """The number of a value, assigned when first seen."""
        if value is None:
            return ABSENT
        code = self.code_of.get(value)
        if code is None:
            code = self.code_of[value] = len(self.values)
            self.values.append(value)
        return code

    def take(self, rows: Ints) -> ValueColumn[_V]:
        """The column of some rows; numbers keep their meaning."""
        return ValueColumn(self.codes[rows], self.values, self.code_of)


LabelColumn = ValueColumn[str]
