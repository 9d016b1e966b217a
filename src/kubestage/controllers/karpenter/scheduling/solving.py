"""Sets up simulations for pods on a cluster, and runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import amounts, events
from kubestage.controllers.karpenter.scheduling import first_fit
from kubestage.controllers.karpenter.scheduling.existing_nodes import ExistingNodes
from kubestage.controllers.karpenter.scheduling.node_index import NodeIndex
from kubestage.controllers.karpenter.scheduling.options import Placeholders
from kubestage.controllers.karpenter.scheduling.plain_nodes import PlainNodes
from kubestage.controllers.karpenter.scheduling.prepared_pools import PoolCache
from kubestage.controllers.karpenter.scheduling.queue import PodQueue, order_of
from kubestage.controllers.karpenter.scheduling.reservations import Reservations
from kubestage.controllers.karpenter.scheduling.results import Results
from kubestage.controllers.karpenter.scheduling.simulation import Simulation
from kubestage.controllers.karpenter.scheduling.topology import Topology
from kubestage.controllers.karpenter.scheduling.topology_index import TopologyIndex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.scheduling.first_fit import Fitted
    from kubestage.controllers.karpenter.scheduling.options import Options
    from kubestage.controllers.karpenter.scheduling.prepared_pools import PreparedPools
    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState
    from kubestage.controllers.karpenter.state.state_node import StateNode

# New nodes for the pods of a few nodes come up again and again; those for hundreds do not.
_REMEMBERED_PODS: Final = 64
_REMEMBERED: Final = 1 << 13


class Prepared:
    """What all simulations over one state of a cluster share; it is void when the cluster changes.

    NOTE: where all pods are plain, a simulation asks each node for room only, and looks up new
    nodes that it has made before: a round of consolidation does little else
    (`benchmarks/karpenter_day.py`). `Simulation` finds the same, for any pods.
    """

    def __init__(self, cluster: ClusterState, pools: PreparedPools) -> None:
        self._cluster = cluster
        self._pools = pools
        self._states = cluster.nodes()
        self._nodes = NodeIndex(pools.nodes_of(self._states))
        self._leaving = [node for node in self._states if node.marked_for_deletion]
        self._going = {node.name for node in self._leaving}
        self._settling_rows = self._settling() if pools.options.consolidating else frozenset()
        self._topology = TopologyIndex(cluster, pools.domains, pools.options)
        self._limits = self._limits_left()
        # The pods that were looked up, by identity: as they cannot change, neither can that.
        self._plain: dict[int, QueuedPod] = {}

    @property
    def pools(self) -> PreparedPools:
        """The NodePools."""
        return self._pools

    def fit(self, pods: Sequence[Json], missing: Sequence[StateNode]) -> Fitted | None:
        """Which nodes plain pods would go to, if some were not there; None if pods are not plain.

        The others need new nodes.
        """
        if self._topology.repelling:
            return None
        queued = self._all_queued(pods)
        if any(each.plain is None for each in queued):
            return None
        position_of = self._nodes.position_of
        rows = {position_of[id(node)] for node in missing}
        queued.sort(key=order_of)
        return first_fit.place(self._nodes, queued, rows, self._settling_rows)

    def need(self, left: Sequence[QueuedPod], missing: Sequence[StateNode]) -> object:
        """What new nodes for plain pods that no node has room for depend on."""
        return self._stated_limits(missing), tuple([each.plain for each in left])

    def solve(
        self,
        pods: Sequence[Json],
        missing: Sequence[StateNode],
        *,
        placeholders: Placeholders | None = None,
        publish: Publish = events.ignore,
        fitted: Fitted | None = None,
    ) -> Results:
        """Where pods would go, if these nodes of the cluster were not there.

        `fitted` is what `fit` has found out about them.
        """
        for each in self._pools.events:
            publish(each)
        placeholders = Placeholders() if placeholders is None else placeholders
        if fitted is None:
            fitted = self.fit(pods, missing)
        if fitted is not None:
            found = self._solve_plainly(fitted, missing, placeholders)
            if found is not None:
                return found
        queued = self._all_queued(pods)
        gone = set(map(id, missing))
        staying = [node for node in self._states if id(node) not in gone]
        existing = ExistingNodes(self._nodes, staying, self._settling_rows)
        return self._simulate(queued, existing, missing, staying, placeholders)

    def _solve_plainly(
        self,
        fitted: Fitted,
        missing: Sequence[StateNode],
        placeholders: Placeholders,
    ) -> Results | None:
        """Where plain pods would go; None if some of them would go nowhere."""
        claims: list[NewNodeClaim] = []
        if fitted.left:
            found = self._new_nodes(fitted.left, missing)
            if found is None:
                return None
            placeholders.last += found.placeholders
            claims = found.for_pods(fitted.left)
        return Results(claims, fitted.placed)

    def _new_nodes(
        self, queued: Sequence[QueuedPod], missing: Sequence[StateNode]
    ) -> PlainNodes | None:
        """New nodes for plain pods, in the order of a queue; None if some would get none."""
        key = self.need(queued, missing)
        known = self._pools.new_nodes
        if key in known:
            return known[key]
        names = Placeholders()
        none = ExistingNodes(self._nodes, ())
        found = self._simulate(queued, none, missing, (), names)
        made = None
        if not found.pod_errors:
            made = PlainNodes(found.new_node_claims, queued, names.last)
        if len(queued) <= _REMEMBERED_PODS:
            if len(known) >= _REMEMBERED:
                known.clear()
            known[key] = made
        return made

    def _simulate(
        self,
        queued: Sequence[QueuedPod],
        existing: ExistingNodes,
        missing: Sequence[StateNode],
        staying: Sequence[StateNode],
        placeholders: Placeholders,
    ) -> Results:
        pools = self._pools
        topology = Topology(self._topology, queued, missing)
        topology.register_hosts(frozenset(node.hostname for node in staying))
        simulation = Simulation(
            existing,
            pools.templates,
            topology,
            self._limits_without(missing),
            Reservations(pools.reserved),
            placeholders,
            pools.options,
            tolerate_prefer_no_schedule=pools.tolerates_preferred,
        )
        return simulation.run(PodQueue(queued))

    def _all_queued(self, pods: Sequence[Json]) -> list[QueuedPod]:
        known = self._plain.get
        return [known(id(pod)) or self._queued(pod) for pod in pods]

    def _queued(self, pod: Json) -> QueuedPod:
        found = self._pools.queued(pod, self._cluster.objects)
        if self._settling_rows:
            is_pending = (pod.get("status") or {}).get("phase") == "Pending"
            found.movable = is_pending or (pod["spec"].get("nodeName") or "") in self._going
        if found.plain is not None:
            self._plain[id(pod)] = found
        return found

    def _settling(self) -> frozenset[int]:
        """The rows of the nodes that changed too recently to get pods of other nodes."""
        pools, now_ns = self._pools.by_name, self._cluster.now_ns
        return frozenset(
            row
            for row, node in enumerate(self._nodes.nodes)
            if node.is_settling(pools.get(node.state.node_pool), now_ns)
        )

    def _stated_limits(self, missing: Sequence[StateNode]) -> tuple[object, ...]:
        """The limits that there are, if some nodes are not there."""
        if not any(self._limits.values()):
            return ()
        limits = self._limits_without(missing).values()
        return tuple(tuple(each.items()) for each in limits if each)

    def _limits_left(self) -> dict[str, Amounts]:
        """What NodePools may still have beside their nodes, which count with all their capacity."""
        left = {name: dict(limits) for name, limits in self._pools.limits.items()}
        if any(left.values()):
            for node in self._states:
                if left.get(node.node_pool):
                    left[node.node_pool] = amounts.subtracted(left[node.node_pool], node.capacity)
        return left

    def _limits_without(self, missing: Sequence[StateNode]) -> dict[str, Amounts]:
        """What NodePools may have if some of their nodes are not there."""
        left = {name: dict(limits) for name, limits in self._limits.items()}
        for node in missing:
            of_pool = left.get(node.node_pool)
            if of_pool:
                capacity = node.capacity
                left[node.node_pool] = {
                    name: amount + capacity.get(name, 0) for name, amount in of_pool.items()
                }
        return left


def solve(
    cluster: ClusterState,
    pods: Sequence[Json],
    node_pools: Sequence[Json],
    types: Mapping[str, Sequence[InstanceType]],
    options: Options,
    *,
    missing: Sequence[StateNode],
    placeholders: Placeholders | None = None,
    publish: Publish = events.ignore,
    cache: PoolCache | None = None,
) -> Results:
    """One simulation; who needs several over the same cluster keeps a `Prepared`."""
    cache = PoolCache() if cache is None else cache
    prepared = Prepared(cluster, cache.of(cluster, node_pools, types, options))
    return prepared.solve(pods, missing, placeholders=placeholders, publish=publish)
