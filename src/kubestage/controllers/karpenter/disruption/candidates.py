"""Nodes that may be disrupted, with what it costs to do so; and why others may not be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.controllers.karpenter import events, labels
from kubestage.controllers.karpenter.decisions import findings
from kubestage.controllers.karpenter.state import eviction_cost, pod_state

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.disruption.snapshot import Snapshot
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.controllers.karpenter.instance_types import InstanceType
    from kubestage.controllers.karpenter.state.disruption_limits import DisruptionLimits
    from kubestage.controllers.karpenter.state.state_node import StateNode

BLOCKED: Final = "DisruptionBlocked"


class Candidate(msgspec.Struct, frozen=True, eq=False):
    """A node that may be disrupted; `pods` are those that come again elsewhere."""

    node: StateNode
    node_pool: Json
    instance_type: InstanceType | None
    pods: list[Json]
    disruption_cost: float
    price: float
    reschedule_disruption_cost: float

    @property
    def name(self) -> str:
        """The name of the node."""
        return self.node.name

    @property
    def pool_name(self) -> str:
        """The name of its NodePool."""
        name: str = self.node_pool["metadata"]["name"]
        return name

    @property
    def node_claim(self) -> Json:
        """Its NodeClaim: a candidate has one."""
        assert self.node.node_claim is not None
        return self.node.node_claim

    @property
    def capacity_type(self) -> str:
        """How it is paid for."""
        return self.node.labels.get(labels.CAPACITY_TYPE) or ""

    @property
    def savings_ratio(self) -> float:
        """The price that is saved for each unit of disruption."""
        return self.price / self.reschedule_disruption_cost

    @property
    def is_static(self) -> bool:
        """Whether its NodePool has a fixed number of nodes."""
        return self.node_pool["spec"].get("replicas") is not None

    @property
    def is_empty(self) -> bool:
        """Whether no pod there costs anything to move."""
        return self.reschedule_disruption_cost <= eviction_cost.BASE

    @property
    def policy(self) -> str:
        """The consolidation policy of its NodePool."""
        stated: str = (self.node_pool["spec"].get("disruption") or {}).get(
            "consolidationPolicy"
        ) or ""
        return stated


class NodePools(NamedTuple):
    """NodePools by name, and the instance types of each by name; some have none."""

    by_name: dict[str, Json]
    types: dict[str, dict[str, InstanceType]]


def node_pools(context: Context) -> NodePools:
    """The NodePools as they are now."""
    found = NodePools({}, {})
    for node_pool in context.node_pools:
        name = node_pool["metadata"]["name"]
        found.by_name[name] = node_pool
        types = context.provider.types_of(node_pool)
        if types:
            found.types[name] = {each.name: each for each in types}
    return found


def find(
    context: Context, snapshot: Snapshot, publish: Publish, *, is_eventual: bool
) -> list[Candidate]:
    """All candidates, in the order of the nodes; events say why other nodes are none.

    With a termination grace period, eventual disruption disregards pods that do not want to go.
    """
    pools, limits = snapshot.pools, snapshot.limits
    found = []
    for node in snapshot.nodes:
        if node.provider_id in context.disrupting:
            _note(context, node, None, findings.UNDER_WAY)
            continue
        blocked = _why_not(node, context.now_ns, pools)
        if not blocked:
            problem = _pods_problem(node, limits, context.now_ns, publish)
            if not (is_eventual and has_grace_period(node)):
                blocked = problem
        candidate = None if blocked else _candidate(node, pools, context.now_ns)
        if not is_eventual:
            _note(context, node, candidate, blocked)
        if candidate is not None:
            found.append(candidate)
        elif node.node_claim is not None:
            publish_about(node, BLOCKED, blocked, publish)
    return found


def _note(context: Context, node: StateNode, candidate: Candidate | None, blocked: str) -> None:
    """Have it known that a node is a candidate, or why it is none."""
    if context.findings is None or node.node_claim is None:
        return
    if candidate is not None:
        context.findings.candidate(candidate)
    else:
        context.findings.blocked(node, context.now_ns, blocked)


def publish_about(node: StateNode, reason: str, message: str, publish: Publish) -> None:
    """An event about a Node, and one about its NodeClaim."""
    if node.node is not None:
        publish(events.about("Node", node.node, reason, message))
    if node.node_claim is not None:
        publish(events.about("NodeClaim", node.node_claim, reason, message))


def _why_not(node: StateNode, now_ns: int, pools: NodePools) -> str:
    """What keeps a node from being disrupted, apart from its pods."""
    if node.node_claim is None:
        return "Node isn't managed by karpenter"
    if node.node is None:
        return findings.NO_NODE
    if not node.initialized:
        return findings.NOT_INITIALIZED
    if node.marked_for_deletion:
        return findings.GOING
    if node.nominated(now_ns):
        return "Node is nominated for a pending pod"
    if node.annotations.get(labels.DO_NOT_DISRUPT) == "true":
        return f'Disruption is blocked through the "{labels.DO_NOT_DISRUPT}" annotation'
    if labels.NODE_POOL not in node.labels:
        return f"Node doesn't have required label (label={labels.NODE_POOL})"
    if node.node_pool not in pools.by_name or node.node_pool not in pools.types:
        return f"NodePool not found (NodePool={node.node_pool})"
    return ""


def _pods_problem(node: StateNode, limits: DisruptionLimits, now_ns: int, publish: Publish) -> str:
    """Which pod, or which budget, keeps a node from being disrupted."""
    if not node.has_protected_pods:
        blockers = limits.first_blockers(node.evictable_pods)
    else:
        for pod in node.pods:
            if not pod_state.is_disruptable(pod, now_ns, publish):
                return f'Pod has "{labels.DO_NOT_DISRUPT}" annotation (Pod={pod_state.key_of(pod)})'
        blockers = limits.blockers(node.pods, now_ns, publish)
    if len(blockers) > 1:
        shown = _shown(blockers)
        return f"Eviction does not support multiple PDBs (PodDisruptionBudget(s)={shown})"
    return (
        f"Pdb prevents pod evictions (PodDisruptionBudget={_shown(blockers)})" if blockers else ""
    )


def _shown(keys: Collection[str]) -> str:
    return f"[{' '.join(keys)}]"


def has_grace_period(node: StateNode) -> bool:
    """Whether pods that do not want to go are given up after some time."""
    claim = node.node_claim or {}
    return (claim.get("spec") or {}).get("terminationGracePeriod") is not None


def _candidate(node: StateNode, pools: NodePools, now_ns: int) -> Candidate:
    instance_type = pools.types[node.node_pool].get(node.labels.get(labels.INSTANCE_TYPE) or "")
    left = 1.0 if node.lifetime is None else node.lifetime.remaining(now_ns)
    return Candidate(
        node=node,
        node_pool=pools.by_name[node.node_pool],
        instance_type=instance_type,
        pods=node.reschedulable_pods,
        disruption_cost=node.total_eviction_cost * left,
        price=price_of(node, instance_type),
        reschedule_disruption_cost=node.reschedule_disruption_cost,
    )


def price_of(node: StateNode, instance_type: InstanceType | None) -> float:
    """What a node costs; nothing if its type, or its offering, is not known."""
    if instance_type is None:
        return 0.0
    zone, capacity_type = (
        node.labels.get(key) or "" for key in (labels.ZONE, labels.CAPACITY_TYPE)
    )
    found = instance_type.price(zone, capacity_type)
    return 0.0 if found is None or math.isnan(found) else found
