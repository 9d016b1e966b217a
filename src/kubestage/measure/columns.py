"""Columns of numbers that take no more memory than the numbers."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

_WHOLE: Final = "q"


class Nanoseconds(array):  # type: ignore[type-arg] # no generic before Python 3.12
    """Times, 8 bytes each; equal to any list of the same numbers.

    NOTE: three lists of integers for each of 180,000 pods were 50 MB at the end of a load with
    5,000 nodes (benchmarks/load.py).
    """

    __slots__ = ()
    __hash__ = None  # as that of a list

    def __new__(cls, numbers: Iterable[int] = ()) -> Self:
        """A column of these numbers."""
        column: Self = super().__new__(cls, _WHOLE, numbers)  # type: ignore[assignment]
        return column

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (list, array)) and self.tolist() == list(other)
