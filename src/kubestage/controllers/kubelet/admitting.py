"""A pod comes to its node: it is taken or refused, and one that runs already is taken over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import admission, allocation, ephemeral, phases, statuses
from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet.containers import RUNNING, TERMINATED, Container
from kubestage.controllers.kubelet.events import WARNING
from kubestage.controllers.kubelet.restarts import FIRST_BACKOFF_NS
from kubestage.objects import qos, timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.launching import Launching
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.plan import Plans
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.reports import Reports
    from kubestage.controllers.kubelet.starting import Starting
    from kubestage.sim.clock import Clock


_NO_LABELS: Final[dict[str, str]] = {}
_STATUSES: Final = (
    "initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses",
)  # fmt: skip


class Admitting:
    """Takes pods in."""

    def __init__(
        self,
        clock: Clock,
        plans: Plans,
        events: Events,
        starting: Starting,
        reports: Reports,
        launching: Launching,
    ) -> None:
        self._launching = launching
        self._clock = clock
        self._plans = plans
        self._events = events
        self._starting = starting
        self._reports = reports

    def admit(self, pod: Pod, node: Node, obj: Json) -> bool:
        """Admit or refuse a pod; returns whether it was admitted. A terminating pod is admitted."""
        self._acquaint(pod, node, obj)
        stored: Json = obj.get("status") or {}
        is_running = stored.get("phase") == phases.RUNS
        if not is_running and not pod.deleting:
            labels = obj["metadata"].get("labels") or _NO_LABELS
            refusal = admission.admit(pod.plan, labels, node)
            if refusal is not None:
                pod.is_over = True
                self._events.pod(pod, WARNING, *refusal)
                self._reports.refuse(pod, refusal)
                return False
        node.take(pod)
        for problem in pod.plan.problems:
            self._events.pod(pod, WARNING, "InvalidAnnotation", problem)
        if pod.plan.deadline_ns is not None:
            pod.plan_step(pod.start_ns + pod.plan.deadline_ns, steps.DEADLINE)
        if is_running:
            self._take_over(pod, node, stored)
            return True
        pod.phase = phases.PENDING
        pod.plan_step(self._launching.launched_ns(pod, node, obj), steps.LAUNCHED)
        return True

    def _acquaint(self, pod: Pod, node: Node, obj: Json) -> None:
        metadata: Json = obj["metadata"]
        stored: Json = obj.get("status") or {}
        spec_in_force = allocation.recorded(obj) if stored.get("phase") == phases.RUNS else obj
        pod.plan = self._plans.plan_for(spec_in_force)
        if spec_in_force is not obj:
            # A resize was under way when it was recorded.
            pod.is_changed = True
        pod.node = node
        pod.qos = qos.of(obj)
        pod.generation = metadata.get("generation") or 0
        pod.admitted_version = metadata["resourceVersion"]
        started_at = stored.get("startTime")
        if started_at:
            pod.start_time = started_at
            pod.start_ns = timestamps.parse_time(started_at) - self._clock.epoch_ns
        else:
            pod.start_time, pod.start_ns = self._events.stamp(), self._clock.now_ns
        pod.since = statuses.recall(stored.get("conditions"))
        pod.inits = tuple([Container(plan) for plan in pod.plan.inits])
        pod.containers = tuple([Container(plan) for plan in pod.plan.containers])
        ephemeral.meet(pod, obj, self._plans)

    def _take_over(self, pod: Pod, node: Node, stored: Json) -> None:
        """A pod was recorded while it ran: it goes on from there."""
        pod.phase, pod.launched = phases.RUNS, True
        pod.status, pod.conditions = stored, stored.get("conditions")
        pod.extras = statuses.of_others(pod.conditions or ())
        pod.ip = stored.get("podIP") or ""
        if pod.ip:
            node.addresses.keep(pod.ip)
        else:
            self._starting.connect(pod)
        known = {each["name"]: each for part in _STATUSES for each in stored.get(part) or ()}
        for container in pod.all_containers():
            self._recall(pod, container, known.get(container.plan.name))
        for container in pod.ephemerals:
            if container.plan.name in known:
                self._recall(pod, container, known[container.plan.name])
        ephemeral.start(pod, self._starting)

    def _recall(self, pod: Pod, container: Container, status: Json | None) -> None:
        is_passing = container.plan.is_init and not container.plan.is_sidecar
        if status is None:
            # Recorded without container statuses: a pod that runs has run its inits.
            status = {"ready": True, "state": {}}
            status["state"] = {"terminated": {"exitCode": 0}} if is_passing else {"running": {}}
        container.restarts = status.get("restartCount") or 0
        container.id = status.get("containerID") or ""
        container.ready = bool(status.get("ready"))
        container.last = (status.get("lastState") or {}).get("terminated")
        state = status.get("state") or {}
        if "running" in state:
            self._recall_running(pod, container, state["running"], status)
        elif "terminated" in state:
            ended = state["terminated"]
            container.state = TERMINATED
            container.exit_code = ended.get("exitCode") or 0
            container.reason, container.message = (
                ended.get("reason") or "",
                ended.get("message") or "",
            )
            container.started_at, container.finished = (
                ended.get("startedAt"),
                ended.get("finishedAt"),
            )
        else:
            waiting = state.get("waiting") or {}
            container.reason, container.message = (
                waiting.get("reason") or "",
                waiting.get("message") or "",
            )
            container.is_busy = True
            container.backoff_ns, container.backoff_since_ns = FIRST_BACKOFF_NS, self._clock.now_ns
            pod.plan_step(self._clock.now_ns + FIRST_BACKOFF_NS, steps.RESTART, container)

    def _recall_running(self, pod: Pod, container: Container, running: Json, status: Json) -> None:
        started_at = running.get("startedAt") or pod.start_time
        container.state = RUNNING
        container.started_at = started_at
        if pod.is_restored:
            container.started_ns = timestamps.parse_time(started_at) - self._clock.epoch_ns
            container.started = container.was_started = bool(status.get("started"))
            was_ready = container.ready
            self._starting.plan_run(pod, container)
            self._starting.watch(pod, container)
            container.ready |= was_ready
            return
        # Its past is not known to the stage: its time counts from now.
        container.started_ns = self._clock.now_ns
        container.started = container.was_started = bool(status.get("started", True))
        self._starting.plan_run(pod, container)
        if not container.ready:
            self._starting.come_up(pod, container)
