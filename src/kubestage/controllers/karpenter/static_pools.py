"""NodePools with a fixed number of nodes: how many are missing, and which are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter import amounts, events, labels
from kubestage.controllers.karpenter.state import eviction_cost, pod_state
from kubestage.objects import quantity

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState
    from kubestage.controllers.karpenter.state.state_node import StateNode

_UNLIMITED: Final = (1 << 63) - 1


class Counts(NamedTuple):
    """The NodeClaims of a NodePool: those that stay, and those on their way out."""

    active: int
    deleting: int


def replicas(node_pool: Json) -> int | None:
    """The fixed number of nodes; None if pods decide."""
    found: int | None = node_pool["spec"].get("replicas")
    return found


def counts(cluster: ClusterState, name: str) -> Counts:
    """How many NodeClaims a NodePool has."""
    deleting = 0
    claims = _claims(cluster, name)
    for claim in claims:
        node = cluster.node((claim.get("status") or {}).get("providerID") or "")
        deleting += node is not None and node.marked_for_deletion
    return Counts(len(claims) - deleting, deleting)


def within_limit(cluster: ClusterState, node_pool: Json, count: int) -> int:
    """How many of `count` new NodeClaims the limit on nodes allows; those that go still count."""
    stated = (node_pool["spec"].get("limits") or {}).get(amounts.NODES)
    most = _UNLIMITED if stated is None else quantity.value_of(stated)
    present = sum(counts(cluster, node_pool["metadata"]["name"]))
    return max(min(count, most - present), 0)


def to_provision(cluster: ClusterState, node_pool: Json) -> int:
    """How many NodeClaims are to be made."""
    desired = replicas(node_pool) or 0
    active = counts(cluster, node_pool["metadata"]["name"]).active
    return within_limit(cluster, node_pool, desired - active) if active < desired else 0


def to_deprovision(
    cluster: ClusterState, node_pool: Json, publish: Publish = events.ignore
) -> list[Json]:
    """The NodeClaims that are too many: those without a machine first, then empty nodes.

    Of the others those go first that no pod holds on to, and that cost least to disrupt.
    """
    name = node_pool["metadata"]["name"]
    count = counts(cluster, name).active - (replicas(node_pool) or 0)
    if count <= 0:
        return []
    unresolved = [
        claim
        for claim in _claims(cluster, name)
        if not (claim.get("status") or {}).get("providerID")
        and claim["metadata"].get("deletionTimestamp") is None
    ]
    nodes = [
        node
        for node in cluster.nodes()
        if node.node_pool == name and node.managed and not node.marked_for_deletion
    ]
    ranked = sorted(nodes, key=lambda node: _rank(node, cluster.now_ns, publish))
    resolved = [node.node_claim for node in ranked if node.node_claim is not None]
    return [*unresolved, *resolved][:count]


def _claims(cluster: ClusterState, name: str) -> list[Json]:
    return [
        claim
        for claim in cluster.objects.all("NodeClaim")
        if (claim["metadata"].get("labels") or {}).get(labels.NODE_POOL) == name
    ]


def _rank(node: StateNode, now_ns: int, publish: Publish) -> tuple[bool, bool, float]:
    pods = node.pods
    is_held = any(pod_state.is_protected(pod, now_ns, publish) for pod in pods)
    if all(map(pod_state.is_daemon, pods)) and not is_held:
        return False, False, 0.0
    assert node.node_claim is not None
    cost = 0.0
    for pod in pods:
        cost += eviction_cost.of(pod)
    return True, is_held, cost * eviction_cost.remaining_lifetime(node.node_claim, now_ns)
