"""Has groups grow for pods that fit nowhere, and deals with nodes that do not come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.node_autoscaler import equivalence, node_state, pod_state
from kubestage.controllers.node_autoscaler.scale_up import ScaleUp
from kubestage.golang import durations
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kubestage.controllers.node_autoscaler.balancing import Growth
    from kubestage.controllers.node_autoscaler.cluster_state import ClusterState
    from kubestage.controllers.node_autoscaler.expanders import Expander
    from kubestage.controllers.node_autoscaler.provider import Provider
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.scale_up import ScaleUpPlan
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.status import Statuses
    from kubestage.controllers.node_autoscaler.templates import Template
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.objects.views.pod import PodView


_NEW_NS: Final = 2 * SECOND_NS
_NEW_WITH_GPU_NS: Final = 30 * SECOND_NS


class Growing:
    """Scale-up, and its state from scan to scan."""

    def __init__(
        self,
        provider: Provider,
        state: ClusterState,
        reports: Reports,
        statuses: Statuses,
        expander: Expander,
        settings: NodeAutoscalerSettings,
    ) -> None:
        self._provider = provider
        self._state = state
        self._reports = reports
        self._statuses = statuses
        self._expander = expander
        self._settings = settings
        self._last_ns: int | None = None
        self._awaits_more_pods = False
        self._has_work = False

    @property
    def is_idle(self) -> bool:
        """Whether no pod waits for a node, and no node is waited for."""
        return not self._has_work and not self._state.requests

    def in_cooldown(self, now_ns: int) -> bool:
        """Whether no node may go because of a recent scale-up."""
        if self._awaits_more_pods:
            return True
        delay_ns = self._settings.scale_down_delay_after_add_ns
        return self._last_ns is not None and self._last_ns + delay_ns > now_ns

    def settle(self, world: World) -> None:
        """Take in how the cluster is, and give up on nodes that did not come in time."""
        for name, request in self._state.update(world).items():
            group = world.groups[name].raw
            waited = durations.go_string(world.now_ns - request.at_ns)
            text = f"Nodes added to group {name} failed to register within {waited}"
            self._reports.report_group(group, WARNING, "ScaleUpTimedOut", text)
            target, nodes = world.target(name), len(world.nodes_of[name])
            if not self._provider.decrease(name, request.increase):
                text = (
                    f"Failed to decrease target size for group {name} after scale-up timeout: "
                    f"attempt to delete existing nodes targetSize:{target} "
                    f"delta:{-request.increase} existingNodes: {nodes}"
                )
                self._reports.report_group(group, WARNING, "FailedToRevertScaleUp", text)

    def report_unhealthy(self, world: World) -> None:
        """Report that too many nodes are unhealthy for anything to be done."""
        for group in world.groups.values():
            self._reports.report(group.raw, WARNING, "ClusterUnhealthy", "Cluster is unhealthy")

    def mend_sizes(self, world: World) -> bool:
        """Ask no more for nodes that have been missing for too long; whether there were any."""
        mended = False
        for name in world.groups:
            excess = self._state.too_large_by(name, world.now_ns)
            if excess > 0 and self._provider.decrease(name, excess):
                mended = True
        return mended

    def grow(
        self,
        world: World,
        snapshot: Snapshot,
        templates: Mapping[str, Template],
        draining: Collection[str],
    ) -> bool:
        """Ask for nodes if pods need some; whether they did. Pods that fit are put somewhere."""
        self._add_upcoming(world, snapshot, templates)
        waiting = [*world.unschedulable, *_to_come_again(snapshot, draining)]
        waiting.sort(key=lambda pod: -pod.priority)
        stranded = [
            pod
            for pod in _without_room(snapshot, waiting)
            if not pod_state.is_daemon(pod) and self._is_old_enough(pod, world.now_ns)
        ]
        self._has_work = bool(world.unschedulable)
        self._awaits_more_pods = False
        if stranded and self._is_full(world):
            self._report_full(world, stranded)
        elif stranded and _are_new(stranded, world.now_ns):
            self._awaits_more_pods = True
        elif stranded:
            scale_up = ScaleUp(world, snapshot, templates, self._state, self._settings)
            return self._carry_out(world, scale_up.plan(stranded, self._expander))
        return False

    def grow_to_least_sizes(
        self, world: World, snapshot: Snapshot, templates: Mapping[str, Template]
    ) -> bool:
        """Ask for nodes where groups are smaller than they should be at least; whether any were."""
        growths = ScaleUp(world, snapshot, templates, self._state, self._settings).to_least_sizes()
        self._ask(world, growths)
        return bool(growths)

    def _add_upcoming(
        self, world: World, snapshot: Snapshot, templates: Mapping[str, Template]
    ) -> None:
        """Count upcoming nodes as if they were ready."""
        for name, (count, registered) in self._state.upcoming(world).items():
            for number in range(count):
                snapshot.add_node(*templates[name].copy(f"upcoming-{number}"))
            for node_name in registered:
                snapshot.remove_node(node_name)

    def _is_old_enough(self, pod: PodView, now_ns: int) -> bool:
        delay_ns = pod_state.scale_up_delay_ns(pod, self._settings.new_pod_scale_up_delay_ns)
        return now_ns - (pod.creation_ns or 0) > delay_ns

    def _is_full(self, world: World) -> bool:
        most = self._settings.max_nodes_total
        return 0 < most <= sum(map(node_state.is_ready, world.nodes.values()))

    def _report_full(self, world: World, stranded: Iterable[PodView]) -> None:
        self._report_capped(world)
        for pod in stranded:
            text = "pod didn't trigger scale-up: max total nodes in cluster reached"
            self._reports.report(pod.raw, NORMAL, "NotTriggerScaleUp", text)

    def _report_capped(self, world: World) -> None:
        text = f"Max total nodes in cluster reached: {self._settings.max_nodes_total}"
        for group in world.groups.values():
            self._reports.report(group.raw, WARNING, "MaxNodesTotalReached", text)

    def _carry_out(self, world: World, plan: ScaleUpPlan) -> bool:
        if plan.is_capped:
            self._report_capped(world)
        for pod, reasons in plan.beyond_help:
            text = f"pod didn't trigger scale-up: {reasons}"
            self._reports.report(pod.raw, NORMAL, "NotTriggerScaleUp", text)
        if not plan.growths:
            return False
        shown = " ".join(map(str, plan.growths))
        self._ask(world, plan.growths)
        for pod in plan.helped:
            text = f"pod triggered scale-up: [{shown}]"
            self._reports.report(pod.raw, NORMAL, "TriggeredScaleUp", text)
        return True

    def _ask(self, world: World, growths: Iterable[Growth]) -> None:
        for growth in growths:
            name, group = growth.group, world.groups[growth.group]
            sizes = f"{growth.new} instead of {growth.current} (max: {growth.most})"
            text = f"Scale-up: setting group {name} size to {sizes}"
            self._reports.report_group(group.raw, NORMAL, "ScaledUpGroup", text)
            self._provider.increase(group, growth.increase)
            self._state.ask(name, growth.increase, world.now_ns)
            text = f"Scale-up: group {name} size set to {sizes}"
            self._reports.report_group(group.raw, NORMAL, "ScaledUpGroup", text)
            self._statuses.stamp(name, "lastScaleUpTime", world.now_ns)
            self._last_ns = world.now_ns


def _to_come_again(snapshot: Snapshot, draining: Collection[str]) -> list[PodView]:
    """The pods that will need another node soon, as theirs is being drained."""
    return [
        msgspec.structs.replace(pod, node_name="")
        for name in draining
        for pod in snapshot.pods(name)
        if pod.deletion_ns is None and pod_state.is_recreated(pod)
    ]


def _without_room(snapshot: Snapshot, waiting: list[PodView]) -> list[PodView]:
    """The pods that fit nowhere once those before them are where they fit."""
    stranded: list[PodView] = []
    hopeless: list[PodView] = []
    for run in equivalence.runs_of(waiting):
        if any(equivalence.are_one_template(each, run[0]) for each in hopeless):
            stranded += run
            continue
        left = run[len(snapshot.place(run)) :]
        if left:
            hopeless.append(left[0])
            stranded += left
    return stranded


def _are_new(pods: Iterable[PodView], now_ns: int) -> bool:
    """Whether even the oldest of the pods has just been created: there may be more to come."""
    created = [(pod.creation_ns or 0, pod_state.wants_gpu(pod)) for pod in pods]
    if min(at_ns for at_ns, _ in created) + _NEW_NS > now_ns:
        return True
    with_gpu = [at_ns for at_ns, wants_gpu in created if wants_gpu]
    return bool(with_gpu) and min(with_gpu) + _NEW_WITH_GPU_NS > now_ns
