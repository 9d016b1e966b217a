"""The run of a pod on its node: the steps that are due, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import ephemeral, restarts
from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet import probing as rounds
from kubestage.controllers.kubelet.containers import (
    ERROR,
    KILLED_CODE,
    OOM_KILLED,
    RUNNING,
    reason_of,
)
from kubestage.controllers.kubelet.events import NORMAL

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.exits import Exits
    from kubestage.controllers.kubelet.images import Images
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.probing import Probing
    from kubestage.controllers.kubelet.processes import Processes
    from kubestage.controllers.kubelet.reports import Reports
    from kubestage.controllers.kubelet.resizing import Resizing
    from kubestage.controllers.kubelet.starting import Starting
    from kubestage.sim.clock import Clock

DEADLINE_EXCEEDED: Final = "DeadlineExceeded"
DEADLINE_TEXT: Final = "Pod was active on the node longer than the specified deadline"


class Running:
    """Carries out what is due for a pod."""

    def __init__(
        self,
        clock: Clock,
        events: Events,
        images: Images,
        starting: Starting,
        exits: Exits,
        resizing: Resizing,
        reports: Reports,
        processes: Processes,
        probing: Probing,
    ) -> None:
        self._clock = clock
        self._events = events
        self._images = images
        self._starting = starting
        self._exits = exits
        self._resizing = resizing
        self._reports = reports
        self._processes = processes
        self._probing = probing

    def proceed(self, pod: Pod) -> None:
        """Do all that is due by now, and report what came of it."""
        now_ns = self._clock.now_ns
        is_changed = pod.is_stale
        pod.is_stale = False
        while not pod.cause and (step := pod.take_step(now_ns)) is not None:
            _, _, kind, container = step
            if container is None:
                is_changed |= self._step_of_pod(pod, kind)
            else:
                self._step_of_container(pod, container, kind)
                is_changed = True
        if is_changed:
            if pod.resize is not None and not pod.is_over:
                self._resizing.resync(pod)
            self._reports.write(pod)

    def retry(self, pod: Pod) -> None:
        """Something has come that containers of a pod could not start without."""
        self._starting.advance(pod)
        self._reports.write(pod)

    def _step_of_pod(self, pod: Pod, kind: str) -> bool:
        """Do a step; whether it changed anything that is worth a report of its own."""
        if kind == steps.DEADLINE:
            self._events.pod(pod, NORMAL, DEADLINE_EXCEEDED, DEADLINE_TEXT)
            pod.cause = DEADLINE_EXCEEDED
            return False
        if kind == steps.RESIZE:
            self._resizing.actuate(pod)
            return True
        if kind == steps.RETRY_RESIZE:
            self._resizing.attempt(pod)
            return True
        if kind == steps.LAUNCHED and self._starting.is_held(pod):
            return False
        pod.is_resetting = False
        self._starting.connect(pod)
        self._starting.advance(pod)
        ephemeral.start(pod, self._starting)
        return any(each.has_run or each.reason for each in pod.all_containers())

    def _step_of_container(self, pod: Pod, container: Container, kind: str) -> None:
        exits = self._exits
        if kind == steps.EXIT:
            code = container.plan.exit_code
            exits.exit(pod, container, code, reason_of(code))
            self._starting.advance(pod)
        elif kind == steps.PROGRAM:
            self._look(pod, container)
        elif kind in steps.PROBES:
            self._probe(pod, container, steps.PROBES[kind])
        elif kind == steps.HOOK_FAILED:
            exits.exit(pod, container, KILLED_CODE, ERROR)
        elif kind == steps.OOM:
            exits.exit(pod, container, KILLED_CODE, OOM_KILLED)
        elif kind == steps.READY:
            container.ready = True
        elif kind == steps.STARTED:
            self._starting.come_up(pod, container)
            self._starting.advance(pod)
        elif kind == steps.UNREADY:
            exits.report_unhealthy(pod, container, "Readiness")
        elif kind == steps.SICK:
            exits.kill_sick(pod, container)
        elif kind == steps.PULL_BACKOFF:
            self._images.hold_back(pod, container)
        else:
            self._come_up(pod, container, kind)

    def _look(self, pod: Pod, container: Container) -> None:
        """See how far a program has come."""
        self._processes.advance(pod, self._reports.stored(pod))
        process = container.process
        if process is None or container.state != RUNNING:
            return
        if not process.is_over:
            # One that turns out not to be modelled goes on as its plan says.
            if not self._processes.plan(pod, container):
                self._starting.plan_run(pod, container)
            return
        code = process.exit_code
        self._exits.exit(pod, container, code, reason_of(code))
        self._starting.advance(pod)

    def _probe(self, pod: Pod, container: Container, name: str) -> None:
        """One round of a probe."""
        self._processes.advance(pod, self._reports.stored(pod))
        process = container.process
        if process is None or container.state != RUNNING or process.is_over:
            return
        verdict, found = self._probing.carry_out(pod, container, name)
        if verdict in (rounds.FAILED, rounds.GAVE_UP):
            self._exits.report_unhealthy(pod, container, name.capitalize(), found)
        if verdict == rounds.SUCCEEDED and name == "startup":
            self._starting.come_up(pod, container)
            self._starting.advance(pod)
            return
        if name == "readiness":
            container.ready |= verdict == rounds.SUCCEEDED
            container.ready &= verdict != rounds.GAVE_UP
        elif verdict == rounds.GAVE_UP:
            self._exits.kill_sick(pod, container, is_reported=True)
            return
        self._probing.plan_next(pod, container, name)

    def _come_up(self, pod: Pod, container: Container, kind: str) -> None:
        """What a container waited for has come: its image, its delay, or its turn to restart."""
        starting, node = self._starting, pod.node
        assert node is not None
        container.is_busy = False
        if kind == steps.PULLED:
            self._images.report_pulled(pod, node, container)
            starting.launch(pod, container)
        elif kind == steps.BEGIN:
            starting.start(pod, container)
        elif kind == steps.RETRY:
            starting.attempt(pod, container)
        else:
            since_ns, ended_ns = container.backoff_since_ns, container.finished_ns
            container.backoff_ns = restarts.next_backoff(container.backoff_ns, since_ns, ended_ns)
            container.backoff_since_ns = self._clock.now_ns
            starting.attempt(pod, container)
        starting.advance(pod)
