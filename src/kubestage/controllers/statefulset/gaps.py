"""The ordinals in range that have no pod, however many there are to be."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator


class Gaps:
    """All ordinals from `start` to `end` that are not among the pods, and never a list of them.

    NOTE: a set may be to have two thousand million pods.
    """

    __slots__ = ("_end", "_pods", "_reopened", "_start", "_unseen")

    def __init__(self, pods: Container[int], start: int, end: int) -> None:
        self._pods = pods
        self._start = start
        self._end = end
        # Below this, all ordinals have pods but those that were reopened.
        self._unseen = start
        self._reopened: list[int] = []

    def reopen(self, ordinal: int) -> None:
        """The pod of an ordinal in range is gone."""
        if ordinal < self._unseen:
            heapq.heappush(self._reopened, ordinal)

    def first(self) -> int | None:
        """The first of them."""
        reopened, pods = self._reopened, self._pods
        while reopened and reopened[0] in pods:
            heapq.heappop(reopened)
        if reopened:
            return reopened[0]
        while self._unseen < self._end and self._unseen in pods:
            self._unseen += 1
        return self._unseen if self._unseen < self._end else None

    def last(self) -> int | None:
        """The last of them."""
        for ordinal in range(self._end - 1, self._start - 1, -1):
            if ordinal not in self._pods:
                return ordinal
        return None

    def __iter__(self) -> Iterator[int]:
        pods = self._pods
        return (ordinal for ordinal in range(self._start, self._end) if ordinal not in pods)

    def __contains__(self, ordinal: int) -> bool:
        return self._start <= ordinal < self._end and ordinal not in self._pods
