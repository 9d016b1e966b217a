"""Has groups grow for pods that fit nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.node_autoscaler import cloud_provider, node_state, pod_state, scan_result
from kubestage.controllers.node_autoscaler.cloud_provider import InstanceError
from kubestage.controllers.node_autoscaler.hinting import HintingSimulator
from kubestage.controllers.node_autoscaler.scale_up import FAILED, ScaleUp
from kubestage.controllers.node_autoscaler.scan_result import Fit, NoScaleUp, ScaleUpStatus
from kubestage.golang import sort
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.balancing import Growth
    from kubestage.controllers.node_autoscaler.candidates import LocalDelays
    from kubestage.controllers.node_autoscaler.cloud_provider import CloudProvider
    from kubestage.controllers.node_autoscaler.cluster_state import ClusterState
    from kubestage.controllers.node_autoscaler.expanders import Expander
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.scale_up import ScaleUpPlan
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.templates import Template
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.objects.views.pod import PodView


_NEW_NS: Final = 2 * SECOND_NS
_NEW_WITH_GPU_NS: Final = 30 * SECOND_NS
_REFUSED: Final = "cloudProviderError"
_FULL: Final = "max total nodes in cluster reached"


class Growing:
    """Scale-up, and its state from scan to scan.

    `awaits_more_pods` is whether all pods of the last scan were too new for a decision.
    """

    def __init__(
        self,
        provider: CloudProvider,
        state: ClusterState,
        reports: Reports,
        expander: Expander,
        delays: LocalDelays,
        settings: NodeAutoscalerSettings,
    ) -> None:
        self._provider = provider
        self._state = state
        self._reports = reports
        self._expander = expander
        self._delays = delays
        self._settings = settings
        self._simulator = HintingSimulator()
        self._last_ns = 0
        self.awaits_more_pods = False
        self._has_work = False

    @property
    def is_idle(self) -> bool:
        """Whether no pod waits for a node, and no node is waited for."""
        return not (self._has_work or self._state.requests or self._state.unregistered)

    def begin(self, since_ns: int) -> None:
        """Start as if nodes had been requested at a time."""
        self._last_ns = since_ns

    def in_cooldown(self, now_ns: int) -> bool:
        """Whether no node may go because of a recent scale-up."""
        return self._last_ns + self._settings.scale_down_delay_after_add_ns > now_ns

    def fit(self, snapshot: Snapshot, world: World, draining: Collection[str]) -> Fit:
        """Put waiting pods where they fit, those of nodes that are drained among them."""
        waiting = [*world.unschedulable, *_to_come_again(snapshot, draining)]
        waiting = sort.in_order(waiting, lambda one, other: one.priority > other.priority)
        placements = self._simulator.schedule(snapshot, waiting)
        self._simulator.drop_old_hints()
        self._has_work = bool(world.unschedulable)
        return Fit(waiting, placements)

    def grow(
        self,
        world: World,
        snapshot: Snapshot,
        templates: Mapping[str, Template],
        fit: Fit,
        nodes: Sequence[Json],
    ) -> ScaleUpStatus:
        """Ask for nodes if pods need some."""
        stranded = [
            pod
            for pod in fit.pods
            if pod.uid not in fit.placements
            and not pod_state.is_daemon(pod)
            and self._is_old_enough(pod, world.now_ns)
        ]
        self.awaits_more_pods = False
        if not stranded:
            return ScaleUpStatus(scan_result.SCALE_UP_NOT_NEEDED)
        if self._is_full(world):
            return self._report_full(world, stranded)
        bypasses = bool(self._settings.bypassed_scheduler_names)
        if not bypasses and _are_new(stranded, world.now_ns):
            self.awaits_more_pods = True
            return ScaleUpStatus(scan_result.SCALE_UP_IN_COOLDOWN)
        scale_up = ScaleUp(world, snapshot, templates, self._state, self._settings, nodes)
        plan = scale_up.plan(stranded, self._expander)
        return self._carry_out(world, scale_up, plan)

    def grow_to_least_sizes(
        self,
        world: World,
        snapshot: Snapshot,
        templates: Mapping[str, Template],
        nodes: Sequence[Json],
    ) -> ScaleUpStatus:
        """Ask for nodes where groups are smaller than they should be at least."""
        scale_up = ScaleUp(world, snapshot, templates, self._state, self._settings, nodes)
        plan = scale_up.to_least_sizes()
        if plan.is_capped:
            self._report_capped(world)
        if not plan.growths:
            return ScaleUpStatus(scan_result.SCALE_UP_NOT_NEEDED)
        problem, failed = self._ask(world, plan.growths)
        if problem:
            return ScaleUpStatus(scan_result.SCALE_UP_ERROR, error=problem, failed=failed[:1])
        return self._succeeded(world, ScaleUpStatus(scan_result.SCALE_UP_SUCCESSFUL, plan.growths))

    def report_pods(self, status: ScaleUpStatus) -> None:
        """Report to pods what a decision means for them."""
        if not status.was_successful and status.result != scan_result.SCALE_UP_ERROR:
            is_full = status.result == scan_result.SCALE_UP_LIMITED
            for each in status.remaining:
                why = _FULL if is_full else each.message
                text = f"pod didn't trigger scale-up: {why}"
                self._reports.report(each.pod.raw, NORMAL, "NotTriggerScaleUp", text)
        if status.growths:
            shown = " ".join(map(str, status.growths))
            for pod in status.triggered:
                text = f"pod triggered scale-up: [{shown}]"
                self._reports.report(pod.raw, NORMAL, "TriggeredScaleUp", text)

    def _is_old_enough(self, pod: PodView, now_ns: int) -> bool:
        delay_ns = pod_state.scale_up_delay_ns(pod, self._settings.new_pod_scale_up_delay_ns)
        return now_ns - (pod.creation_ns or 0) > delay_ns

    def _is_full(self, world: World) -> bool:
        most = self._settings.max_nodes_total
        return 0 < most <= sum(map(node_state.is_ready_and_open, world.nodes.values()))

    def _report_full(self, world: World, stranded: Iterable[PodView]) -> ScaleUpStatus:
        self._report_capped(world)
        remaining = [NoScaleUp(pod) for pod in stranded]
        return ScaleUpStatus(scan_result.SCALE_UP_LIMITED, remaining=remaining)

    def _report_capped(self, world: World) -> None:
        text = f"Max total nodes in cluster reached: {self._settings.max_nodes_total}"
        self._reports.report_status(world.groups.values(), WARNING, "MaxNodesTotalReached", text)

    def _carry_out(self, world: World, scale_up: ScaleUp, plan: ScaleUpPlan) -> ScaleUpStatus:
        if plan.is_capped:
            self._report_capped(world)
        if plan.rejection:
            scale_up.reject(plan.rejection)
        if plan.best is None:
            result = scan_result.SCALE_UP_NO_OPTIONS
            return ScaleUpStatus(result, remaining=scale_up.remaining())
        helped = plan.best.pods
        problem, failed = plan.error, list[str]()
        if not problem:
            problem, failed = self._ask(world, plan.growths)
            if problem:
                scale_up.reject(FAILED, failed)
        if problem:
            return ScaleUpStatus(
                scan_result.SCALE_UP_ERROR,
                triggered=helped,
                remaining=scale_up.remaining(),
                error=problem,
                failed=failed[:1],
            )
        status = ScaleUpStatus(
            scan_result.SCALE_UP_SUCCESSFUL,
            plan.growths,
            helped,
            scale_up.remaining(),
            scale_up.awaiting(plan.best.group.name),
        )
        return self._succeeded(world, status)

    def _succeeded(self, world: World, status: ScaleUpStatus) -> ScaleUpStatus:
        self._state.recalculate()
        self._last_ns = world.now_ns
        return status

    def _ask(self, world: World, growths: Sequence[Growth]) -> tuple[str, list[str]]:
        """Have groups grow; why one could not, and the groups that do not from there on."""
        for number, growth in enumerate(growths):
            problem = self._ask_one(world, growth)
            if problem:
                return problem, [each.group for each in growths[number:]]
        return "", []

    def _ask_one(self, world: World, growth: Growth) -> str:
        name, group = growth.group, world.groups[growth.group]
        sizes = f"{growth.new} instead of {growth.current} (max: {growth.most})"
        text = f"Scale-up: setting group {name} size to {sizes}"
        self._reports.report_group(group.raw, NORMAL, "ScaledUpGroup", text)
        problem = self._provider.increase(group, growth.increase)
        if problem:
            text = f"Scale-up failed for group {name}: {problem}"
            self._reports.report_group(group.raw, WARNING, "FailedToScaleUpGroup", text)
            problem = f"failed to increase node group size: {problem}"
            error = InstanceError(cloud_provider.OTHER, _REFUSED, problem)
            self._state.backoff.fail(name, error, world.now_ns)
            return problem
        self._state.ask(world, name, growth.increase)
        self._delays.note_added(name, world.now_ns)
        text = f"Scale-up: group {name} size set to {sizes}"
        self._reports.report_group(group.raw, NORMAL, "ScaledUpGroup", text)
        self._reports.stamp(name, "lastScaleUpTime", world.now_ns)
        return ""


def _to_come_again(snapshot: Snapshot, draining: Collection[str]) -> list[PodView]:
    """The pods that will need another node soon, as theirs is being drained."""
    return [
        msgspec.structs.replace(pod, node_name="")
        for name in draining
        for pod in snapshot.pods(name)
        if pod.deletion_ns is None and pod_state.is_recreated(pod)
    ]


def _are_new(pods: Iterable[PodView], now_ns: int) -> bool:
    """Whether even the oldest of the pods has just been created: there may be more to come."""
    created = [(pod.creation_ns or 0, pod_state.wants_gpu(pod)) for pod in pods]
    if min(at_ns for at_ns, _ in created) + _NEW_NS > now_ns:
        return True
    with_gpu = [at_ns for at_ns, wants_gpu in created if wants_gpu]
    return bool(with_gpu) and min(with_gpu) + _NEW_WITH_GPU_NS > now_ns
