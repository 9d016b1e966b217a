"""Plain pods on the nodes of a cluster: each goes to the first that has room.

What `ExistingNodes` does for all pods, this does for plain ones without looking at anything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers.karpenter.scheduling.results import PlacedOn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.scheduling.node_index import NodeIndex
    from kubestage.controllers.karpenter.scheduling.plain_shapes import PlainShape
    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod


class Fitted(NamedTuple):
    """The nodes that got pods, in their order, and the pods that no node has room for."""

    placed: list[PlacedOn]
    left: list[QueuedPod]


class FirstFit:
    """One pass; rows are those of the index."""

    def __init__(
        self, index: NodeIndex, missing: Collection[int], settling: Collection[int]
    ) -> None:
        self._index = index
        self._missing = missing
        self._settling = settling
        self._free: dict[int, list[int]] = {}
        self._requests: dict[PlainShape, list[int]] = {}
        self._pods: dict[int, list[Json]] = {}
        self._full: dict[PlainShape, int] = {}

    def place(self, pods: Iterable[QueuedPod]) -> Fitted:
        """Put pods on nodes, in the order of a queue."""
        left = [queued for queued in pods if not self._put(queued)]
        nodes = self._index.nodes
        placed = [PlacedOn(nodes[row].state, self._pods[row]) for row in sorted(self._pods)]
        return Fitted(placed, left)

    def _put(self, queued: QueuedPod) -> bool:
        plain = queued.plain
        assert plain is not None
        fitting = self._index.fitting(plain)
        # What is full stays full: pods of one shape need not look at it again.
        start = self._full.get(plain, 0)
        for position in range(start, len(fitting)):
            row = fitting[position]
            if row in self._missing or (row in self._free and not self._fits(row, plain)):
                if position == start:
                    start = self._full[plain] = position + 1
                continue
            if row in self._settling and not queued.movable:
                continue
            self._take(row, plain)
            self._pods.setdefault(row, []).append(queued.pod)
            return True
        return False

    def _fits(self, row: int, plain: PlainShape) -> bool:
        return all(map(int.__le__, self._requests_of(plain), self._free[row]))

    def _take(self, row: int, plain: PlainShape) -> None:
        free = self._free.get(row)
        if free is None:
            free = self._index.free[row].tolist()
        requested = self._requests_of(plain)
        self._free[row] = [have - want for have, want in zip(free, requested, strict=True)]

    def _requests_of(self, plain: PlainShape) -> list[int]:
        known = self._requests.get(plain)
        if known is None:
            vector = self._index.requests_of(plain.shape)
            assert vector is not None
            known = self._requests[plain] = vector.tolist()
        return known
