"""NodePools with their types and the DaemonSets' pods, ready for scheduling until one changes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.karpenter import amounts, events, labels
from kubestage.controllers.karpenter.scheduling import (
    daemons,
    templates,
    topology_domains,
    volume_topology,
)
from kubestage.controllers.karpenter.scheduling.node_index import IndexedNode
from kubestage.controllers.karpenter.scheduling.plain_shapes import PlainShapes
from kubestage.controllers.karpenter.scheduling.pod_shapes import Shapes
from kubestage.controllers.karpenter.scheduling.queue import QueuedPod
from kubestage.controllers.karpenter.scheduling.templates import Template
from kubestage.controllers.karpenter.state import usage
from kubestage.objects.taints import PREFER_NO_SCHEDULE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Event
    from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering
    from kubestage.controllers.karpenter.scheduling.daemons import DaemonPod
    from kubestage.controllers.karpenter.scheduling.options import Options
    from kubestage.controllers.karpenter.scheduling.plain_nodes import PlainNodes
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState
    from kubestage.controllers.karpenter.state.objects import Objects
    from kubestage.controllers.karpenter.state.state_node import StateNode

# As many as the NodePools of a cluster need; those of clusters that are gone do not pile up.
_REMEMBERED: Final = 32

# Versions of pods that are out of date may be so many before they are forgotten.
_SPARE: Final = 1 << 12

_PASSING: Final = frozenset({"resourceVersion", "managedFields", "generation"})
"""Metadata of a NodePool that change when its status does."""


class PreparedPools:
    """What simulations need that nodes and pods do not change.

    `types` has the instance types by the names of the NodePools. What was worked out of a node or
    a pod is kept as long as simulations ask for it; `fruitless` is for those who ask.
    """

    def __init__(
        self,
        node_pools: Sequence[Json],
        types: Mapping[str, Sequence[InstanceType]],
        daemon_pods: Sequence[DaemonPod],
        options: Options,
    ) -> None:
        ordered = templates.order_by_weight(node_pools)
        self.options = options
        self.events: list[Event] = []
        self.by_name: dict[str, Json] = {each["metadata"]["name"]: each for each in ordered}
        self.tolerates_preferred = any(map(_prefers_no_pods, ordered))
        self._daemon_pods = daemon_pods
        self.templates = self._usable(ordered, types)
        self.domains = topology_domains.of_node_pools(node_pools, types)
        self.limits = {
            name: amounts.of(each["spec"].get("limits")) for name, each in self.by_name.items()
        }
        self.reserved = [
            offering for name in sorted(types) for offering in _reserved(tuple(types[name]))
        ]
        self.new_nodes: dict[object, PlainNodes | None] = {}
        self.fruitless: dict[object, Any] = {}
        self._shapes = Shapes(options)
        self._plain = PlainShapes(options, tolerate_prefer_no_schedule=self.tolerates_preferred)
        self._nodes: dict[int, IndexedNode] = {}
        self._queued: dict[int, QueuedPod] = {}
        self._queued_before: dict[int, QueuedPod] = {}

    def nodes_of(self, states: Sequence[StateNode]) -> list[IndexedNode]:
        """The nodes of a cluster as it is now; others, and pods that are gone, are forgotten."""
        known = self._nodes
        self._nodes = {
            id(each): known.get(id(each)) or IndexedNode(each, self._daemon_pods) for each in states
        }
        if len(self._queued) > _SPARE + 2 * sum(len(each.pods) for each in states):
            self._queued, self._queued_before = {}, self._queued
            self._shapes.forget()
        return list(self._nodes.values())

    def queued(self, pod: Json, objects: Objects) -> QueuedPod:
        """A pod to be placed; it is plain if its shape is and it mounts nothing that matters."""
        key = id(pod)
        known = self._queued.get(key) or self._queued_before.get(key)
        if known is None:
            shape = self._shapes.of(pod)
            volumes = pod["spec"].get("volumes") or ()
            if any(usage.claim_name(pod, each) is not None for each in volumes):
                terms = volume_topology.terms_of(pod, objects)
                mounted = usage.volumes_of(pod, objects)
                found = QueuedPod(pod, shape, mounted, terms or (), tracked=terms is not None)
                found.has_lost_volume = usage.has_lost_volume(pod, objects)
                return found
            known = QueuedPod(pod, shape, {}, ())
            known.plain = self._plain.of(shape)
        self._queued[key] = known
        return known

    def _usable(
        self, node_pools: Sequence[Json], types: Mapping[str, Sequence[InstanceType]]
    ) -> list[Template]:
        """The NodePools that allow any instance type, in their order."""
        found: list[tuple[Template, list[InstanceType]]] = []
        for node_pool in node_pools:
            own = templates.requirements_of(node_pool)
            offered = types.get(node_pool["metadata"]["name"], ())
            usable, by_min_values = templates.usable_types(own, offered, self.options)
            if usable:
                found.append((Template(node_pool, own, self.options), usable))
            else:
                self.events.append(_no_compatible_types(node_pool, by_min_values=by_min_values))
        for template, usable in found:
            template.fill(usable, self._daemon_pods)
        return [template for template, _ in found]


class PoolCache:
    """The newest `PreparedPools` of each set of options; nothing of it outlives a copy."""

    def __init__(self) -> None:
        self._known: dict[Options, tuple[object, PreparedPools]] = {}

    def __reduce__(self) -> tuple[type[PoolCache], tuple[()]]:
        return PoolCache, ()

    def of(
        self,
        cluster: ClusterState,
        node_pools: Sequence[Json],
        types: Mapping[str, Sequence[InstanceType]],
        options: Options,
    ) -> PreparedPools:
        """What is prepared for a cluster; as before if nothing has changed that matters."""
        pods = daemons.pods_of(cluster)
        key = (
            [_stated(each) for each in node_pools],
            {name: list(listed) for name, listed in types.items()},
            daemons.content_of(pods),
        )
        known = self._known.get(options)
        if known is None or known[0] != key:
            known = self._known[options] = key, PreparedPools(node_pools, types, pods, options)
        return known[1]


def _stated(node_pool: Json) -> Json:
    """A NodePool without what changes whenever nodes come and go."""
    metadata = {
        name: value for name, value in node_pool["metadata"].items() if name not in _PASSING
    }
    return {"metadata": metadata, "spec": node_pool["spec"]}


def _no_compatible_types(node_pool: Json, *, by_min_values: bool) -> Event:
    message = "NodePool requirements filtered out all compatible available instance types"
    if by_min_values:
        message += " due to minValues incompatibility"
    return events.about("NodePool", node_pool, "NoCompatibleInstanceTypes", message, events.WARNING)


@functools.lru_cache(maxsize=_REMEMBERED)
def _reserved(types: tuple[InstanceType, ...]) -> tuple[Offering, ...]:
    """The reserved offerings of instance types."""
    return tuple(
        offering
        for each in types
        for offering in each.offerings
        if offering.capacity_type == labels.RESERVED
    )


def _prefers_no_pods(node_pool: Json) -> bool:
    taints = node_pool["spec"]["template"]["spec"].get("taints") or ()
    return any(taint.get("effect") == PREFER_NO_SCHEDULE for taint in taints)
