"""The programs that run in containers: started, looked at, stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet import programs
from kubestage.controllers.kubelet.containers import KILLED_CODE, RUNNING
from kubestage.errors import Unmodelled
from kubestage.objects import distributions
from kubestage.programs import environment, kernel, root
from kubestage.programs.context import ContainerContext
from kubestage.programs.process import Process
from kubestage.programs.tree import FileError
from kubestage.programs.volumes import Disks, Volumes
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.network import Network
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.sim.clock import Clock
    from kubestage.store.store import Store

RELIST_NS: Final = SECOND_NS
"""How long it takes a node at least to see that a container has ended."""
_MOST_MESSAGE: Final = 4096
_MOST_FALLBACK: Final = 2048
_FALLBACK_LINES: Final = 80


class Processes:
    """Runs programs."""

    def __init__(self, clock: Clock, store: Store, seed: int, network: Network) -> None:
        self._clock = clock
        self._store = store
        self._seed = seed
        self._network = network
        self._disks = Disks()
        self._volumes: dict[str, Volumes] = {}

    def start(self, pod: Pod, container: Container, obj: Json) -> None:
        """A container starts: so does its program, if it is modelled."""
        container.before, container.process = container.process, None
        words = container.plan.words
        if words is None:
            return
        context = self.context(pod, container, obj)
        known = context.variables
        expanded = tuple(environment.expanded(each, known) for each in words)
        if not programs.is_modelled(expanded):
            return
        process = Process(list(expanded), context, self._clock.epoch_ns)
        process.run(self._clock.now_ns)
        if not process.unmodelled:
            container.process = process

    def context(self, pod: Pod, container: Container, obj: Json) -> ContainerContext:
        """What a container has when it starts."""
        stated, now_ns, shown = container.plan.stated, self._clock.now_ns, self._shown(pod, obj)
        variables = environment.environment_variables(self._store, shown, stated)
        volumes = self._volumes.get(pod.uid)
        if volumes is None:
            volumes = self._volumes[pod.uid] = Volumes(self._store, self._disks)
        node = pod.node
        assert node is not None
        files = root.files_of(shown, stated, volumes, variables, now_ns, node.cpus)
        if container.held is not None:
            kernel.limit(files, container.held.shown, pod.plan.allocation.pod_level or {})
        names = ("kubelet", pod.random_key, "program", container.plan.name, str(container.restarts))
        stream = distributions.stream_of(self._seed, *names)
        ask = self._network.asker(pod.uid)
        lookup = self._network.names.lookup
        made = ContainerContext(shown, stated, files, variables, stream, ask, lookup)
        made.at(now_ns, self._clock.epoch_ns)
        return made

    def resize(self, pod: Pod, container: Container, obj: Json | None) -> None:
        """A container has other resources from now on."""
        self.advance(pod, obj)
        process = container.process
        context = container.context if process is None else process.context
        if context is not None:
            shown = container.plan.allocation.shown
            kernel.limit(context.files, shown, pod.plan.allocation.pod_level or {})

    def forget(self, pod: Pod) -> None:
        """A pod is gone, and its volumes with it."""
        self._volumes.pop(pod.uid, None)

    def advance(self, pod: Pod, obj: Json | None) -> None:
        """Let the programs of a pod run up to now, in the order in which they are due."""
        now_ns = self._clock.now_ns
        running = [
            each.process
            for each in (*pod.all_containers(), *pod.ephemerals)
            if each.process is not None and each.state == RUNNING
        ]
        volumes = self._volumes.get(pod.uid)
        while True:
            due = [each for each in running if each.wake_ns is not None and each.wake_ns <= now_ns]
            if not due:
                break
            first = min(due, key=lambda each: each.wake_ns or 0)
            wake_ns = first.wake_ns
            assert wake_ns is not None
            if volumes is not None and obj is not None:
                volumes.refresh(self._shown(pod, obj), wake_ns)
            first.advance(wake_ns)
        for each in running:
            each.advance(now_ns)
        if volumes is not None and obj is not None:
            volumes.refresh(self._shown(pod, obj), now_ns)

    def plan(self, pod: Pod, container: Container) -> bool:
        """Plan when a program is looked at again; whether it is followed at all."""
        process = container.process
        if process is None or process.unmodelled:
            return False
        due_ns = process.ended_ns if process.is_over else process.due_ns
        if due_ns is not None:
            if process.is_over:
                due_ns = max(due_ns, container.started_ns + RELIST_NS)
            process.visits += 1
            pod.plan_step(due_ns, steps.PROGRAM, container)
        return True

    def stop(self, container: Container, at_ns: int, left_ns: int) -> tuple[int, int] | None:
        """Stop a program: when it ends and how; None if it does not handle the signal."""
        process = container.process
        if process is None or not process.signal("TERM", at_ns):
            return None
        process.advance(at_ns + left_ns)
        if process.ended_ns is not None:
            return process.ended_ns, process.exit_code
        return None if process.unmodelled else (at_ns + left_ns, KILLED_CODE)

    def message(self, container: Container, exit_code: int) -> str:
        """What a container that has ended leaves behind as its message."""
        process = container.process
        if process is None:
            return ""
        stated = container.plan.stated
        path = stated.get("terminationMessagePath") or root.TERMINATION_LOG
        try:
            written = process.context.files.find(path).data
        except (FileError, Unmodelled):
            written = b""
        falls_back = stated.get("terminationMessagePolicy") == "FallbackToLogsOnError"
        if not written and exit_code and falls_back:
            logged = b"".join(each.data for each in process.log)[-_MOST_FALLBACK:]
            written = b"".join(logged.splitlines(keepends=True)[-_FALLBACK_LINES:])
        return written[:_MOST_MESSAGE].decode("utf-8", "replace")

    def _shown(self, pod: Pod, obj: Json) -> Json:
        """A pod as its containers see it: they start before their addresses are reported."""
        status = obj.get("status") or {}
        node = pod.node
        assert node is not None
        added = {"hostIP": node.ip, "hostIPs": node.ips}
        if pod.ip:
            added |= {"podIP": pod.ip, "podIPs": [{"ip": pod.ip}]}
        return {**obj, "status": {**status, **added}}
