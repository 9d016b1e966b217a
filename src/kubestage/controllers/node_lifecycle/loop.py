"""Watches over nodes: late ones become Unknown, ill ones are tainted, their pods are not ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import leases, pods
from kubestage.controllers.controller import Controller
from kubestage.controllers.node_lifecycle import health, node_taints
from kubestage.controllers.node_lifecycle.zones import DisruptionModes
from kubestage.objects import gvk, taints, timestamps
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.node_lifecycle.health import NodeHealth
    from kubestage.store.log import Change


_MONITOR: Final = "monitor"
_READY_TAINTS: Final = {
    "False": (node_taints.NOT_READY, node_taints.UNREACHABLE),
    "Unknown": (node_taints.UNREACHABLE, node_taints.NOT_READY),
}


class NodeLifecycleController(Controller):
    """Upstream checks every node every few seconds; here only where something may be new.

    What is new is noticed at the ticks of upstream's clock all the same: a tick is due after a
    node changed, and when a node that does not renew its own Lease may have become late. Keys are
    ``monitor`` for a tick, ``node:name`` for the taints that need no patience, ``late:name``,
    ``zone:name`` for the next node to empty, and ``pod:key`` for a pod new on an ill node.
    """

    name = "node-controller"
    ignores_rewordings = True

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._health: dict[str, NodeHealth] = {}
        self._known: dict[str, str] = {}
        self._changed: dict[str, None] = {}
        self._noticed_ns: dict[str, int] = {}
        self._modes = DisruptionModes(self.settings)

    def handlers(self) -> Handlers:
        """Nodes, their Leases, and pods for the node that they are on."""
        return {
            ("", "Node"): self._on_node,
            ("coordination.k8s.io", "Lease"): self._on_lease,
            ("", "Pod"): self._on_pod,
        }

    def sync(self, key: str) -> None:
        """Sync a node, a zone or a pod, as the key names it."""
        topic, _, name = key.partition(":")
        if topic == _MONITOR:
            self._monitor()
        elif topic == "node":
            self._follow_conditions(name)
        elif topic == "late":
            self._changed[name] = None
            self.queue.add(_MONITOR)
        elif topic == "zone":
            self._taint_next(name)
        else:
            pod = self.lister.get(pods.POD, name)
            if pod is not None:
                self._mark_not_ready(name, pod)

    def _on_node(self, change: Change) -> None:
        old, new, name = change.old, change.new, change.key
        if change.type != DELETED:
            if old is not None and _same(old, new):
                return
            self.queue.add(f"node:{name}")
        self._changed[name] = None
        self._at_next_tick()

    def _on_lease(self, change: Change) -> None:
        lease = change.new
        if lease["metadata"]["namespace"] != leases.NAMESPACE or change.type == DELETED:
            return
        name, now_ns = lease["metadata"]["name"], self.clock.unix_ns
        renewed_ns = leases.renewed_at_ns(lease, now_ns) or 0
        if change.old is not None and leases.renews_itself(change.old):
            # It counts as renewed although it was not written.
            self._noticed_ns[name] = self._tick_from(min(renewed_ns, now_ns))
        elif change.old is None or renewed_ns > (leases.renewed_at_ns(change.old, now_ns) or 0):
            self._noticed_ns[name] = self._tick_from(now_ns)
        if name in self._health:
            self._wait_for(name)

    def _on_pod(self, change: Change) -> None:
        if change.type == DELETED:
            return
        node_name = change.new["spec"].get("nodeName")
        if node_name is None:
            return
        if change.old is not None and change.old["spec"].get("nodeName") == node_name:
            return
        known = self._health.get(node_name)
        if known is not None and known.ready not in (None, "True"):
            self.queue.add(f"pod:{change.key}")

    def _tick_from(self, unix_ns: int) -> int:
        """The first tick at or after a moment."""
        period_ns, epoch_ns = self.settings.node_monitor_period_ns, self.clock.epoch_ns
        return epoch_ns - (epoch_ns - unix_ns) // period_ns * period_ns

    def _at_next_tick(self) -> None:
        self.queue.add_at(_MONITOR, self._tick_from(self.clock.unix_ns))

    def _monitor(self) -> None:
        """One tick, for the nodes that may be new, gone, changed or late."""
        changed, self._changed = sorted(self._changed), {}
        nodes = self.store.read(gvk.NODE)
        for name in changed:
            if name in nodes and name not in self._known:
                self._register(nodes[name])
        for name in changed:
            if name not in nodes and name in self._known:
                self._report(name, self._known.pop(name), "RemovingNode", "Removing", "from")
                del self._health[name]
                self._noticed_ns.pop(name, None)
        for name in changed:
            if name in nodes:
                self._check(nodes[name])
        now_ns = self.clock.unix_ns
        for name in self._modes.update(self._health, changed, now_ns):
            self._make_reachable(nodes[name])
            self._changed[name] = None
        if self._changed:
            self.queue.add_after(_MONITOR, self.settings.node_monitor_period_ns)
        for zone in self._modes.zones_to_serve(now_ns):
            self.queue.add(f"zone:{zone}")

    def _register(self, node: Json) -> None:
        metadata = node["metadata"]
        self._known[metadata["name"]] = metadata["uid"]
        self._report(metadata["name"], metadata["uid"], "RegisteredNode", "Registered", "in")
        self._make_reachable(node)

    def _report(self, name: str, uid: str, reason: str, verb: str, where: str) -> None:
        text = f"Node {name} event: {verb} Node {name} {where} Controller"
        self.events.event(_reference(name, uid), NORMAL, reason, text)

    def _check(self, node: Json) -> None:
        """Check the heartbeat of a node, and act if it is missing."""
        name, now_ns = node["metadata"]["name"], self.clock.unix_ns
        known = health.observe(self._health.get(name), node, now_ns)
        self._health[name] = known
        noticed_ns = min(self._noticed_ns.get(name, 0), now_ns)
        known.observed_ns = (
            now_ns if self._renews_itself(name) else max(known.observed_ns, noticed_ns)
        )
        was = known.ready
        if self._late_at_ns(name) <= now_ns:
            status = health.silenced(node, timestamps.format_time(now_ns))
            node = self.store.record_status(gvk.NODE, name, status)
            health.observe(known, node, known.observed_ns)
        self._wait_for(name)
        self._follow_readiness(node, known)
        if was == "True" and known.ready != "True":
            text = f"Node {name} status is now: NodeNotReady"
            uid = node["metadata"]["uid"]
            self.events.event(_reference(name, uid), NORMAL, "NodeNotReady", text)
            self._mark_pods_not_ready(name)

    def _late_at_ns(self, name: str) -> int:
        """When too long has passed since a node's last heartbeat.

        Upstream requires more than the grace period to have passed, but its ticks are slightly more
        than a period apart, so the tick at its end is late already.
        """
        known, settings = self._health[name], self.settings
        if known.ready is None:
            return known.observed_ns + settings.node_startup_grace_period_ns
        return known.observed_ns + settings.node_monitor_grace_period_ns

    def _wait_for(self, name: str) -> None:
        """Sync again when a node may have become late, unless it is late already or cannot be."""
        if self._health[name].ready != "Unknown" and not self._renews_itself(name):
            late_ns = max(self._late_at_ns(name), self._noticed_ns.get(name, 0) + 1)
            self.queue.add_at(f"late:{name}", self._tick_from(late_ns))

    def _renews_itself(self, name: str) -> bool:
        lease = self.lister.get(leases.LEASE, f"{leases.NAMESPACE}/{name}")
        return lease is not None and leases.renews_itself(lease)

    def _follow_readiness(self, node: Json, known: NodeHealth) -> None:
        """A ready node has no NoExecute taint; another one waits for its own or swaps it."""
        name, ready = node["metadata"]["name"], known.ready
        if ready == "True":
            self._make_reachable(node)
        elif ready in _READY_TAINTS:
            desired, other = _READY_TAINTS[ready]
            if node_taints.has(node, other, taints.NO_EXECUTE):
                self._swap(node, [desired], [other], taints.NO_EXECUTE)
            elif not node_taints.has(node, desired, taints.NO_EXECUTE):
                self._modes.tainter(known.zone).waiting.setdefault(name)

    def _make_reachable(self, node: Json) -> None:
        keys = [
            key
            for key in (node_taints.UNREACHABLE, node_taints.NOT_READY)
            if node_taints.has(node, key, taints.NO_EXECUTE)
        ]
        if keys:
            self._swap(node, [], keys, taints.NO_EXECUTE)
        self._modes.tainter(health.zone_of(node)).waiting.pop(node["metadata"]["name"], None)

    def _taint_next(self, zone: str) -> None:
        tainter, nodes = self._modes.tainter(zone), self.store.read(gvk.NODE)
        while tainter.waiting and tainter.allows(self.clock.unix_ns):
            name = next(iter(tainter.waiting))
            del tainter.waiting[name]
            ready = health.ready_of(nodes[name]) if name in nodes else None
            if ready is not None and ready["status"] in _READY_TAINTS:
                desired, other = _READY_TAINTS[ready["status"]]
                self._swap(nodes[name], [desired], [other], taints.NO_EXECUTE)
        next_ns = tainter.next_pass_ns(self.clock.unix_ns)
        if next_ns is not None:
            self.queue.add_at(f"zone:{zone}", next_ns)

    def _follow_conditions(self, name: str) -> None:
        """The NoSchedule taints and the old labels follow a node at once."""
        node = self.store.read(gvk.NODE).get(name)
        if node is None:
            return
        add, remove = node_taints.no_schedule_changes(node)
        if add or remove:
            self._swap(node, add, remove, taints.NO_SCHEDULE)
        labels = node_taints.missing_labels(node)
        if labels:
            self.store.patch(gvk.NODE, name, {"metadata": {"labels": labels}})

    def _swap(self, node: Json, add: list[str], remove: list[str], effect: str) -> None:
        name, now = node["metadata"]["name"], timestamps.format_time(self.clock.unix_ns)
        current = self.store.read(gvk.NODE)[name]
        desired = node_taints.swapped(current, add, remove, effect, now)
        self.store.patch(gvk.NODE, name, {"spec": {"taints": desired or None}})

    def _mark_pods_not_ready(self, node_name: str) -> None:
        collection = self.lister.collection(pods.POD)
        for key in sorted(collection.fields["spec.nodeName"].get(node_name)):
            self._mark_not_ready(key, collection.objects[key])

    def _mark_not_ready(self, key: str, pod: Json) -> None:
        ready = pods.condition(pod.get("status"), "Ready")
        if ready is None or ready["status"] == "False":
            return
        now = timestamps.format_time(self.clock.unix_ns)
        unready = {**ready, "status": "False", "lastTransitionTime": now}
        conditions = pods.with_condition(pod["status"]["conditions"], unready)
        marked = self.store.record_status(
            pods.POD, key, {**pod["status"], "conditions": conditions}
        )
        self.events.event(marked, WARNING, "NodeNotReady", "Node is not ready")


def _same(old: Json, new: Json) -> bool:
    """Whether no condition, taint or label of a node changed."""
    before, after = old.get("status") or {}, new.get("status") or {}
    return (
        before.get("conditions") == after.get("conditions")
        and old.get("spec") == new.get("spec")
        and old["metadata"].get("labels") == new["metadata"].get("labels")
        and old["metadata"]["uid"] == new["metadata"]["uid"]
    )


def _reference(name: str, uid: str) -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": uid}}
