"""The end of a pod: its containers get the signal to stop, and their grace period."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import phases
from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet.containers import KILLED_CODE, RUNNING, TERMINATED, reason_of
from kubestage.controllers.kubelet.events import NORMAL
from kubestage.controllers.kubelet.processes import RELIST_NS
from kubestage.controllers.kubelet.running import DEADLINE_EXCEEDED, DEADLINE_TEXT
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.hooks import Hooks
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.processes import Processes
    from kubestage.controllers.kubelet.reports import Reports
    from kubestage.controllers.kubelet.starting import Starting
    from kubestage.sim.clock import Clock

_LEAST_GRACE_NS: Final = 2 * SECOND_NS
_TERM_CODE: Final = 143
_LOST: Final = "The container could not be located when the pod was terminated"


class Ending:
    """Ends pods."""

    def __init__(
        self,
        clock: Clock,
        events: Events,
        starting: Starting,
        reports: Reports,
        processes: Processes,
        hooks: Hooks,
    ) -> None:
        self._processes = processes
        self._hooks = hooks
        self._clock = clock
        self._events = events
        self._starting = starting
        self._reports = reports

    def begin(self, pod: Pod) -> None:
        """Stop the containers of a pod; sidecars stop after the others, last one first."""
        now_ns = self._clock.now_ns
        pod.drop_steps()
        if any(each.process is not None for each in pod.all_containers()):
            self._processes.advance(pod, self._reports.stored(pod))
        grace_ns = pod.grace_ns if pod.deleting else pod.plan.grace_ns
        turn_ns = now_ns
        for each in pod.containers:
            if each.state == RUNNING:
                self._stop(pod, each, now_ns, grace_ns)
                assert each.ends is not None
                turn_ns = max(turn_ns, each.ends[0])
        for each in reversed(pod.inits):
            if each.state == RUNNING:
                from_ns = turn_ns if each.plan.is_sidecar else now_ns
                self._stop(pod, each, from_ns, grace_ns - (from_ns - now_ns))
                assert each.ends is not None
                turn_ns = max(turn_ns, each.ends[0])
        if any(each.process is not None for each in pod.running()):
            # A program may end at its signal, but the node does not see it at that moment.
            turn_ns = max(turn_ns, now_ns + RELIST_NS)
        pod.plan_step(turn_ns, steps.ENDED)

    def hurry(self, pod: Pod) -> None:
        """The grace of a pod that is ending became shorter."""
        last_ns = self._clock.now_ns + pod.grace_ns
        until_ns = self._clock.now_ns
        for each in pod.running():
            if each.ends is not None and each.ends[0] > last_ns:
                each.ends = (last_ns, KILLED_CODE)
            if each.ends is not None:
                until_ns = max(until_ns, each.ends[0])
        pod.drop_steps()
        pod.plan_step(until_ns, steps.ENDED)

    def finish(self, pod: Pod) -> None:
        """All containers have stopped: report how, and let the pod go if it was to go."""
        pod.drop_steps()
        if not pod.is_over:
            self._close(pod)
            self._reports.write(pod)
        if pod.deleting:
            self._reports.remove(pod)

    def _stop(self, pod: Pod, container: Container, from_ns: int, grace_ns: int) -> None:
        plan = container.plan
        self._events.pod(pod, NORMAL, "Killing", f"Stopping container {plan.name}", container)
        grace_ns = max(grace_ns, 0)
        hook_ns = min(plan.pre_stop_ns, grace_ns)
        left_ns = max(grace_ns - hook_ns, _LEAST_GRACE_NS)
        if container.process is not None:
            self._hooks.before_stop(pod, container)
            container.ends = self._processes.stop(container, from_ns + hook_ns, left_ns)
            if container.ends is not None:
                return
        number = str(container.restarts)
        purpose = ("terminate-delay", plan.name, number)
        delay_ns = self._starting.draw_ns(pod, plan.terminate_delay, *purpose)
        if delay_ns > left_ns:
            container.ends = (from_ns + hook_ns + left_ns, KILLED_CODE)
            return
        # Servers know how to stop; what runs to its end by itself dies of the signal.
        code = 0 if pod.plan.restart_policy == "Always" or plan.is_sidecar else _TERM_CODE
        container.ends = (from_ns + hook_ns + delay_ns, code)

    def _close(self, pod: Pod) -> None:
        node, epoch_ns = pod.node, self._clock.epoch_ns
        assert node is not None
        for each in pod.running():
            assert each.ends is not None
            at_ns, code = each.ends
            stamp = timestamps.format_time(epoch_ns + at_ns)
            each.end(code, reason_of(code), stamp, at_ns)
            if each.process is not None:
                each.message = self._processes.message(each, code)
        pod.phase = phases.phase_of(pod, is_over=True)
        if pod.cause == DEADLINE_EXCEEDED:
            pod.phase = phases.FAILED
            pod.reason, pod.message = DEADLINE_EXCEEDED, DEADLINE_TEXT
        if pod.phase not in (phases.SUCCEEDED, phases.FAILED):
            _give_up(pod)
        pod.is_over = True
        node.release(pod)


def _give_up(pod: Pod) -> None:
    """A pod ends before all of its containers ran: what never ran counts as lost."""
    pod.phase = phases.FAILED
    if not pod.inits or any(each.has_run for each in pod.containers) or _has_passed(pod.inits[-1]):
        _lose(pod.containers)
    attempted = [number for number, each in enumerate(pod.inits) if each.has_run]
    _lose(pod.inits[: attempted[-1] + 1] if attempted else pod.inits[:1])


def _has_passed(init: Container) -> bool:
    if init.plan.is_sidecar:
        return init.was_started
    return init.state == TERMINATED and init.exit_code == 0


def _lose(containers: Sequence[Container]) -> None:
    for each in containers:
        if each.state != TERMINATED:
            each.lose(_LOST)
