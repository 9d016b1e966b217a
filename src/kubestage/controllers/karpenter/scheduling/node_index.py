"""The nodes of a cluster in their order, with what is free on them as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements import requirements as requirement_sets
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling import tolerance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.scheduling.daemons import DaemonPod
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.state.state_node import StateNode
    from kubestage.objects.taints import Taint

    Mask = npt.NDArray[np.bool_]
    Integers = npt.NDArray[np.int64]

_LARGEST: Final = 1 << 61


class IndexedNode(NamedTuple):
    """A node as it is before a pass."""

    state: StateNode
    taints: tuple[Taint, ...]
    requirements: Requirements

    def accepts(self, shape: PodShape) -> bool:
        """Whether taints and labels suit a pod."""
        return accepts(self.taints, self.requirements, shape)


class NodeIndex:
    """Made once for all passes over one state of the cluster; initialized nodes come first."""

    def __init__(self, states: Iterable[StateNode], daemon_pods: Sequence[DaemonPod]) -> None:
        ordered = sorted(states, key=lambda node: (not node.initialized, node.name))
        self.nodes = [_indexed(state) for state in ordered]
        self.position_of = {id(state): position for position, state in enumerate(ordered)}
        rows = [_free(node, daemon_pods) for node in self.nodes]
        self._resources = sorted({name for row in rows for name in row})
        self.free: Integers = np.array([self._vector(row) for row in rows], dtype=np.int64)
        self.free = self.free.reshape(len(rows), len(self._resources))
        self._sound = ~np.logical_or.reduce(self.free < 0, axis=1)
        self._accepting: dict[PodShape, Mask] = {}
        self._requests_of: dict[PodShape, Integers | None] = {}

    def accepting(self, shape: PodShape) -> Mask:
        """The nodes whose taints and labels suit a pod; one that is overdrawn takes none."""
        known = self._accepting.get(shape)
        if known is None:
            answers = [node.accepts(shape) for node in self.nodes]
            known = self._accepting[shape] = np.array(answers, dtype=np.bool_) & self._sound
        return known

    def requests_of(self, shape: PodShape) -> Integers | None:
        """What a pod requests, in the order of the columns; None if no node has all of that."""
        if shape not in self._requests_of:
            unknown = (shape.amounts[name] for name in shape.amounts if name not in self._resources)
            self._requests_of[shape] = (
                None if any(amount > 0 for amount in unknown) else self._requests(shape)
            )
        return self._requests_of[shape]

    def _requests(self, shape: PodShape) -> Integers:
        return np.array(self._vector(shape.amounts), dtype=np.int64)

    def _vector(self, resources: Amounts) -> list[int]:
        get = resources.get
        return [max(min(get(name, 0), _LARGEST), -_LARGEST) for name in self._resources]


def accepts(taints: tuple[Taint, ...], requirements: Requirements, shape: PodShape) -> bool:
    """Whether a node of these taints and requirements suits a pod."""
    return requirements.is_compatible(shape.requirements) and tolerance.tolerates(
        taints, shape.tolerations
    )


def _indexed(state: StateNode) -> IndexedNode:
    host = requirement.new(labels.HOSTNAME, requirement.IN, (state.hostname,))
    own = requirement_sets.of_labels(state.labels).plus(Requirements([host]))
    return IndexedNode(state, tolerance.taints_of(state.taints), own)


def _free(node: IndexedNode, daemon_pods: Iterable[DaemonPod]) -> Amounts:
    """What is free, without what DaemonSets still want there."""
    own = requirement_sets.of_labels(node.state.labels)
    suiting = [each.pod for each in daemon_pods if each.suits_node(node.taints, own)]
    missing = amounts.requests_of(suiting)
    for name, amount in node.state.daemon_requests.items():
        missing[name] = missing.get(name, 0) - amount
    kept = {name: max(amount, 0) for name, amount in missing.items()}
    return amounts.subtracted(node.state.available, kept)
