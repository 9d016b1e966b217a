"""The node autoscaler: every few seconds it looks whether nodes are wanted, or not any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.controllers.node_autoscaler import pod_state
from kubestage.controllers.node_autoscaler.actuator import Actuator
from kubestage.controllers.node_autoscaler.cluster_state import ClusterState
from kubestage.controllers.node_autoscaler.drainability import Drainability
from kubestage.controllers.node_autoscaler.expanders import Expander
from kubestage.controllers.node_autoscaler.growing import Growing
from kubestage.controllers.node_autoscaler.planner import Planner
from kubestage.controllers.node_autoscaler.provider import Provider
from kubestage.controllers.node_autoscaler.reports import Reports
from kubestage.controllers.node_autoscaler.shrinking import Shrinking
from kubestage.controllers.node_autoscaler.status import Statuses
from kubestage.controllers.node_autoscaler.templates import Templates
from kubestage.controllers.node_autoscaler.world import Observer
from kubestage.sim.ticktock import Ticktock
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change

_LOOK: Final = "look"
_LOOK_FOR_PODS: Final = "look:pods"
_LOOK_AGAIN: Final = "look:again"
_MORE_LOOKS: Final = 2
# Looks take cluster-autoscaler some time: pods that come one by one do not get one each.
_BETWEEN_LOOKS_NS: Final = 1_000_000_000
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
    look that had nodes come or go, ``group:name`` for a group that is new or gone,
    ``machine:group/name`` for a machine that has come up, and ``node:name`` for one that goes.
    """

    name = "cluster-autoscaler"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        settings = self._flags = cluster.settings.node_autoscaler
        self._provider = Provider(cluster, self.lister, self._wake_machine)
        self._observer = Observer(self.lister, self._provider)
        self._state = ClusterState(settings)
        self._templates = Templates(forces_daemons=settings.force_ds)
        reports = Reports(self.events, self.clock)
        drainability = Drainability(settings, self.lister)
        self._planner = Planner(settings, drainability)
        self._actuator = Actuator(
            self.store,
            self.lister,
            self._provider,
            reports,
            drainability,
            settings,
            self._wake_node,
        )
        self._statuses = Statuses(self.store)
        expander = Expander(settings.expander, cluster.streams.stream("node-autoscaler/expander"))
        self._growing = Growing(
            self._provider, self._state, reports, self._statuses, expander, settings
        )
        self._shrinking = Shrinking(
            self._planner, self._actuator, self._statuses, self.lister, settings
        )
        self._ticktock = Ticktock(
            cluster.environment,
            "NodeAutoscaler",
            "node_autoscaler_tick",
            settings.scan_interval_ns,
            self._tick,
        )
        self._has_news = True
        self._is_looking = False
        self._looked_ns = 0
        self._more_looks = 0

    def handlers(self) -> Handlers:
        """Groups, and all that decides whether nodes are wanted."""
        return {
            ("kubestage.dev", "NodeGroup"): self._on_group,
            ("", "Pod"): self._on_pod,
            ("", "Node"): self._on_news,
            **dict.fromkeys(_OTHERS, self._on_news),
        }

    def sync(self, key: str) -> None:
        """Look at the whole cluster, or go on with what takes time."""
        topic, _, name = key.partition(":")
        now_ns = self.clock.unix_ns
        if topic == _LOOK:
            if key == _LOOK_FOR_PODS and self._ticktock.is_on:
                self._ticktock.stop()
                self._ticktock.start()
            self._look_once(now_ns)
        elif topic == "machine":
            self._provider.deliver(name)
        elif topic == "node":
            self._actuator.step(name, now_ns)
        else:
            self._meet_or_forget(name)

    def _on_group(self, change: Change) -> None:
        if change.type in (ADDED, DELETED):
            self.queue.add(f"group:{change.key}")
            self._ticktock.start()
        elif change.old is not None and change.old["spec"] is change.new["spec"]:
            return
        self._has_news = True

    def _on_pod(self, change: Change) -> None:
        self._on_news(change)
        if self._flags.frequent_loops_enabled and change.type != DELETED and self._ticktock.is_on:
            now_ns = self.clock.unix_ns
            if pod_state.is_just_unschedulable(change.new, now_ns):
                soonest_ns = self._looked_ns + _BETWEEN_LOOKS_NS
                self.queue.add_after(_LOOK_FOR_PODS, max(soonest_ns - now_ns, 1))

    def _on_news(self, change: Change) -> None:
        del change
        # What it does itself is no news to it.
        self._has_news = self._has_news or not self._is_looking

    def _tick(self) -> None:
        self.queue.add(_LOOK)

    def _wake_machine(self, key: str, delay_ns: int) -> None:
        self.queue.add_after(f"machine:{key}", delay_ns)

    def _wake_node(self, name: str, delay_ns: int) -> None:
        self.queue.add_after(f"node:{name}", delay_ns)

    def _meet_or_forget(self, name: str) -> None:
        group = self._provider.get(name)
        if group is not None:
            self._provider.open(group)
            return
        self._provider.forget(name)
        self._state.forget(name)
        self._templates.forget(name)
        if not self._provider.groups():
            self._ticktock.stop()

    def _look_once(self, now_ns: int) -> None:
        """Look at the cluster, and at once again if that had nodes come or go."""
        self._looked_ns = now_ns
        self._is_looking = True
        try:
            was_productive = self._look(now_ns)
        finally:
            self._is_looking = False
        if was_productive and self._flags.frequent_loops_enabled:
            self._more_looks = _MORE_LOOKS
        if self._more_looks:
            self._more_looks -= 1
            self.queue.add(_LOOK_AGAIN)

    def _look(self, now_ns: int) -> bool:
        """Look at the cluster once; whether nodes were asked for, or are going."""
        what_if = self.cluster.what_if
        if what_if is None or not self._provider.groups():
            return False
        if self._is_idle(now_ns):
            self._shrinking.mark(now_ns)
            return False
        was_productive = False
        self._has_news = False
        world = self._observer.look(now_ns, self._flags)
        templates = self._templates.of_all(world)
        self._growing.settle(world)
        if not self._state.is_cluster_healthy():
            self._planner.forget()
            self._growing.tell_unhealthy(world)
        elif not self._growing.mend_sizes(world):
            snapshot = what_if.snapshot(world.nodes.values(), world.allocated)
            draining = self._actuator.draining
            was_productive |= self._growing.grow(world, snapshot, templates, draining)
            if self._flags.scale_down_enabled:
                in_cooldown = self._growing.in_cooldown(now_ns)
                was_productive |= self._shrinking.shrink(world, snapshot, in_cooldown=in_cooldown)
            if self._flags.enforce_node_group_min_size:
                was_productive |= self._growing.grow_to_least_sizes(world, snapshot, templates)
        self._statuses.write(world, self._state, self._planner.unneeded.keys())
        return was_productive

    def _is_idle(self, now_ns: int) -> bool:
        """Whether nothing has happened and nothing is under way.

        Then only time can make a difference, and only to nodes that have been unneeded for long.
        """
        return not self._has_news and self._growing.is_idle and self._shrinking.may_wait(now_ns)
