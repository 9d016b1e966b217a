"""The nodes that a pass may use: the first that has room for a pod takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.controllers.karpenter.scheduling import node_index
from kubestage.controllers.karpenter.scheduling.existing_node import ExistingNode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import numpy.typing as npt

    from kubestage.controllers.karpenter.scheduling.node_index import NodeIndex
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod
    from kubestage.controllers.karpenter.scheduling.topology import Ownership, Topology
    from kubestage.controllers.karpenter.state.state_node import StateNode


class ExistingNodes:
    """Some nodes of an index, with what this pass takes from them.

    Settling nodes (by their rows in the index) take only pods that wait, or whose node goes anyway.
    """

    def __init__(
        self,
        index: NodeIndex,
        states: Iterable[StateNode],
        settling: Collection[int] = (),
    ) -> None:
        positions = sorted(index.position_of[id(state)] for state in states)
        self._index = index
        self._settling = settling
        self._positions = np.array(positions, dtype=np.intp)
        self._free = index.free[self._positions]
        self._accepting: dict[PodShape, npt.NDArray[np.bool_]] = {}
        self._used: dict[int, ExistingNode] = {}

    @property
    def used(self) -> list[ExistingNode]:
        """The nodes that got pods, in their order."""
        return [self._used[row] for row in sorted(self._used) if self._used[row].pods]

    def place(self, pod: QueuedPod, shape: PodShape, owned: Ownership, topology: Topology) -> bool:
        """Put the pod on the first node that takes it; whether there is one."""
        requested = self._index.requests_of(shape)
        if requested is None or pod.has_lost_volume or not len(self._positions):
            return False
        accepting = self._accepting.get(shape)
        if accepting is None:
            accepting = self._accepting[shape] = self._accepts(shape)
        fitting = accepting & (self._free >= requested).all(axis=1)
        for row in np.flatnonzero(fitting).tolist():
            node = self._node(row)
            if not pod.movable and self._positions[row] in self._settling:
                continue
            requirements = node.can_add(pod, shape, owned, topology)
            if requirements is not None:
                self._free[row] -= requested
                is_changed = node.requirements != requirements
                node.add(pod, shape, owned, topology, requirements)
                if is_changed:
                    self._review(row, node)
                return True
        return False

    def _accepts(self, shape: PodShape) -> npt.NDArray[np.bool_]:
        found = self._index.accepting(shape)[self._positions]
        for row, node in self._used.items():
            found[row] = node_index.accepts(node.taints, node.requirements, shape)
        return found

    def _review(self, row: int, node: ExistingNode) -> None:
        """A label that a pod wants not to have a value counts as known from now on."""
        for shape, accepting in self._accepting.items():
            accepting[row] = node_index.accepts(node.taints, node.requirements, shape)

    def _node(self, row: int) -> ExistingNode:
        known = self._used.get(row)
        if known is None:
            known = self._used[row] = ExistingNode(self._index.nodes[self._positions[row]])
        return known
