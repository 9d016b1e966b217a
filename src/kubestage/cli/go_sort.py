"""Go's ``sort.Sort``: not stable, so that the order of equal elements is its own.

kubectl sorts with it. Up to a dozen elements are sorted by insertion, more of them by
pattern-defeating quicksort, which falls back to heapsort after too many bad pivots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Item = TypeVar("Item")

_INSERTION: Final = 12
_NINTHER: Final = 50
_MOST_SWAPS: Final = 12
_SHIFTS: Final = 5
_WORD: Final = (1 << 64) - 1


def sort(items: list[Item], less: Callable[[Item, Item], bool]) -> None:
    """Put items in order, in place."""
    _Sorting(items, less).quick(0, len(items), len(items).bit_length())


class _Sorting(Generic[Item]):
    """A list in the course of being sorted; ranges are from `low` up to, not including, `high`."""

    def __init__(self, items: list[Item], less: Callable[[Item, Item], bool]) -> None:
        self._items = items
        self._is_less = less

    def _less(self, left: int, right: int) -> bool:
        return self._is_less(self._items[left], self._items[right])

    def _swap(self, left: int, right: int) -> None:
        items = self._items
        items[left], items[right] = items[right], items[left]

    def quick(self, low: int, high: int, bad_pivots: int) -> None:
        """Sort a range; `bad_pivots` may be met before it is given up."""
        was_balanced = was_parted = True
        while (length := high - low) > _INSERTION:
            if not bad_pivots:
                self._heap(low, high)
                return
            if not was_balanced:
                self._break_patterns(low, length)
                bad_pivots -= 1
            pivot, swaps = self._choose_pivot(low, length)
            if swaps == _MOST_SWAPS:
                self._items[low:high] = self._items[low:high][::-1]
                pivot, swaps = high - 1 - (pivot - low), 0
            if was_balanced and was_parted and not swaps and self._nearly_sorted(low, high):
                return
            if low > 0 and not self._less(low - 1, pivot):
                low = self._part_equal(low, high, pivot)
                continue
            middle, was_parted = self._part(low, high, pivot)
            left, right = middle - low, high - middle
            was_balanced = min(left, right) >= length // 8
            if left < right:
                self.quick(low, middle, bad_pivots)
                low = middle + 1
            else:
                self.quick(middle + 1, high, bad_pivots)
                high = middle
        for end in range(low + 1, high):
            self._sink(end, low)

    def _sink(self, at: int, low: int) -> None:
        """Move an element to the left as long as it is less than its neighbour."""
        while at > low and self._less(at, at - 1):
            self._swap(at, at - 1)
            at -= 1

    def _part(self, low: int, high: int, pivot: int) -> tuple[int, bool]:
        """What is less than the pivot goes left of it; whether it was so already."""
        self._swap(low, pivot)
        left, right, was_parted = low + 1, high - 1, True
        while True:
            while left <= right and self._less(left, low):
                left += 1
            while left <= right and not self._less(right, low):
                right -= 1
            if left > right:
                self._swap(right, low)
                return right, was_parted
            was_parted = False
            self._swap(left, right)
            left, right = left + 1, right - 1

    def _part_equal(self, low: int, high: int, pivot: int) -> int:
        """What equals the pivot, than which nothing is less, goes left; where the rest begins."""
        self._swap(low, pivot)
        left, right = low + 1, high - 1
        while True:
            while left <= right and not self._less(low, left):
                left += 1
            while left <= right and self._less(low, right):
                right -= 1
            if left > right:
                return left
            self._swap(left, right)
            left, right = left + 1, right - 1

    def _nearly_sorted(self, low: int, high: int) -> bool:
        """Sort a range in which few elements are out of place; whether that was so."""
        at = low + 1
        for _ in range(_SHIFTS):
            while at < high and not self._less(at, at - 1):
                at += 1
            if at == high:
                return True
            if high - low < _NINTHER:
                return False
            self._swap(at, at - 1)
            if at - low >= 2:
                self._sink(at - 1, 0)
            if high - at >= 2:
                for right in range(at + 1, high):
                    if not self._less(right, right - 1):
                        break
                    self._swap(right, right - 1)
        return False

    def _break_patterns(self, low: int, length: int) -> None:
        """Scatter three elements around the middle; the numbers come from the length alone."""
        number, mask = length, (1 << length.bit_length()) - 1
        middle = low + length // 4 * 2 - 1
        for offset in (-1, 0, 1):
            number ^= number << 13 & _WORD
            number ^= number >> 7
            number ^= number << 17 & _WORD
            other = number & mask
            self._swap(middle + offset, low + (other - length if other >= length else other))

    def _choose_pivot(self, low: int, length: int) -> tuple[int, int]:
        """A median, and how many pairs on the way to it were out of order."""
        places, swaps = [low + length // 4 * part for part in (1, 2, 3)], 0
        if length >= _NINTHER:
            for index, at in enumerate(places):
                places[index], more = self._median(at - 1, at, at + 1)
                swaps += more
        pivot, more = self._median(*places)
        return pivot, swaps + more

    def _median(self, first: int, second: int, third: int) -> tuple[int, int]:
        swaps = 0
        if self._less(second, first):
            first, second, swaps = second, first, swaps + 1
        if self._less(third, second):
            second, third, swaps = third, second, swaps + 1
        if self._less(second, first):
            first, second, swaps = second, first, swaps + 1
        return second, swaps

    def _heap(self, low: int, high: int) -> None:
        size = high - low
        for root in range((size - 1) // 2, -1, -1):
            self._sift_down(root, size, low)
        for end in range(size - 1, -1, -1):
            self._swap(low, low + end)
            self._sift_down(0, end, low)

    def _sift_down(self, root: int, size: int, low: int) -> None:
        while (child := 2 * root + 1) < size:
            if child + 1 < size and self._less(low + child, low + child + 1):
                child += 1
            if not self._less(low + root, low + child):
                return
            self._swap(low + root, low + child)
            root = child
