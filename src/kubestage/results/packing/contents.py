"""The nodes and pods of a cluster, as the measures read them."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.node_autoscaler import node_state
from kubestage.objects import gvk, node_pools, prices
from kubestage.objects.node_overlays import NODE_OVERLAY
from kubestage.objects.pod_resources import CPU, MEMORY
from kubestage.objects.prices import Prices
from kubestage.objects.spec_memo import SpecMemo
from kubestage.results.analysis import amounts, pod_state
from kubestage.results.life import workloads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.results.analysis.amounts import Amounts
    from kubestage.store.store import Store

GIB: Final = 1 << 30
RESOURCES: Final = (CPU, MEMORY)
NO_OWNER: Final = "(no owner)"
_OVER: Final = ("Succeeded", "Failed")
_MIRROR: Final = "kubernetes.io/config.mirror"


class PackedNode(NamedTuple):
    """A node: what it costs and offers."""

    name: str
    pool: str
    price: float | None
    offered: Amounts
    is_open: bool
    """Whether it takes pods: it is Ready, and not cordoned."""


class PackedPod(NamedTuple):
    """A pod: what it requests, and whose it is; `node` is empty while it is pending."""

    namespace: str
    workload: str
    node: str
    requested: Amounts
    is_daemon: bool
    """Whether every node has one: it is of a DaemonSet, or a mirror pod."""


class NodeUse(NamedTuple):
    """A node and the sums of what pods on it request."""

    node: PackedNode
    requested: Mapping[str, int]
    """Of all pods."""
    daemons: Mapping[str, int]
    """Of those that every node has."""

    def others(self, name: str) -> int:
        """What pods that are no daemons request of a resource."""
        return self.requested.get(name, 0) - self.daemons.get(name, 0)

    def free(self, name: str) -> int:
        """What no pod requests of a resource, at least zero."""
        return max(self.node.offered[name] - self.requested.get(name, 0), 0)


class Occupancy(NamedTuple):
    """What the measures need: sums by node, and the pod of median size."""

    uses: Sequence[NodeUse]
    median: Mapping[str, int]
    """The median of each resource over pods that are no daemons; empty without any."""


class Contents(NamedTuple):
    """All nodes and the pods that need a place."""

    nodes: Sequence[PackedNode]
    pods: Sequence[PackedPod]
    prices: Prices

    def by_node(self) -> dict[str, list[PackedPod]]:
        """The pods of each node; those of no node are left out."""
        found: dict[str, list[PackedPod]] = {node.name: [] for node in self.nodes}
        for pod in self.pods:
            if pod.node in found:
                found[pod.node].append(pod)
        return found

    def occupancy(self) -> Occupancy:
        """The sums by node, and the pod of median size."""
        by_node = self.by_node()
        asking = [pod.requested for pod in self.pods if not pod.is_daemon]
        median = {
            name: round(statistics.median(each[name] for each in asking))
            for name in (RESOURCES if asking else ())
        }
        return Occupancy([_use(node, by_node[node.name]) for node in self.nodes], median)


def of_store(store: Store) -> Contents:
    """What a cluster has now."""
    known = prices_of(store)
    nodes = [packed_node(node, known) for node in store.read(gvk.NODE).values()]
    owners = Owners(workloads.Workloads(store))
    placed, waiting = SpecMemo(amounts.of_pod), SpecMemo(amounts.of_pod)
    pods = [
        packed_pod(pod, owners, (placed if pod["spec"].get("nodeName") else waiting).of(pod))
        for pod in store.read(gvk.POD).values()
        if (pod.get("status") or {}).get("phase") not in _OVER
    ]
    return Contents(nodes, pods, known)


def prices_of(store: Store) -> Prices:
    """The prices of a cluster's NodeGroups and PriceCatalogs, under its NodeOverlays."""
    catalogs: Mapping[str, Json] = store.read(prices.PRICE_CATALOG)
    overlays: Mapping[str, Json] = store.read(NODE_OVERLAY)
    return Prices(store.read(prices.NODE_GROUP), catalogs.values(), overlays.values())


def base_value(of: Mapping[str, int]) -> float:
    """What resources are worth at the base prices: it divides the price of a node."""
    gpus = sum(of.get(name, 0) for name in node_state.GPUS)
    return of[CPU] / 1000 * prices.CORE + of[MEMORY] / GIB * prices.GIB + gpus * prices.GPU


def is_daemon(pod: Json) -> bool:
    """Whether every node has such a pod: it is of a DaemonSet, or a mirror pod."""
    owner = pod_state.controller_of(pod)
    if owner is not None and owner.get("kind") == "DaemonSet":
        return True
    return _MIRROR in ((pod.get("metadata") or {}).get("annotations") or {})


class Owners:
    """The workload of each pod; pods of one owner are looked up once."""

    def __init__(self, known: workloads.Workloads) -> None:
        self._known = known
        self._names: dict[str, str] = {}

    def name(self, pod: Json) -> str:
        """The topmost owner; one name for all pods of a namespace that have none."""
        namespace = pod["metadata"]["namespace"]
        owner = pod_state.controller_of(pod)
        if owner is None:
            return f"pod/{namespace}/{NO_OWNER}"
        found = self._names.get(owner["uid"])
        if found is None:
            found = self._names[owner["uid"]] = str(self._known.top(owner, namespace))
        return found


def packed_node(node: Json, known: Prices) -> PackedNode:
    """A node as it is, with its price."""
    spec = node.get("spec") or {}
    is_open = not spec.get("unschedulable") and _is_ready(node)
    name = pod_state.name_of(node)
    pool, price = node_pools.of(node), known.of_node(node)
    return PackedNode(name, pool, price, amounts.of_node(node), is_open)


def _is_ready(node: Json) -> bool:
    """Whether no condition says otherwise: a node without kubelet has none."""
    conditions = (node.get("status") or {}).get("conditions") or ()
    return all(each["status"] == "True" for each in conditions if each["type"] == "Ready")


def packed_pod(pod: Json, owners: Owners, requested: Amounts) -> PackedPod:
    """A pod as it is."""
    node = pod["spec"].get("nodeName") or ""
    namespace = pod["metadata"]["namespace"]
    return PackedPod(namespace, owners.name(pod), node, requested, is_daemon(pod))


def _use(node: PackedNode, pods: Iterable[PackedPod]) -> NodeUse:
    requested: Amounts = {}
    daemons: Amounts = {}
    for pod in pods:
        for name, amount in pod.requested.items():
            requested[name] = requested.get(name, 0) + amount
            if pod.is_daemon:
                daemons[name] = daemons.get(name, 0) + amount
    return NodeUse(node, requested, daemons)
