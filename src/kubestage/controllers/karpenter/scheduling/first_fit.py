"""Plain pods on the nodes of a cluster: each goes to the first that has room.

What `ExistingNodes` does for all pods, this does for plain ones without looking at anything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter.scheduling.results import PlacedOn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.scheduling.node_index import NodeIndex
    from kubestage.controllers.karpenter.scheduling.plain_shapes import PlainShape
    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod

_at_most: Final = int.__le__
_minus: Final = int.__sub__


class Fitted(NamedTuple):
    """The nodes that got pods, in their order, and the pods that no node has room for."""

    placed: list[PlacedOn]
    left: list[QueuedPod]


def place(
    index: NodeIndex,
    pods: Iterable[QueuedPod],
    missing: Collection[int],
    settling: Collection[int],
) -> Fitted:
    """Put pods on nodes, in the order of a queue; nodes are meant by their rows in the index.

    Settling nodes take only pods that may move there.
    """
    free: dict[int, list[int]] = {}
    taken: dict[int, list[Json]] = {}
    full: dict[PlainShape, int] = {}
    left = []
    for queued in pods:
        plain = queued.plain
        assert plain is not None
        fitting, requested = index.fitting(plain)
        # What is full stays full: pods of one shape need not look at it again.
        start = full.get(plain, 0)
        for position in range(start, len(fitting)):
            row = fitting[position]
            have = free.get(row)
            if row in missing or (have is not None and not all(map(_at_most, requested, have))):
                if position == start:
                    start = full[plain] = position + 1
                continue
            if row in settling and not queued.movable:
                continue
            if have is None:
                have = index.free[row].tolist()
            free[row] = list(map(_minus, have, requested))
            taken.setdefault(row, []).append(queued.pod)
            break
        else:
            left.append(queued)
    nodes = index.nodes
    return Fitted([PlacedOn(nodes[row].state, taken[row]) for row in sorted(taken)], left)
