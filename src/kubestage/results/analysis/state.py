"""The cluster as the timeline describes it: nodes, pods, placements, pending pods.

Each change costs the same, however large the cluster is: sums are updated, not computed again.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.objects.prices import Prices
from kubestage.results.analysis import amounts, pod_state, pricing
from kubestage.results.analysis.pod_state import PodState

with lazy.imports():
    from kubestage.results.packing import contents

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.analysis.amounts import Amounts
    from kubestage.results.packing.contents import PackedNode


_NOTHING: Final[Amounts] = {}


@dataclasses.dataclass(slots=True, eq=False)
class NodeState:
    """A node and what is on it. `requested` is replaced, never changed: it may be kept."""

    name: str
    object: Json | None = None
    allocatable: Amounts = dataclasses.field(default_factory=dict)
    requested: Amounts = dataclasses.field(default_factory=dict)
    daemons: Amounts = dataclasses.field(default_factory=dict)
    """The part of `requested` that is of pods which every node has; replaced, too."""
    packed: PackedNode | None = None
    """Its price, its pool, and whether it takes pods; None of a node that is not there."""
    pods: dict[str, PodState] = dataclasses.field(default_factory=dict)

    def rate(self, resource: str) -> float | None:
        """How much of a resource is requested; None if the node has none of it."""
        return amounts.rate(self.requested.get(resource, 0), self.allocatable.get(resource, 0))

    def free(self, resource: str) -> int:
        """How much of a resource is left."""
        return max(self.allocatable.get(resource, 0) - self.requested.get(resource, 0), 0)


class ClusterState:
    """A live view: it changes as the walk goes on, so take from it what is to be kept.

    `nodes` are those that are there, `pods` those that are in the cluster (finished ones too),
    `pending` those of them that need a node, `history` every pod there ever was. `requested` and
    `allocatable` are sums over `nodes`; a pod on a node that is gone, or that the timeline does
    not have, takes no room anywhere. `demand` counts, by resource and amount, the requests of pods
    that are placed or pending, `daemon_demand` those of pods which every node has. `prices` are
    those that hold, `owners` the owners of objects that are neither nodes nor pods. `changes` grows
    whenever any of this changes.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, NodeState] = {}
        self.pods: dict[str, PodState] = {}
        self.pending: dict[str, PodState] = {}
        self.history: list[PodState] = []
        self.allocatable: Amounts = {}
        self.requested: Amounts = {}
        self.demand: dict[str, collections.Counter[int]]
        self.demand = collections.defaultdict(collections.Counter)
        self.daemon_demand: dict[str, collections.Counter[int]]
        self.daemon_demand = collections.defaultdict(collections.Counter)
        self.prices = Prices({}, ())
        self.owners: dict[tuple[str, str], Json] = {}
        """By kind and ``namespace/name``."""
        self._price_objects = pricing.KnownPrices()
        self.changes = 0
        # Nodes that are there and nodes that are not but have pods bound to them.
        self._hosts: dict[str, NodeState] = {}
        self._by_uid: dict[str, PodState] = {}

    def rate(self, resource: str) -> float | None:
        """How much of a resource of the whole cluster is requested; None if there is none."""
        return amounts.rate(self.requested.get(resource, 0), self.allocatable.get(resource, 0))

    def set_node(self, node: Json) -> None:
        """A node is there, or has changed."""
        name = pod_state.name_of(node)
        offered = amounts.of_node(node)
        host = self._host(name)
        if name in self.nodes:
            self._sum(host, -1)
        host.object, host.allocatable = node, offered
        host.packed = contents.packed_node(node, self.prices)
        self.nodes[name] = host
        self._sum(host, 1)

    def remove_node(self, name: str) -> None:
        """A node is gone; its pods are not, until their own events."""
        host = self.nodes.pop(name, None)
        if host is None:
            return
        self._sum(host, -1)
        host.object, host.allocatable, host.packed = None, _NOTHING, None
        if not host.pods:
            del self._hosts[name]

    def set_prices(self, kind: tuple[str, str], name: str, obj: Json | None) -> None:
        """A PriceCatalog or NodeGroup is there or has changed, or is gone if it is None."""
        self.changes += 1
        self._price_objects.put(kind, name, obj)
        self.prices = self._price_objects.now
        for host in self.nodes.values():
            if host.object is not None:
                host.packed = contents.packed_node(host.object, self.prices)

    def set_owner(self, obj: Json) -> None:
        """An object is there whose pods may belong to the owner of it."""
        owner = pod_state.controller_of(obj)
        if owner is not None:
            self.owners[str(obj.get("kind")), pod_state.key_of(obj)] = owner

    def pod(
        self, obj: Json, step: int, *, created: int | None = None, is_new: bool = False
    ) -> PodState:
        """The pod that an object is a version of; a new one if it was not there yet.

        One that is gone stays gone. Without a uid that distinguishes the two, a name that is used
        again means another pod. `created` is the step in which it was made, if not in this one.
        """
        key, uid = pod_state.key_of(obj), pod_state.uid_of(obj)
        known = self._known(key, uid, is_new)
        if known is not None:
            return known
        if key in self.pods:
            self.remove_pod(self.pods[key], step)
        pod = PodState(key, uid, obj, amounts.of_pod(obj), step if created is None else created)
        pod.is_daemon = contents.is_daemon(obj)
        self.pods[key] = pod
        self.history.append(pod)
        if uid:
            self._by_uid[uid] = pod
        self._count(pod, 1)
        return pod

    def set_pod(self, pod: PodState, obj: Json, step: int, node: str | None = None) -> None:
        """A pod has changed: its object, and maybe its node."""
        if pod.is_gone:
            pod.object = obj
            return
        requests = amounts.of_pod(obj)
        self._count(pod, -1)
        pod.object, pod.requests = obj, requests
        bound_to = node or (obj.get("spec") or {}).get("nodeName") or ""
        if bound_to and not pod.node:
            pod.node, pod.bound = bound_to, step
        if pod_state.phase_of(obj) in pod_state.OVER and pod.finished is None:
            pod.finished = step
        self._count(pod, 1)

    def remove_pod(self, pod: PodState, step: int, *, preempted: bool = False) -> None:
        """A pod was deleted or preempted."""
        if pod.is_gone:
            return
        self._count(pod, -1)
        if preempted:
            pod.preempted = step
        else:
            pod.deleted = step
        del self.pods[pod.key]

    def _known(self, key: str, uid: str, is_new: bool) -> PodState | None:
        """The pod of this uid; without uids that distinguish pods, the one of this name."""
        named = self._by_uid.get(uid) if uid else None
        if named is not None:
            return None if is_new and named.is_gone else named
        found = self.pods.get(key)
        if found is None or is_new or (uid and found.uid):
            return None
        if uid:
            found.uid = uid
            self._by_uid[uid] = found
        return found

    def _host(self, name: str) -> NodeState:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = NodeState(name)
        return host

    def _count(self, pod: PodState, sign: int) -> None:
        """Add a pod to all that is kept of it, or take it away."""
        self.changes += 1
        if pod.finished is not None:
            return
        for name, amount in pod.requests.items():
            self.demand[name][amount] += sign
            if pod.is_daemon:
                self.daemon_demand[name][amount] += sign
        if not pod.node:
            if sign > 0:
                self.pending[pod.key] = pod
            else:
                del self.pending[pod.key]
            return
        host = self._host(pod.node)
        host.requested = amounts.plus(host.requested, pod.requests, sign)
        if pod.is_daemon:
            host.daemons = amounts.plus(host.daemons, pod.requests, sign)
        if host.name in self.nodes:
            self.requested = amounts.plus(self.requested, pod.requests, sign)
        if sign > 0:
            host.pods[pod.key] = pod
        else:
            del host.pods[pod.key]
            if not host.pods and host.name not in self.nodes:
                del self._hosts[host.name]

    def _sum(self, host: NodeState, sign: int) -> None:
        self.changes += 1
        self.allocatable = amounts.plus(self.allocatable, host.allocatable, sign)
        self.requested = amounts.plus(self.requested, host.requested, sign)
