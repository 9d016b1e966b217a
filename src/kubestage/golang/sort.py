"""Go's `sort.Slice`, step for step, since it is not stable.

Items that compare as equal are a tie, and results that users see (a victim of preemption) are
decided by where the sort leaves them. Up to twelve items Go sorts by insertion; more go
through a quicksort that watches for patterns and whose few random swaps are seeded by the length.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_T = TypeVar("_T")

_MAX_INSERTION: Final = 12
_MIN_BREAKABLE: Final = 8
_MIN_NINTHER: Final = 50
_MIN_SHIFTING: Final = 50
_MAX_SHIFTS: Final = 5
_ALL_SWAPPED: Final = 12
_WORD: Final = (1 << 64) - 1


class _Hint(enum.Enum):
    UNKNOWN = enum.auto()
    INCREASING = enum.auto()
    DECREASING = enum.auto()


def in_order(items: Sequence[_T], less: Callable[[_T, _T], bool]) -> list[_T]:
    """The items as `sort.Slice` leaves them; `less` need not even be consistent."""
    run = _Run(list(items), less)
    run.sort(0, len(run.items), len(items).bit_length())
    return run.items


class _Run(Generic[_T]):
    """One sort under way, on positions of `items`."""

    def __init__(self, items: list[_T], less: Callable[[_T, _T], bool]) -> None:
        self.items = items
        self._less_of = less
        self._swaps = 0

    def sort(self, start: int, end: int, limit: int) -> None:
        """Sort a range; after `limit` bad pivots heapsort takes over."""
        balanced = partitioned = True
        while end - start > _MAX_INSERTION:
            length = end - start
            if limit == 0:
                self._heap_sort(start, end)
                return
            if not balanced:
                self._break_patterns(start, length)
                limit -= 1
            pivot, hint = self._choose_pivot(start, length)
            if hint is _Hint.DECREASING:
                self.items[start:end] = self.items[start:end][::-1]
                pivot, hint = end - 1 - (pivot - start), _Hint.INCREASING
            hopeful = balanced and partitioned and hint is _Hint.INCREASING
            if hopeful and self._finish_by_shifting(start, end):
                return
            if start > 0 and not self._less(start - 1, pivot):
                start = self._partition_equal(start, end, pivot)
                continue
            middle, partitioned = self._partition(start, end, pivot)
            left, right = middle - start, end - middle
            balanced = min(left, right) >= length // 8
            if left < right:
                self.sort(start, middle, limit)
                start = middle + 1
            else:
                self.sort(middle + 1, end, limit)
                end = middle
        self._insertion_sort(start, end)

    def _less(self, one: int, other: int) -> bool:
        return self._less_of(self.items[one], self.items[other])

    def _swap(self, one: int, other: int) -> None:
        items = self.items
        items[one], items[other] = items[other], items[one]

    def _insertion_sort(self, start: int, end: int) -> None:
        for place in range(start + 1, end):
            at = place
            while at > start and self._less(at, at - 1):
                self._swap(at, at - 1)
                at -= 1

    def _heap_sort(self, start: int, end: int) -> None:
        length = end - start
        for root in range((length - 1) // 2, -1, -1):
            self._sift_down(root, length, start)
        for last in range(length - 1, -1, -1):
            self._swap(start, start + last)
            self._sift_down(0, last, start)

    def _sift_down(self, root: int, end: int, first: int) -> None:
        while (child := 2 * root + 1) < end:
            if child + 1 < end and self._less(first + child, first + child + 1):
                child += 1
            if not self._less(first + root, first + child):
                return
            self._swap(first + root, first + child)
            root = child

    def _break_patterns(self, start: int, length: int) -> None:
        """Scatter three items around the middle."""
        if length < _MIN_BREAKABLE:
            return
        number, mask = length, (1 << length.bit_length()) - 1
        middle = start + length // 4 * 2
        for at in range(middle - 1, middle + 2):
            number ^= number << 13 & _WORD
            number ^= number >> 7
            number ^= number << 17 & _WORD
            other = number & mask
            self._swap(at, start + (other - length if other >= length else other))

    def _choose_pivot(self, start: int, length: int) -> tuple[int, _Hint]:
        """The median of three places, or of three medians; the swaps it took hint at order."""
        quarter = length // 4
        places = [start + quarter, start + quarter * 2, start + quarter * 3]
        self._swaps = 0
        if length >= _MIN_NINTHER:
            places = [self._median(place - 1, place, place + 1) for place in places]
        pivot = self._median(*places)
        if self._swaps == 0:
            return pivot, _Hint.INCREASING
        return pivot, _Hint.DECREASING if self._swaps == _ALL_SWAPPED else _Hint.UNKNOWN

    def _median(self, low: int, middle: int, high: int) -> int:
        low, middle = self._ordered(low, middle)
        middle, _ = self._ordered(middle, high)
        return self._ordered(low, middle)[1]

    def _ordered(self, low: int, high: int) -> tuple[int, int]:
        if self._less(high, low):
            self._swaps += 1
            return high, low
        return low, high

    def _finish_by_shifting(self, start: int, end: int) -> bool:
        """Put a few items of an almost sorted range right; whether it is sorted then."""
        at = start + 1
        for _ in range(_MAX_SHIFTS):
            while at < end and not self._less(at, at - 1):
                at += 1
            if at == end:
                return True
            if end - start < _MIN_SHIFTING:
                return False
            self._swap(at, at - 1)
            if at - start >= 2:
                self._shift(range(at - 1, 0, -1))
            if end - at >= 2:
                self._shift(range(at + 1, end))
        return False

    def _shift(self, places: range) -> None:
        for place in places:
            if not self._less(place, place - 1):
                return
            self._swap(place, place - 1)

    def _partition(self, start: int, end: int, pivot: int) -> tuple[int, bool]:
        """Less than the pivot to its left, the rest to its right; whether it was so already."""
        self._swap(start, pivot)
        left, right = start + 1, end - 1
        untouched = True
        while True:
            while left <= right and self._less(left, start):
                left += 1
            while left <= right and not self._less(right, start):
                right -= 1
            if left > right:
                break
            untouched = False
            self._swap(left, right)
            left, right = left + 1, right - 1
        self._swap(right, start)
        return right, untouched

    def _partition_equal(self, start: int, end: int, pivot: int) -> int:
        """Those equal to the pivot first; where the greater ones begin."""
        self._swap(start, pivot)
        left, right = start + 1, end - 1
        while True:
            while left <= right and not self._less(start, left):
                left += 1
            while left <= right and self._less(start, right):
                right -= 1
            if left > right:
                return left
            self._swap(left, right)
            left, right = left + 1, right - 1
