"""Sets up simulations for pods on a cluster, and runs them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import amounts, events, labels
from kubestage.controllers.karpenter.conditions import consolidation
from kubestage.controllers.karpenter.scheduling import (
    daemons,
    templates,
    topology_domains,
    volume_topology,
)
from kubestage.controllers.karpenter.scheduling.existing_nodes import ExistingNodes
from kubestage.controllers.karpenter.scheduling.node_index import NodeIndex
from kubestage.controllers.karpenter.scheduling.options import Placeholders
from kubestage.controllers.karpenter.scheduling.pod_shapes import Shapes
from kubestage.controllers.karpenter.scheduling.queue import PodQueue, QueuedPod
from kubestage.controllers.karpenter.scheduling.reservations import Reservations
from kubestage.controllers.karpenter.scheduling.simulation import Simulation
from kubestage.controllers.karpenter.scheduling.templates import Template
from kubestage.controllers.karpenter.scheduling.topology import Topology
from kubestage.controllers.karpenter.scheduling.topology_index import TopologyIndex
from kubestage.controllers.karpenter.state import usage
from kubestage.objects.taints import PREFER_NO_SCHEDULE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.events import Event, Publish
    from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering
    from kubestage.controllers.karpenter.scheduling.daemons import DaemonPod
    from kubestage.controllers.karpenter.scheduling.options import Options
    from kubestage.controllers.karpenter.scheduling.results import Results
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState
    from kubestage.controllers.karpenter.state.state_node import StateNode


# As many as the NodePools of a cluster need; those of clusters that are gone do not pile up.
_REMEMBERED: Final = 32


class Prepared:
    """What all simulations over one state of a cluster share; it is void when the cluster changes.

    `types` has the instance types by the names of the NodePools.
    """

    def __init__(
        self,
        cluster: ClusterState,
        node_pools: Sequence[Json],
        types: Mapping[str, Sequence[InstanceType]],
        options: Options,
    ) -> None:
        ordered = templates.order_by_weight(node_pools)
        daemon_pods = daemons.pods_of(cluster)
        self._cluster = cluster
        self._options = options
        self._shapes = Shapes(options)
        self._events: list[Event] = []
        self._templates = self._usable(ordered, types, daemon_pods)
        self._states = cluster.nodes()
        self._nodes = NodeIndex(self._states, daemon_pods)
        self._going = {node.name for node in self._states if node.marked_for_deletion}
        self._settling = self._settling_nodes(ordered) if options.consolidating else frozenset()
        domains = topology_domains.of_node_pools(node_pools, types)
        self._topology = TopologyIndex(cluster, domains, options)
        self._limits = {
            each["metadata"]["name"]: amounts.of(each["spec"].get("limits")) for each in ordered
        }
        self._reserved = [
            offering for name in sorted(types) for offering in _reserved(tuple(types[name]))
        ]
        self._tolerate = any(map(_prefers_no_pods, ordered))

    def solve(
        self,
        pods: Sequence[Json],
        state_nodes: Sequence[StateNode],
        *,
        placeholders: Placeholders | None = None,
        publish: Publish = events.ignore,
    ) -> Results:
        """Where pods would go, if only these nodes of the cluster were there."""
        for each in self._events:
            publish(each)
        queued = [self._queued(pod) for pod in pods]
        kept = set(map(id, state_nodes))
        missing = [node for node in self._states if id(node) not in kept]
        topology = Topology(self._topology, queued, missing)
        for node in state_nodes:
            topology.register_host(node.hostname)
        simulation = Simulation(
            ExistingNodes(self._nodes, state_nodes, self._settling),
            self._templates,
            topology,
            self._limits_without(state_nodes),
            Reservations(self._reserved),
            Placeholders() if placeholders is None else placeholders,
            self._options,
            tolerate_prefer_no_schedule=self._tolerate,
        )
        return simulation.run(PodQueue(queued))

    def _queued(self, pod: Json) -> QueuedPod:
        objects, spec = self._cluster.objects, pod["spec"]
        terms = volume_topology.terms_of(pod, objects) if spec.get("volumes") else ()
        is_pending = (pod.get("status") or {}).get("phase") == "Pending"
        return QueuedPod(
            pod,
            self._shapes.of(pod),
            usage.volumes_of(pod, objects) if spec.get("volumes") else {},
            terms or (),
            tracked=terms is not None,
            movable=is_pending or (spec.get("nodeName") or "") in self._going,
        )

    def _usable(
        self,
        node_pools: Sequence[Json],
        types: Mapping[str, Sequence[InstanceType]],
        daemon_pods: Sequence[DaemonPod],
    ) -> list[Template]:
        """The NodePools that allow any instance type, in their order."""
        found: list[tuple[Template, list[InstanceType]]] = []
        for node_pool in node_pools:
            own = templates.requirements_of(node_pool)
            offered = types.get(node_pool["metadata"]["name"], ())
            usable, by_min_values = templates.usable_types(own, offered, self._options)
            if usable:
                found.append((Template(node_pool, own, self._options), usable))
            else:
                self._events.append(_no_compatible_types(node_pool, by_min_values=by_min_values))
        for template, usable in found:
            template.fill(usable, daemon_pods)
        return [template for template, _ in found]

    def _settling_nodes(self, node_pools: Sequence[Json]) -> frozenset[str]:
        """The nodes that changed too recently to get pods of other nodes."""
        pools = {each["metadata"]["name"]: each for each in node_pools}
        now_ns = self._cluster.now_ns
        return frozenset(
            node.name
            for node in self._states
            if consolidation.is_under_consolidate_after(
                pools.get(node.node_pool), node.node_claim, now_ns
            )
        )

    def _limits_without(self, state_nodes: Sequence[StateNode]) -> dict[str, Amounts]:
        """What NodePools may still have, their nodes counted with all their capacity."""
        left = {name: dict(limits) for name, limits in self._limits.items()}
        if any(left.values()):
            for node in state_nodes:
                if left.get(node.node_pool):
                    left[node.node_pool] = amounts.subtracted(left[node.node_pool], node.capacity)
        return left


def solve(
    cluster: ClusterState,
    pods: Sequence[Json],
    node_pools: Sequence[Json],
    types: Mapping[str, Sequence[InstanceType]],
    options: Options,
    *,
    state_nodes: Sequence[StateNode],
    placeholders: Placeholders | None = None,
    publish: Publish = events.ignore,
) -> Results:
    """One simulation; who needs several over the same cluster keeps a `Prepared`."""
    prepared = Prepared(cluster, node_pools, types, options)
    return prepared.solve(pods, state_nodes, placeholders=placeholders, publish=publish)


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
