"""Bringing the containers of a pod up, each in its turn and as soon as its image is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet.containers import TERMINATED, WAITING
from kubestage.controllers.kubelet.events import NORMAL
from kubestage.objects import distributions

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.addresses import Addresses
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.holding import Holding
    from kubestage.controllers.kubelet.hooks import Hooks
    from kubestage.controllers.kubelet.images import Images
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.probing import Probing
    from kubestage.controllers.kubelet.processes import Processes
    from kubestage.controllers.kubelet.reports import Reports
    from kubestage.objects.distributions import Distribution
    from kubestage.sim.clock import Clock


class Starting:
    """Starts containers, and plans their next steps."""

    def __init__(
        self,
        clock: Clock,
        seed: int,
        events: Events,
        images: Images,
        addresses: Addresses,
        reports: Reports,
        processes: Processes,
        probing: Probing,
        hooks: Hooks,
        holding: Holding | None,
    ) -> None:
        self._clock = clock
        self._seed = seed
        self._events = events
        self._images = images
        self._addresses = addresses
        self._reports = reports
        self._processes = processes
        self._probing = probing
        self._hooks = hooks
        self._holding = holding

    def draw_ns(self, pod: Pod, distribution: Distribution, *purpose: str) -> int:
        """A random duration for one pod, independent of other pods."""
        if distribution.is_constant:
            return int(distribution.first)
        return distribution.sample_ns(
            distributions.stream_of(self._seed, "kubelet", pod.random_key, *purpose)
        )

    def is_held(self, pod: Pod) -> bool:
        """Whether a pod cannot be launched yet, because volumes of it are missing."""
        return self._holding is not None and self._holding.holds_volumes(pod)

    def retry_held(self, pod: Pod) -> None:
        """A pod has changed: containers that wait for what is missing are tried again."""
        if self._holding is not None:
            self._holding.retry(pod)
            self.advance(pod)

    def connect(self, pod: Pod) -> None:
        """A pod is launched: it gets its address."""
        node = pod.node
        assert node is not None
        pod.launched = True
        if not pod.ip:
            address = node.ip if pod.plan.host_network else node.addresses.take()
            pod.ip = address or self._addresses.beyond()

    def move_in(self, pod: Pod, node: Node) -> None:
        """A node came back under its old name: a pod keeps its address and pulls images again."""
        if pod.ip and not pod.plan.host_network:
            node.addresses.keep(pod.ip)
        for each in pod.all_containers():
            if each.pull is not None:
                pod.drop_steps(each)
                each.pull, each.is_busy = None, False
        self.advance(pod)

    def goes_straight(self, pod: Pod) -> bool:
        """Whether all containers of a pod start as soon as it is launched."""
        node, images = pod.node, self._images
        assert node is not None
        if pod.inits or (self._holding is not None and not self._holding.is_free(pod)):
            return False
        return all(
            images.is_at_hand(node, each) and each.plan.launch_delay is None
            for each in pod.containers
        )

    def advance(self, pod: Pod) -> None:
        """Start the containers whose turn it is: init containers one by one, then the others."""
        if not pod.launched or pod.is_over or pod.is_resetting or pod.cause:
            return
        for each in pod.inits:
            if _is_passed(each):
                continue
            if each.state == WAITING and not each.is_busy:
                self.attempt(pod, each)
            if not _is_passed(each):
                return
        for each in pod.containers:
            if each.state == WAITING and not each.is_busy:
                self.attempt(pod, each)
            if each.is_busy and not each.has_run and not each.reason:
                return

    def attempt(self, pod: Pod, container: Container) -> None:
        """Start a container, as soon as its image is there."""
        node = pod.node
        assert node is not None
        at_ns = self._images.ensure(pod, node, container)
        if at_ns is None:
            return
        if at_ns > self._clock.now_ns:
            container.is_busy = True
            pod.plan_step(at_ns, steps.PULLED, container)
            return
        if container.pull is not None:
            self._images.report_pulled(pod, node, container)
        self.launch(pod, container)

    def launch(self, pod: Pod, container: Container) -> None:
        """Start a container after a delay of its own, unless it has to wait for something."""
        if (
            self._holding is not None
            and (container.plan.references or container.plan.sub_paths)
            and self._holding.holds_container(pod, container)
        ):
            return
        distribution = container.plan.launch_delay
        if distribution is not None:
            purpose = ("launch-delay", container.plan.name, str(container.restarts + 1))
            delay_ns = self.draw_ns(pod, distribution, *purpose)
            if delay_ns > 0:
                container.is_busy = True
                pod.plan_step(self._clock.now_ns + delay_ns, steps.BEGIN, container)
                return
        self.start(pod, container)

    def start(self, pod: Pod, container: Container) -> None:
        """Start a container now."""
        container.remember_end()
        container.start(pod.uid, self._events.stamp(), self._clock.now_ns)
        self._events.pod(pod, NORMAL, "Created", "Container created", container)
        self._events.pod(pod, NORMAL, "Started", "Container started", container)
        container.rounds = container.context = None
        if container.plan.words is not None or container.process is not None:
            obj = self._reports.stored(pod)
            if obj is not None:
                self._processes.start(pod, container, obj)
        self.plan_run(pod, container)
        if container.process is not None and not self._hooks.after_start(pod, container):
            pod.plan_step(self._clock.now_ns, steps.HOOK_FAILED, container)
            return
        self.watch(pod, container)

    def watch(self, pod: Pod, container: Container) -> None:
        """Start the probes of a container that runs."""
        startup = container.plan.startup
        if startup is None or container.started:
            self.come_up(pod, container)
            return
        # The first round of a startup probe is not early: it comes with its period.
        first_ns = startup.period_ns
        if self._probing.follows(container, "startup"):
            self._probing.begin(pod, container, "startup", startup.first_round_ns(first_ns))
            return
        after_ns = startup.gives_up_ns(first_ns) if startup.fails else startup.succeeds_ns(first_ns)
        kind = steps.SICK if startup.fails else steps.STARTED
        pod.plan_step(container.started_ns + after_ns, kind, container)

    def plan_run(self, pod: Pod, container: Container) -> None:
        """See when a container that runs will end by itself, and what it uses until then."""
        plan, number = container.plan, str(container.restarts)
        now_ns = self._clock.now_ns
        if now_ns == container.started_ns:
            container.burnt = 0.0
        else:
            container.burnt += container.cpu * (now_ns - container.since_ns)
        container.since_ns = now_ns
        if plan.cpu.is_constant and plan.memory.first.is_constant:
            container.cpu, container.memory = plan.cpu.first, plan.memory.first.first
        else:
            names = ("kubelet", pod.random_key, "usage", plan.name, number)
            stream = distributions.stream_of(self._seed, *names)
            container.cpu = plan.cpu.sample(stream)
            container.memory = plan.memory.sample(stream)
        allocation = container.held or plan.allocation
        if allocation.cpu_limit is not None and container.cpu > allocation.cpu_limit:
            container.cpu = allocation.cpu_limit
        started_ns = container.started_ns
        run_ns = None
        if self._processes.plan(pod, container):
            pass
        elif plan.run_duration is not None:
            run_ns = self.draw_ns(pod, plan.run_duration, "run-duration", plan.name, number)
            pod.plan_step(max(started_ns + run_ns, now_ns), steps.EXIT, container)
        if allocation.memory_limit is not None:
            oom_ns = plan.memory.passes_ns(container.memory, allocation.memory_limit)
            if oom_ns is not None and (run_ns is None or oom_ns < run_ns):
                pod.plan_step(started_ns + oom_ns, steps.OOM, container)

    def resize(self, pod: Pod, container: Container) -> None:
        """A container that runs has other resources from now on."""
        self._processes.resize(pod, container, self._reports.stored(pod))
        pod.drop_kind(steps.EXIT, container)
        pod.drop_kind(steps.OOM, container)
        self.plan_run(pod, container)

    def come_up(self, pod: Pod, container: Container) -> None:
        """A container has started: its readiness and liveness are probed from now on."""
        container.started = container.was_started = True
        plan, started_ns = container.plan, container.started_ns
        readiness, liveness = plan.readiness, plan.liveness
        if readiness is None and liveness is None:
            container.ready = not plan.is_init or plan.is_sidecar
            return
        after_ns = self._clock.now_ns - started_ns
        if readiness is None:
            container.ready = True
        elif self._probing.follows(container, "readiness"):
            container.ready = False
            first_ns = readiness.first_round_ns(after_ns)
            self._probing.begin(pod, container, "readiness", first_ns)
        elif readiness.fails:
            container.ready = False
            pod.plan_step(started_ns + readiness.first_round_ns(after_ns), steps.UNREADY, container)
        else:
            ready_ns = readiness.succeeds_ns(after_ns)
            container.ready = ready_ns <= after_ns
            if not container.ready:
                pod.plan_step(started_ns + ready_ns, steps.READY, container)
        if liveness is not None and self._probing.follows(container, "liveness"):
            first_ns = liveness.first_round_ns(after_ns)
            self._probing.begin(pod, container, "liveness", first_ns)
        elif liveness is not None and liveness.fails:
            pod.plan_step(started_ns + liveness.gives_up_ns(after_ns), steps.SICK, container)


def _is_passed(container: Container) -> bool:
    """Whether those after an init container may start."""
    if container.plan.is_sidecar:
        return container.was_started
    return container.state == TERMINATED and container.exit_code == 0
