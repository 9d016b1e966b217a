"""What others do in containers that run: commands, requests, reading what was printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet.containers import RUNNING, WAITING
from kubestage.controllers.pods import POD
from kubestage.programs import running
from kubestage.programs.calls import Buffer

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.pod_lifecycle import PodLifecycle
    from kubestage.programs.context import ContainerContext
    from kubestage.programs.http import HttpAnswer, HttpRequest
    from kubestage.programs.process import Process
    from kubestage.sim.clock import Clock
    from kubestage.store.store import Store


class Inside:
    """The inside of the containers that this kubelet runs."""

    def __init__(self, lifecycle: PodLifecycle, store: Store, clock: Clock) -> None:
        self._lifecycle = lifecycle
        self._store = store
        self._clock = clock

    def execute(
        self, uid: str, name: str, words: list[str], stdin: bytes | None = None
    ) -> tuple[bytes, bytes, int] | None:
        """Run a command: what it prints, its errors, and its code; None if it does not run here."""
        pod = self._lifecycle.pods.get(uid)
        container = None if pod is None else self._find(pod, name)
        if pod is None or container is None or container.state != RUNNING:
            return None
        context = self._context(pod, container)
        if context is None:
            return None
        before = context.files.version
        out, err = Buffer(), Buffer()
        code = running.finish(words, context, stdin, out, err)
        if context.files.version != before:
            self._lifecycle.touched(pod)
        return out.data, err.data, code

    def request(self, uid: str, port: int, request: HttpRequest) -> HttpAnswer | None:
        """Ask a server in a pod; None if no modelled program serves there."""
        pod = self._lifecycle.pods.get(uid)
        if pod is None:
            return None
        self._advance(pod)
        answer = self._lifecycle.network.answer(pod, port, request)
        if answer is not None:
            self._lifecycle.touched(pod)
        return answer

    def behind(self, service: Json, port: Json) -> list[tuple[str, int]]:
        """The uids of the pods of a Service, with the number of a port there."""
        return [(pod.uid, each) for pod, each in self._lifecycle.network.behind(service, port)]

    def address(self, uid: str) -> str:
        """The address of a pod."""
        pod = self._lifecycle.pods.get(uid)
        return "" if pod is None else pod.ip

    def is_modelled(self, uid: str) -> bool:
        """Whether all that runs in a pod is modelled, so that nothing else can serve there."""
        pod = self._lifecycle.pods.get(uid)
        return pod is not None and all(each.process is not None for each in pod.containers)

    def process(self, uid: str, name: str, is_previous: bool) -> Process | None:
        """What a container runs, or ran before; None if it is not modelled."""
        pod = self._lifecycle.pods.get(uid)
        container = None if pod is None else self._find(pod, name)
        if pod is None or container is None:
            return None
        self._advance(pod)
        if is_previous and container.state != WAITING:
            return container.before
        process = container.process
        return None if process is None or process.unmodelled else process

    def _find(self, pod: Pod, name: str) -> Container | None:
        listed = (*pod.all_containers(), *pod.ephemerals)
        return next((each for each in listed if each.plan.name == name), None)

    def _context(self, pod: Pod, container: Container) -> ContainerContext | None:
        self._advance(pod)
        process = container.process
        if process is not None:
            found = process.context
        else:
            obj = self._stored(pod)
            if obj is None:
                return None
            if container.context is None:
                container.context = self._lifecycle.processes.context(pod, container, obj)
            found = container.context
        found.at(self._clock.now_ns, self._clock.epoch_ns)
        return found

    def _advance(self, pod: Pod) -> None:
        if not pod.is_over and pod.node is not None:
            self._lifecycle.processes.advance(pod, self._stored(pod))

    def _stored(self, pod: Pod) -> Json | None:
        return self._store.read(POD).get(pod.name)
