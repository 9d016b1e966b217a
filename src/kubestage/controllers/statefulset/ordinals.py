"""Sets of ordinals of which the first one matters."""

from __future__ import annotations

import heapq


class Ordinals:
    """A set whose smallest member is found without looking at all; or whose largest is."""

    __slots__ = ("_heap", "_members", "_sign")

    def __init__(self, *, largest_first: bool = False) -> None:
        self._sign = -1 if largest_first else 1
        self._members: set[int] = set()
        self._heap: list[int] = []

    def add(self, ordinal: int) -> None:
        """Put an ordinal in."""
        if ordinal not in self._members:
            self._members.add(ordinal)
            heapq.heappush(self._heap, self._sign * ordinal)

    def discard(self, ordinal: int) -> None:
        """Take an ordinal out if it is there; the heap forgets it when it comes up."""
        self._members.discard(ordinal)

    def first(self) -> int | None:
        """The first ordinal."""
        heap, members, sign = self._heap, self._members, self._sign
        while heap and sign * heap[0] not in members:
            heapq.heappop(heap)
        return sign * heap[0] if heap else None

    def in_order(self) -> list[int]:
        """All ordinals, the first one first."""
        return sorted(self._members, reverse=self._sign < 0)

    def __contains__(self, ordinal: int) -> bool:
        return ordinal in self._members

    def __bool__(self) -> bool:
        return bool(self._members)
