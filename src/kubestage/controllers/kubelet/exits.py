"""What follows when a container ends: it starts again, sooner or later, or its pod is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import phases, restarts
from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet.containers import ERROR, KILLED_CODE, RUNNING, TERMINATED
from kubestage.controllers.kubelet.events import NORMAL, WARNING
from kubestage.golang import durations

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.processes import Processes
    from kubestage.controllers.kubelet.reports import Reports
    from kubestage.sim.clock import Clock

COMPLETED: Final = "Completed"
_BACKOFF: Final = "CrashLoopBackOff"
_REMOVED: Final = "The container is removed because RestartAllContainers in place"


class Exits:
    """Decides what happens to containers and pods after an exit."""

    def __init__(
        self, clock: Clock, events: Events, reports: Reports, processes: Processes
    ) -> None:
        self._processes = processes
        self._clock = clock
        self._events = events
        self._reports = reports

    def exit(self, pod: Pod, container: Container, code: int, reason: str) -> None:
        """A container has ended."""
        now_ns = self._clock.now_ns
        pod.drop_steps(container)
        container.end(code, reason, self._events.stamp(), now_ns)
        if container.process is not None:
            container.message = self._processes.message(container, code)
        policy = container.plan.restart
        if policy.rules and policy.action(code) == restarts.RESTART_ALL:
            self._reset(pod)
        elif policy.restarts(code):
            self._hold_back(pod, container)
        else:
            self._decide(pod)

    def replace(self, pod: Pod, container: Container) -> None:
        """A running container has changed: stop it and start it again at once."""
        plan = container.plan
        kind = "Init container" if plan.is_init else "Container"
        text = f"{kind} {plan.name} definition changed"
        if not plan.is_init:
            text += ", will be restarted"
        self._start_anew(pod, container, text)

    def restart_resized(self, pod: Pod, container: Container) -> None:
        """A running container gets other resources, for which it has to start again."""
        self._start_anew(pod, container, f"Container {container.plan.name} resize requires restart")

    def _start_anew(self, pod: Pod, container: Container, why: str) -> None:
        self._events.pod(pod, NORMAL, "Killing", why, container)
        pod.drop_steps(container)
        container.end(0, COMPLETED, self._events.stamp(), self._clock.now_ns)
        container.backoff_ns = 0
        self._hold_back(pod, container)

    def kill_sick(self, pod: Pod, container: Container, *, is_reported: bool = False) -> None:
        """A container's probe has failed too often: it is killed."""
        plan = container.plan
        probe = "Liveness" if container.started else "Startup"
        if not is_reported:
            self.report_unhealthy(pod, container, probe)
        text = f"Container {plan.name} failed {probe.lower()} probe"
        if plan.is_init:
            text = f"Init container {plan.name} failed {probe.lower()} probe"
        elif plan.restart.policy != "Never":
            text += ", will be restarted"
        self._events.pod(pod, NORMAL, "Killing", text, container)
        self.exit(pod, container, KILLED_CODE, ERROR)

    def report_unhealthy(
        self, pod: Pod, container: Container, probe: str, found: str | None = None
    ) -> None:
        """A probe has failed; `found` is what it found, if that is known."""
        plan = container.plan
        probes = {"Liveness": plan.liveness, "Startup": plan.startup, "Readiness": plan.readiness}
        failed = probes[probe]
        output = failed.output if failed else ""
        if found is not None:
            output = found
        self._events.pod(pod, WARNING, "Unhealthy", f"{probe} probe failed: {output}", container)

    def _decide(self, pod: Pod) -> None:
        """See whether a pod is over. One whose sidecars still run has to end them first."""
        if pod.is_over or not _has_nothing_left(pod):
            return
        if pod.running():
            pod.cause = COMPLETED
            return
        pod.is_over = True
        pod.drop_steps()
        pod.phase = phases.phase_of(pod, is_over=True)
        assert pod.node is not None
        pod.node.release(pod)

    def goes_straight(self, pod: Pod) -> bool:
        """Whether a pod is over as soon as its container has run its course."""
        if pod.inits or len(pod.containers) != 1:
            return False
        plan = pod.containers[0].plan
        return not plan.restart.restarts(plan.exit_code)

    def _hold_back(self, pod: Pod, container: Container) -> None:
        """Have a container start again: at once the first time, then later and later."""
        now_ns, backoff_ns = self._clock.now_ns, container.backoff_ns
        container.is_busy = True
        forgiven = now_ns - container.backoff_since_ns > restarts.FORGIVEN_AFTER_NS
        if not backoff_ns or forgiven:
            self._reports.write(pod)
            pod.plan_step(now_ns, steps.RESTART, container)
            return
        name, who = container.plan.name, pod.described
        text = f"Back-off restarting failed container {name} in pod {who}"
        self._events.pod(pod, WARNING, "BackOff", text, container)
        held = durations.go_string(backoff_ns)
        why = f"back-off {held} restarting failed container={name} pod={who}"
        container.wait(_BACKOFF, why)
        pod.plan_step(now_ns + backoff_ns, steps.RESTART, container)

    def _reset(self, pod: Pod) -> None:
        """End all containers, to start them again from the first init container on."""
        now_ns, stamp = self._clock.now_ns, self._events.stamp()
        deadline = [step for step in pod.steps if step[2] == steps.DEADLINE]
        pod.steps = deadline
        for each in pod.all_containers():
            if each.state == RUNNING:
                each.end(KILLED_CODE, phases.RESTARTING_ALL, stamp, now_ns)
                each.message = _REMOVED
            if each.has_run:
                each.wait(phases.RESTARTING_ALL, _REMOVED)
            each.is_busy = each.was_started = False
        pod.is_resetting = True
        # A second, as the kubelet relists its containers: otherwise those that end at
        # once go round without end in no time.
        pod.plan_step(now_ns + durations.SECOND, steps.RESET)


def _has_nothing_left(pod: Pod) -> bool:
    """Whether no container is going to run that the pod is there for."""
    for each in pod.inits:
        if not each.plan.is_sidecar and _has_failed(each):
            return True
    return all(
        each.state == TERMINATED and not each.plan.restart.restarts(each.exit_code)
        for each in pod.containers
    )


def _has_failed(init: Container) -> bool:
    ended = init.state == TERMINATED and init.exit_code != 0
    return ended and not init.plan.restart.restarts(init.exit_code)
