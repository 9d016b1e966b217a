"""The node autoscaler: it checks every few seconds whether nodes are needed or unneeded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.controllers.node_autoscaler import instance_cache, pod_state
from kubestage.controllers.node_autoscaler.autoscaler import Autoscaler, AutoscalingContext
from kubestage.controllers.node_autoscaler.decisions import ScanDecisions
from kubestage.controllers.node_autoscaler.provider import Provider
from kubestage.controllers.node_autoscaler.reports import EventReports
from kubestage.controllers.node_autoscaler.status import Statuses
from kubestage.controllers.node_autoscaler.status_config_map import StatusConfigMap
from kubestage.sim.periodic_timer import PeriodicTimer
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change

_CHECK: Final = "look"
_CHECK_PODS: Final = "look:pods"
_CHECK_AGAIN: Final = "look:again"
_MORE_CHECKS: Final = 2
# Scans take cluster-autoscaler some time: pods that come one by one do not get one each.
_BETWEEN_CHECKS_NS: Final = 1_000_000_000
_OTHERS: Final = (
    ("apps", "DaemonSet"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("batch", "Job"),
    ("policy", "PodDisruptionBudget"),
    ("", "ReplicationController"),
    ("", "PersistentVolume"),
    ("", "PersistentVolumeClaim"),
    ("storage.k8s.io", "StorageClass"),
)


class NodeAutoscaler(Controller):
    """Has node groups grow and shrink.

    Keys are ``look`` at every tick, ``look:pods`` when a pod fits nowhere, ``look:again`` after a
    scan that added or removed nodes, ``group:name`` for a group that is new or gone,
    ``machine:group/name`` for a machine that has come up, ``ready:name`` for a node that has
    started, and ``node:name`` for one that goes.
    """

    name = "cluster-autoscaler"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        settings = self._flags = cluster.settings.node_autoscaler
        self._provider = Provider(cluster, self.lister, self.queue.add_after)
        self._statuses = Statuses(self.store)
        self._config_map = StatusConfigMap(self.store, cluster.streams, settings)
        context = AutoscalingContext(
            self.store,
            self.lister,
            self._provider,
            EventReports(self.events, self.clock, self._statuses),
            cluster.streams.stream("node-autoscaler/expander"),
            self._wake_node,
        )
        self.autoscaler = Autoscaler(context, settings)
        self._decisions = ScanDecisions(cluster.decisions, self._provider)
        self._timer = PeriodicTimer(
            cluster.environment,
            "NodeAutoscaler",
            "node_autoscaler_tick",
            settings.scan_interval_ns,
            self._tick,
        )
        self._has_changed = True
        self._is_looking = False
        self._scanned_ns = 0
        self._refreshed = -1
        self._extra_scans = 0

    def handlers(self) -> Handlers:
        """Groups, and all that decides whether nodes are needed."""
        return {
            ("kubestage.dev", "NodeGroup"): self._on_group,
            ("", "Pod"): self._on_pod,
            ("", "Node"): self._on_change,
            **dict.fromkeys(_OTHERS, self._on_change),
        }

    def sync(self, key: str) -> None:
        """Scan the whole cluster, or continue with what takes time."""
        topic, _, name = key.partition(":")
        now_ns = self.clock.unix_ns
        if topic == _CHECK:
            if key == _CHECK_PODS and self._timer.is_running:
                self._timer.stop()
                self._timer.start()
            self._scan_once(now_ns)
        elif topic == "machine":
            self._provider.deliver(name)
        elif topic == "ready":
            self._provider.start_kubelet(name)
        elif topic == "node":
            self.autoscaler.step(name, now_ns)
        else:
            self._meet_or_forget(name)

    def _on_group(self, change: Change) -> None:
        if change.type in (ADDED, DELETED):
            self.queue.add(f"group:{change.key}")
            self._timer.start()
        elif change.old is not None and change.old["spec"] is change.new["spec"]:
            return
        self._has_changed = True

    def _on_pod(self, change: Change) -> None:
        self._on_change(change)
        if self._flags.frequent_loops_enabled and change.type != DELETED and self._timer.is_running:
            now_ns = self.clock.unix_ns
            if pod_state.is_just_unschedulable(change.new, now_ns):
                soonest_ns = self._scanned_ns + _BETWEEN_CHECKS_NS
                self.queue.add_after(_CHECK_PODS, max(soonest_ns - now_ns, 1))

    def _on_change(self, change: Change) -> None:
        del change
        # Its own changes do not count.
        self._has_changed = self._has_changed or not self._is_looking

    def _tick(self) -> None:
        self.queue.add(_CHECK)

    def _wake_node(self, name: str, delay_ns: int) -> None:
        self.queue.add_after(f"node:{name}", delay_ns)

    def _meet_or_forget(self, name: str) -> None:
        group = self._provider.get(name)
        if group is not None:
            self._provider.open(group)
            return
        self._provider.forget(name)
        self.autoscaler.forget(name)
        if not self._provider.groups():
            self._timer.stop()

    def _scan_once(self, now_ns: int) -> None:
        """Scan the cluster, and again at once if nodes were added or removed."""
        self._scanned_ns = now_ns
        self._is_looking = True
        try:
            was_productive = self._scan(now_ns)
        finally:
            self._is_looking = False
        if was_productive and self._flags.frequent_loops_enabled:
            self._extra_scans = _MORE_CHECKS
        if self._extra_scans:
            self._extra_scans -= 1
            self.queue.add(_CHECK_AGAIN)

    def _scan(self, now_ns: int) -> bool:
        """Scan the cluster once; whether nodes were requested, or are being removed."""
        what_if = self.cluster.what_if
        if what_if is None or not self._provider.groups():
            return False
        if not self._has_changed and self.autoscaler.is_idle(now_ns):
            return False
        self._has_changed = False
        self._refresh_machines(now_ns)
        before = self._decisions.machines()
        result = self.autoscaler.scan(now_ns, what_if)
        self._decisions.report(self.autoscaler, result, before)
        assert self.autoscaler.world is not None, "it was just scanned"
        self._statuses.write(
            self.autoscaler.world,
            self.autoscaler.state,
            self.autoscaler.planner.unneeded.keys(),
            self._provider,
        )
        if self._flags.write_status_configmap:
            self._config_map.write(self.autoscaler, now_ns)
        return result.was_productive

    def _refresh_machines(self, now_ns: int) -> None:
        """Have all machines listed again if some minutes have passed."""
        period = (now_ns - self.cluster.start_unix_ns) // instance_cache.REFRESH_NS
        if period != self._refreshed:
            self._refreshed = period
            self.autoscaler.refresh_instances()
