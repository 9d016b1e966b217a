"""A heap of pods from which any pod can be taken by its key."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scheduler.queue.queued_pod import QueuedPod

Rank = tuple[int, ...]
_Entry = tuple[Rank, int, "QueuedPod", str]

_STALE_KEPT: Final = 64


class KeyedHeap:
    """Queued pods, least rank first.

    A pod that is taken out or ranked anew leaves its old entry behind, stale, until that comes
    up or is swept out with others.
    """

    __slots__ = ("_entries", "_heap", "_last")

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._heap: list[_Entry] = []
        self._last = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[QueuedPod]:
        """The pods in the order in which they came."""
        return (entry[2] for entry in self._entries.values())

    def put(self, key: str, rank: Rank, queued: QueuedPod) -> None:
        """Add a pod, or rank it anew."""
        self._last += 1
        entry = self._entries[key] = rank, self._last, queued, key
        heappush(self._heap, entry)
        if len(self._heap) > 2 * len(self._entries) + _STALE_KEPT:
            self._heap = list(self._entries.values())
            heapify(self._heap)

    def get(self, key: str) -> QueuedPod | None:
        """The pod of a key."""
        entry = self._entries.get(key)
        return None if entry is None else entry[2]

    def take(self, key: str) -> QueuedPod | None:
        """Take out the pod of a key."""
        entry = self._entries.pop(key, None)
        return None if entry is None else entry[2]

    def peek(self) -> tuple[Rank, QueuedPod] | None:
        """The first pod with its rank, left where it is."""
        while self._heap:
            entry = self._heap[0]
            if self._entries.get(entry[3]) is entry:
                return entry[0], entry[2]
            heappop(self._heap)
        return None

    def pop(self) -> QueuedPod | None:
        """Take out the first pod."""
        while self._heap:
            entry = heappop(self._heap)
            if self._entries.get(entry[3]) is entry:
                del self._entries[entry[3]]
                return entry[2]
        return None
