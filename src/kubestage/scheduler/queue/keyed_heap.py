"""A heap of pods from which any pod can be taken by its key."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scheduler.queue.queued_pod import QueuedPod

Rank = tuple[int, ...]
_Entry = tuple[Rank, int, "QueuedPod", str]

_MAX_STALE: Final = 64
_MANY: Final = 64


class KeyedHeap:
    """Queued pods, least rank first.

    A pod that is taken out or ranked again leaves its old entry behind, stale, until that comes
    up or is swept out with others. Reading ahead sorts them once (`_sorted`, the first one
    last); those that come later go to a heap besides.
    """

    __slots__ = ("_entries", "_heap", "_last", "_sorted")

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._heap: list[_Entry] = []
        self._sorted: list[_Entry] = []
        self._last = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[QueuedPod]:
        """The pods in the order in which they came."""
        return (entry[2] for entry in self._entries.values())

    def put(self, key: str, rank: Rank, queued: QueuedPod) -> None:
        """Add a pod, or rank it again."""
        self._last += 1
        entry = self._entries[key] = rank, self._last, queued, key
        heappush(self._heap, entry)
        if len(self._heap) > 2 * len(self._entries) + _MAX_STALE:
            self._heap = list(self._entries.values())
            self._sorted.clear()
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
        if not self._entries:
            return None
        entry = self._first()
        return None if entry is None else (entry[0], entry[2])

    def pop(self) -> QueuedPod | None:
        """Take out the first pod."""
        if not self._entries:
            return None
        entry = self._first()
        if entry is None:
            return None
        if self._sorted and self._sorted[-1] is entry:
            self._sorted.pop()
        else:
            heappop(self._heap)
        del self._entries[entry[3]]
        return entry[2]

    def pop_if(self, queued: QueuedPod) -> bool:
        """Take out the first pod if it is this one; whether it is."""
        ahead, heap = self._sorted, self._heap
        if not ahead or ahead[-1][2] is not queued:
            return False
        entry = ahead[-1]
        if self._entries.get(entry[3]) is not entry or (heap and heap[0] < entry):
            return False
        ahead.pop()
        del self._entries[entry[3]]
        return True

    def ahead(self, count: int) -> list[QueuedPod]:
        """The first so many pods in order, left where they are."""
        if self._heap:
            nearest = self._sorted[-count] if len(self._sorted) >= count else None
            if nearest is None or self._heap[0] < nearest:
                self._sorted = sorted(self._entries.values(), reverse=True)
                self._heap.clear()
        entries = self._entries
        return [
            entry[2] for entry in reversed(self._sorted[-count:]) if entries.get(entry[3]) is entry
        ]

    def _first(self) -> _Entry | None:
        """The entry whose turn it is; stale ones before it are swept out."""
        entries, heap, ahead = self._entries, self._heap, self._sorted
        if not ahead and len(heap) > _MANY:
            # NOTE: most come in order, so that sorting them takes less than it does to take each
            # from a heap.
            ahead[:] = sorted(entries.values(), reverse=True)
            heap.clear()
        while ahead and entries.get(ahead[-1][3]) is not ahead[-1]:
            ahead.pop()
        while heap and entries.get(heap[0][3]) is not heap[0]:
            heappop(heap)
        if heap and not (ahead and ahead[-1] < heap[0]):
            return heap[0]
        return ahead[-1] if ahead else None
