"""The real scheduler's choice among nodes, done plainly: build a max-heap, take its root.

The heap is built as Go's container/heap builds it, sifting down from the last parent to the
first; only a strictly better child changes places with its parent.
"""

from __future__ import annotations


def choose(totals: list[int]) -> int:
    """The position of the node that ends up at the root."""
    heap = list(range(len(totals)))
    for parent in reversed(range(len(heap) // 2)):
        _sift_down(heap, totals, parent)
    return heap[0]


def _sift_down(heap: list[int], totals: list[int], parent: int) -> None:
    while True:
        left, right = 2 * parent + 1, 2 * parent + 2
        if left >= len(heap):
            return
        child = left
        if right < len(heap) and totals[heap[right]] > totals[heap[left]]:
            child = right
        if totals[heap[child]] <= totals[heap[parent]]:
            return
        heap[parent], heap[child] = heap[child], heap[parent]
        parent = child
