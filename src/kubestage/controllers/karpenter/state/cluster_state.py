"""The cluster as Karpenter sees it, kept up to date object by object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.state import pod_state, usage
from kubestage.controllers.karpenter.state.disruption_limits import DisruptionLimits
from kubestage.controllers.karpenter.state.objects import Objects, order_of
from kubestage.controllers.karpenter.state.pod_index import PodIndex
from kubestage.controllers.karpenter.state.state_node import StateNode
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts

_REVALIDATION_NS: Final = 5 * MINUTE_NS
_VOLUMES: Final = frozenset(
    {"PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSINode"}
)


class _Machine:
    """The names of the Node and the NodeClaim of one machine, and what is remembered of it."""

    __slots__ = ("claim", "marked", "node", "nominated_until_ns", "state")

    def __init__(self) -> None:
        self.node: str | None = None
        self.claim: str | None = None
        self.marked = False
        self.nominated_until_ns = -1
        self.state: StateNode | None = None


class ClusterState:
    """Nodes by provider id, with the pods on them, and the other objects that decisions depend on.

    `now_ns` is set by the one who reports the changes.
    """

    def __init__(self, objects: Iterable[Json] = (), now_ns: int = 0) -> None:
        self.now_ns = now_ns
        self.objects = Objects()
        self._machines: dict[str, _Machine] = {}
        self._node_ids: dict[str, str] = {}
        self._claim_ids: dict[str, str] = {}
        self._pods_on: dict[str, dict[str, Json]] = {}
        self._pod_index = PodIndex()
        self._changed_ns = now_ns
        self._changes = 0
        self.version = 0
        """Grows with whatever is reported."""
        self._listed: tuple[int, list[StateNode]] | None = None
        self._limits: tuple[list[Json], DisruptionLimits] | None = None
        for each in objects:
            self.update(each)

    def update(self, obj: Json) -> None:
        """Take in an object, or a new version of it."""
        self.version += 1
        kind = obj["kind"]
        if kind == "Pod":
            self._update_pod(obj)
        before = self.objects.get(kind, obj["metadata"]["name"]) if kind == "NodePool" else None
        self.objects.put(obj)
        if kind == "Node":
            self._update_node(obj)
        elif kind == "NodeClaim":
            self._update_claim(obj)
        elif kind in _VOLUMES:
            for machine in self._machines.values():
                machine.state = None
        elif kind == "NodePool" and (before is None or before["spec"] != obj["spec"]):
            self.mark_unconsolidated()

    def delete(self, kind: str, name: str, namespace: str = "") -> None:
        """Forget an object."""
        self.version += 1
        gone = self.objects.remove(kind, f"{namespace}/{name}")
        if gone is None:
            return
        if kind == "Pod":
            self._pod_index.remove(gone)
            self._leave(gone)
            self.mark_unconsolidated()
        elif kind == "Node":
            self._drop_node(name)
        elif kind == "NodeClaim":
            self._drop_claim(name)

    def nodes(self) -> list[StateNode]:
        """The nodes, by provider id; not to be changed."""
        if self._listed is None or self._listed[0] != self.version:
            nodes = [self._state(self._machines[key]) for key in sorted(self._machines)]
            self._listed = self.version, nodes
        return self._listed[1]

    def node(self, provider_id: str) -> StateNode | None:
        """One node."""
        machine = self._machines.get(provider_id)
        return None if machine is None else self._state(machine)

    def node_named(self, name: str) -> StateNode | None:
        """The node with a Node of this name."""
        return self.node(self._node_ids.get(name, ""))

    def pods_on(self, node_name: str) -> list[Json]:
        """The pods that are bound to a Node, by namespace and name."""
        return sorted((self._pods_on.get(node_name) or {}).values(), key=order_of)

    @property
    def synced(self) -> bool:
        """Whether all NodeClaims have a machine."""
        return all(self._claim_ids.values())

    @property
    def limits(self) -> DisruptionLimits:
        """The PodDisruptionBudgets as they are now."""
        listed = self.objects.all("PodDisruptionBudget")
        known = self._limits
        if known is None or known[0] is not listed:
            limits = DisruptionLimits(listed, None if known is None else known[1])
            known = self._limits = listed, limits
        return known[1]

    def node_pool_resources(self, name: str) -> Amounts:
        """The capacity of a NodePool's nodes, those on their way out left out."""
        total: Amounts = {}
        for node in self.nodes():
            if node.node_pool == name and not node.marked_for_deletion:
                amounts.add_to(total, node.capacity)
        return total

    def daemon_pod(self, daemon_set: Json) -> Json | None:
        """The newest pod of a DaemonSet; without pods, the last one that was seen."""
        return self._pod_index.newest_of(daemon_set)

    @property
    def unbound_pods(self) -> list[Json]:
        """The pods that are on no node, by namespace and name."""
        return self._pod_index.unbound.listed

    @property
    def repelling_pods(self) -> list[Json]:
        """The pods with required anti-affinity, by namespace and name."""
        return self._pod_index.repelling.listed

    def mark_for_deletion(self, provider_ids: Iterable[str], marked: bool = True) -> None:
        """Nodes are about to go; or, after all, are not."""
        self.version += 1
        for key in provider_ids:
            machine = self._machines.get(key)
            if machine is not None:
                machine.marked = marked
                machine.state = None
                self.mark_unconsolidated()

    def nominate(self, provider_id: str, until_ns: int) -> None:
        """A pod that waits was promised to a node; until then it is not disrupted."""
        self.version += 1
        machine = self._machines.get(provider_id)
        if machine is not None:
            machine.nominated_until_ns = until_ns
            machine.state = None

    def mark_unconsolidated(self) -> None:
        """Something has changed that may make consolidation possible."""
        self._changed_ns = self.now_ns
        self._changes += 1

    def consolidation_state(self) -> int:
        """A number that grows with each change; after a while without, one may have been unseen."""
        if self.now_ns - self._changed_ns >= _REVALIDATION_NS:
            self.mark_unconsolidated()
        return self._changes

    def _state(self, machine: _Machine) -> StateNode:
        if machine.state is not None:
            return machine.state
        objects = self.objects
        node = None if machine.node is None else objects.get("Node", machine.node)
        claim = None if machine.claim is None else objects.get("NodeClaim", machine.claim)
        pods = [] if machine.node is None else self.pods_on(machine.node)
        found = StateNode(
            node, claim, pods, marked=machine.marked, nominated_until_ns=machine.nominated_until_ns
        )
        users: list[usage.PortUser] = []
        for pod in found.live_pods:
            key = pod_state.key_of(pod)
            users += [usage.PortUser(port, key) for port in usage.host_ports_of(pod)]
            if pod["spec"].get("volumes"):
                found.volumes = usage.union(found.volumes, usage.volumes_of(pod, objects))
        found.port_users = tuple(users)
        if machine.node is not None:
            found.volume_limits = usage.limits_of(objects.get("CSINode", machine.node))
        machine.state = found
        return found

    def _update_pod(self, pod: Json) -> None:
        before = self.objects.get(
            "Pod", pod["metadata"]["name"], pod["metadata"].get("namespace") or ""
        )
        node_name = (pod.get("spec") or {}).get("nodeName") or ""
        self._pod_index.put(pod, before)
        if before is not None and ((before.get("spec") or {}).get("nodeName") or "") != node_name:
            self._leave(before)
        if node_name:
            on_node = self._pods_on.setdefault(node_name, {})
            key = pod_state.key_of(pod)
            if key not in on_node:
                self.mark_unconsolidated()
            on_node[key] = pod
            self._touch(node_name)

    def _leave(self, pod: Json) -> None:
        node_name = (pod.get("spec") or {}).get("nodeName") or ""
        self._pods_on.get(node_name, {}).pop(pod_state.key_of(pod), None)
        self._touch(node_name)

    def _touch(self, node_name: str) -> None:
        machine = self._machines.get(self._node_ids.get(node_name, ""))
        if machine is not None:
            machine.state = None

    def _update_node(self, node: Json) -> None:
        name = node["metadata"]["name"]
        stated = node["metadata"].get("labels") or {}
        managed = bool(stated.get(labels.NODE_POOL))
        key = (node.get("spec") or {}).get("providerID") or ("" if managed else name)
        is_known = stated.get(labels.INSTANCE_TYPE) or stated.get(labels.NODE_INITIALIZED)
        if not key or (managed and not is_known):
            return
        if self._node_ids.get(name, key) != key:
            self._drop_node(name)
        self._node_ids[name] = key
        self._join(key, node=name)

    def _update_claim(self, claim: Json) -> None:
        name = claim["metadata"]["name"]
        key = (claim.get("status") or {}).get("providerID") or ""
        if self._claim_ids.get(name, key) != key:
            self._drop_claim(name)
        self._claim_ids[name] = key
        if key:
            self._join(key, claim=name)

    def _join(self, key: str, node: str | None = None, claim: str | None = None) -> None:
        machine = self._machines.get(key)
        if machine is None:
            machine = self._machines[key] = _Machine()
            before = None
        else:
            before = self._state(machine)
        machine.node = node or machine.node
        machine.claim = claim or machine.claim
        machine.state = None
        after = self._state(machine)
        if before is None or _stage(before) != _stage(after):
            self.mark_unconsolidated()

    def _drop_node(self, name: str) -> None:
        key = self._node_ids.pop(name, "")
        machine = self._machines.get(key)
        if machine is not None:
            machine.node = None
            self._settle(key, machine)

    def _drop_claim(self, name: str) -> None:
        key = self._claim_ids.pop(name, "")
        machine = self._machines.get(key)
        if machine is not None:
            machine.claim = None
            self._settle(key, machine)

    def _settle(self, key: str, machine: _Machine) -> None:
        """Something of a machine is gone; forget it if nothing is left."""
        machine.state = None
        self.mark_unconsolidated()
        if not (machine.node or machine.claim):
            del self._machines[key]


def _stage(node: StateNode) -> tuple[bool, bool]:
    return node.initialized, node.marked_for_deletion
