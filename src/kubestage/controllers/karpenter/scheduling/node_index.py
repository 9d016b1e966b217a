"""The nodes of a cluster in their order, with what is free on them as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.conditions import consolidation
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements import requirements as requirement_sets
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling import tolerance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.scheduling.daemons import DaemonPod
    from kubestage.controllers.karpenter.scheduling.plain_shapes import PlainShape
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.state.state_node import StateNode
    from kubestage.objects.taints import Taint

    Mask = npt.NDArray[np.bool_]
    Integers = npt.NDArray[np.int64]

_LARGEST: Final = 1 << 61
_LONG_AGO: Final = -(1 << 62)


class IndexedNode:
    """A node as it is before a pass, and what is free on it beside what DaemonSets want.

    NodePools are those of one `PreparedPools`.
    """

    __slots__ = (
        "_accepted",
        "_daemon_pods",
        "_free",
        "_settles_ns",
        "_vector",
        "requirements",
        "state",
        "taints",
    )

    def __init__(self, state: StateNode, daemon_pods: Sequence[DaemonPod]) -> None:
        host = requirement.new(labels.HOSTNAME, requirement.IN, (state.hostname,))
        self.state = state
        self.taints = tolerance.taints_of(state.taints)
        self.requirements = requirement_sets.of_labels(state.labels).plus(Requirements([host]))
        self._daemon_pods = daemon_pods
        self._free: Amounts | None = None
        self._settles_ns: int | None = None
        self._accepted: dict[PlainShape, bool] = {}
        self._vector: tuple[tuple[str, ...], list[int]] | None = None

    def free_of(self, resources: tuple[str, ...]) -> list[int]:
        """What is free of some resources, in their order."""
        if self._vector is None or self._vector[0] != resources:
            self._vector = resources, vector(self.free, resources)
        return self._vector[1]

    @property
    def free(self) -> Amounts:
        """What is free before the pass."""
        if self._free is None:
            self._free = self._left()
        return self._free

    def accepts(self, shape: PodShape) -> bool:
        """Whether taints and labels suit a pod."""
        plain = shape.plain
        if plain is None:
            return accepts(self.taints, self.requirements, shape)
        known = self._accepted.get(plain)
        if known is None:
            known = self._accepted[plain] = accepts(self.taints, self.requirements, shape)
        return known

    def is_settling(self, node_pool: Json | None, now_ns: int) -> bool:
        """Whether something has happened there too recently to put pods of other nodes there."""
        if self._settles_ns is None:
            settles_ns = None
            claim = self.state.node_claim
            if node_pool is not None and claim is not None:
                settles_ns = consolidation.settles_ns(node_pool, claim)
            self._settles_ns = _LONG_AGO if settles_ns is None else settles_ns
        return now_ns < self._settles_ns

    @property
    def may_mount(self) -> bool:
        """Whether the volumes that are mounted leave room for pods at all."""
        limits, mounted = self.state.volume_limits, self.state.volumes
        return not limits or all(
            len(mounted.get(driver, ())) <= limit for driver, limit in limits.items()
        )

    def _left(self) -> Amounts:
        own = requirement_sets.of_labels(self.state.labels)
        suiting = [each.pod for each in self._daemon_pods if each.suits_node(self.taints, own)]
        missing = amounts.requests_of(suiting)
        for name, amount in self.state.daemon_requests.items():
            missing[name] = missing.get(name, 0) - amount
        kept = {name: max(amount, 0) for name, amount in missing.items()}
        return amounts.subtracted(self.state.available, kept)


class NodeIndex:
    """Made once for all passes over one state of the cluster; initialized nodes come first."""

    def __init__(self, nodes: Iterable[IndexedNode]) -> None:
        self.nodes = sorted(nodes, key=lambda each: (not each.state.initialized, each.state.name))
        self.position_of = {id(each.state): row for row, each in enumerate(self.nodes)}
        self.resources = tuple(sorted(set().union(*[each.free for each in self.nodes])))
        rows = [each.free_of(self.resources) for each in self.nodes]
        self.free: Integers = np.array(rows, dtype=np.int64)
        self.free = self.free.reshape(len(rows), len(self.resources))
        self._sound = ~np.logical_or.reduce(self.free < 0, axis=1)
        self._accepting: dict[PodShape, Mask] = {}
        self._requests_of: dict[PodShape, Integers | None] = {}
        self._fitting: dict[PlainShape, tuple[list[int], list[int]]] = {}

    def accepting(self, shape: PodShape) -> Mask:
        """The nodes whose taints and labels suit a pod; one that is overdrawn takes none."""
        known = self._accepting.get(shape)
        if known is None:
            answers = [node.accepts(shape) for node in self.nodes]
            known = self._accepting[shape] = np.array(answers, dtype=np.bool_) & self._sound
        return known

    def fitting(self, plain: PlainShape) -> tuple[list[int], list[int]]:
        """The rows of the nodes that take a plain pod before the pass, and what it requests."""
        known = self._fitting.get(plain)
        if known is None:
            known = self._fitting[plain] = self._rows_for(plain)
        return known

    def _rows_for(self, plain: PlainShape) -> tuple[list[int], list[int]]:
        requested = self.requests_of(plain.shape)
        if requested is None or not self.nodes:
            return [], []
        fits = self.accepting(plain.shape) & (self.free >= requested).all(axis=1)
        rows = [row for row in np.flatnonzero(fits).tolist() if self.nodes[row].may_mount]
        return rows, requested.tolist()

    def requests_of(self, shape: PodShape) -> Integers | None:
        """What a pod requests, in the order of the columns; None if no node has all of that."""
        if shape not in self._requests_of:
            unknown = (shape.amounts[name] for name in shape.amounts if name not in self.resources)
            self._requests_of[shape] = (
                None if any(amount > 0 for amount in unknown) else self._requests(shape)
            )
        return self._requests_of[shape]

    def _requests(self, shape: PodShape) -> Integers:
        return np.array(vector(shape.amounts, self.resources), dtype=np.int64)


def vector(amounts_of: Amounts, resources: Iterable[str]) -> list[int]:
    """Amounts of some resources, in their order."""
    get = amounts_of.get
    return [max(min(get(name, 0), _LARGEST), -_LARGEST) for name in resources]


def accepts(taints: tuple[Taint, ...], requirements: Requirements, shape: PodShape) -> bool:
    """Whether a node of these taints and requirements suits a pod."""
    return requirements.is_compatible(shape.requirements) and tolerance.tolerates(
        taints, shape.tolerations
    )
