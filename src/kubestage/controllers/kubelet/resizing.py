"""Giving pods other resources while they run: whether the node has them, and when they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import admission, resize, usage
from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet.containers import RUNNING
from kubestage.controllers.kubelet.events import NORMAL, WARNING
from kubestage.controllers.kubelet.resize import Resize
from kubestage.golang import durations
from kubestage.objects import label_requirement, qos

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.exits import Exits
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.plan import PodPlan
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.reports import Reports
    from kubestage.controllers.kubelet.starting import Starting
    from kubestage.objects.distributions import Distribution
    from kubestage.sim.clock import Clock


_RETRY_NS: Final = 3 * durations.MINUTE


class Resizing:
    """Grants resizes, puts them into effect, and reports both."""

    def __init__(
        self,
        clock: Clock,
        delay: Distribution,
        events: Events,
        starting: Starting,
        exits: Exits,
        reports: Reports,
    ) -> None:
        self._clock = clock
        self._delay = delay
        self._events = events
        self._starting = starting
        self._exits = exits
        self._reports = reports

    def ask(self, pod: Pod, desired: PodPlan) -> None:
        """A pod requests other resources than it has."""
        pod.resize = pod.resize or Resize()
        pod.resize.wants = desired
        self.attempt(pod)

    def withdraw(self, pod: Pod) -> None:
        """A pod requests what it has: drop the pending resize."""
        if pod.resize is not None and pod.resize.wants is not None:
            pod.resize.wants = pod.resize.pending = None
            self._settle(pod)

    def attempt(self, pod: Pod) -> None:
        """Grant what a pod requests, if its node has it; otherwise try again later."""
        node, obj = pod.node, self._reports.stored(pod)
        assert node is not None
        if pod.resize is None or pod.resize.wants is None or obj is None:
            return
        generation = obj["metadata"].get("generation") or 0
        desired = pod.resize.wants
        node.leave_out(pod)
        refusal = admission.admit(desired, obj["metadata"].get("labels") or {}, node)
        if refusal is None:
            self._grant(pod, pod.resize, desired, generation)
        else:
            self._defer(pod, pod.resize, refusal, generation)
        node.take(pod)

    def actuate(self, pod: Pod) -> None:
        """Give the containers of a pod what was granted; some have to restart for it."""
        state = pod.resize
        if state is None or state.progress is None:
            return
        concerned = [each for each in pod.all_containers() if each.held is not None]
        updates = [each for each in concerned if not _must_restart(each)]
        for each in concerned:
            if each not in updates:
                self._exits.restart_resized(pod, each)
        problem = self._too_tight(pod, state, updates, len(updates) < len(concerned))
        if problem:
            self._fail(pod, state, problem)
            return
        for each in updates:
            each.held = None
            self._starting.resize(pod, each)
        self._complete(pod, state)

    def resync(self, pod: Pod) -> None:
        """What could not be put into effect may be possible by now."""
        if pod.resize is not None and pod.resize.has_failed:
            self.actuate(pod)

    def waiting(self, node: Node) -> list[Pod]:
        """The pods of a node whose resizes wait for room, in the order of their turns."""
        return sorted(node.deferred.values(), key=self._turn)

    def _turn(self, pod: Pod) -> tuple[bool, int, bool, str]:
        """Requests for no more go first, then by priority, quality of service and waiting time."""
        state, obj = pod.resize, self._reports.stored(pod)
        assert state is not None
        assert state.wants is not None
        now, desired = pod.plan.scheduling.fit_request, state.wants.scheduling.fit_request
        grows = desired.milli_cpu > now.milli_cpu or desired.memory > now.memory
        priority = 0 if obj is None else obj["spec"].get("priority") or 0
        since = (state.pending or {}).get("lastTransitionTime") or ""
        return grows, -priority, pod.qos != qos.GUARANTEED, since

    def _grant(self, pod: Pod, state: Resize, desired: PodPlan, generation: int) -> None:
        plans = {each.name: each for each in (*desired.inits, *desired.containers)}
        state.held = state.held or pod.plan
        pod.plan = desired
        for each in pod.all_containers():
            new = plans[each.plan.name]
            had = each.held or each.plan.allocation
            each.plan = new
            if each.state == RUNNING and had.amounts != new.allocation.amounts:
                each.held = had
            else:
                each.held = None
        state.wants = state.pending = None
        stamp = self._events.stamp()
        state.progress = resize.condition(resize.IN_PROGRESS, None, generation, "", "", stamp)
        self._events.pod(
            pod, NORMAL, "ResizeStarted", resize.describe("started", desired, generation)
        )
        pod.drop_kind(steps.RESIZE)
        pod.drop_kind(steps.RETRY_RESIZE)
        delay_ns = self._starting.draw_ns(pod, self._delay, "resize-delay", str(generation))
        pod.plan_step(self._clock.now_ns + delay_ns, steps.RESIZE)
        assert pod.node is not None
        pod.node.deferred.pop(pod.uid, None)

    def _defer(self, pod: Pod, state: Resize, refusal: admission.Refusal, generation: int) -> None:
        before = state.pending
        state.pending = resize.condition(
            resize.PENDING,
            before,
            generation,
            resize.DEFERRED,
            refusal.message,
            self._events.stamp(),
        )
        if before is None or before["observedGeneration"] != generation:
            assert state.wants is not None
            text = resize.describe(refusal.reason, state.wants, generation, refusal.message)
            self._events.pod(pod, WARNING, "ResizeDeferred", text)
        pod.drop_kind(steps.RETRY_RESIZE)
        pod.plan_step(self._clock.now_ns + _RETRY_NS, steps.RETRY_RESIZE)
        assert pod.node is not None
        pod.node.deferred[pod.uid] = pod

    def _fail(self, pod: Pod, state: Resize, problem: str) -> None:
        before = state.progress
        assert before is not None
        generation = before["observedGeneration"]
        state.progress = resize.condition(
            resize.IN_PROGRESS, before, generation, resize.ERROR, problem, self._events.stamp()
        )
        if state.progress is not before:
            text = resize.describe("error", pod.plan, generation, problem)
            self._events.pod(pod, WARNING, "ResizeError", text)

    def _complete(self, pod: Pod, state: Resize) -> None:
        assert state.progress is not None
        generation = state.progress["observedGeneration"]
        state.progress = state.held = None
        text = resize.describe("completed", pod.plan, generation)
        self._events.pod(pod, NORMAL, "ResizeCompleted", text)
        self._settle(pod)

    def _settle(self, pod: Pod) -> None:
        if pod.resize is not None and pod.resize.is_over:
            pod.resize = None
            pod.drop_kind(steps.RETRY_RESIZE)
            assert pod.node is not None
            pod.node.deferred.pop(pod.uid, None)

    def _too_tight(
        self, pod: Pod, state: Resize, updates: list[Container], has_restarts: bool
    ) -> str:
        """Why limits of memory cannot shrink as they should: more than that is in use."""
        memory = [each for each in updates if _changes_memory(each)]
        if not memory and not has_restarts:
            return ""
        used = round(usage.pod_usage(pod, self._clock.now_ns).memory)
        problems = []
        new = pod.plan.allocation.memory_limit
        old = None if state.held is None else state.held.allocation.memory_limit
        if new is not None and (old is None or new < old) and used >= new:
            problems.append(
                f"attempting to set pod memory limit ({new}) below current usage ({used})"
            )
        for each in memory:
            assert each.held is not None
            limit, had = each.plan.allocation.amounts.memory_limit, each.held.amounts.memory_limit
            used_here = round(usage.memory_of(each, self._clock.now_ns))
            if limit and (not had or limit < had) and used_here >= limit:
                name = each.plan.name
                problems.append(
                    f'attempting to set container "{name}" memory limit ({limit}) '
                    f"below current usage ({used_here})"
                )
        if not problems:
            return ""
        return f"cannot decrease memory limits: {label_requirement.aggregate(problems)}"


def _must_restart(container: Container) -> bool:
    assert container.held is not None
    return container.plan.allocation.must_restart(container.held.amounts)


def _changes_memory(container: Container) -> bool:
    assert container.held is not None
    return container.plan.allocation.amounts[:2] != container.held.amounts[:2]
