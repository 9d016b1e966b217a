"""When the statuses of pods are told: nodes look at their containers now and then only."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kubestage.objects import distributions
from kubestage.sim.alarm import Alarm
from kubestage.sim.rate import Rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.settings import KubeletSettings
    from kubestage.sim.environment import Environment


class ReportingPace:
    """Puts off what is to be told of pods; `tell` is called when the time has come.

    Of a pod that is put off already nothing more is noted: it is told as it is then.
    """

    def __init__(self, environment: Environment, settings: KubeletSettings, seed: int) -> None:
        self._clock = environment.clock
        self._seed = seed
        self._law = distributions.parse(settings.status_delay)
        self._qps, self._burst = settings.client_qps, settings.client_burst
        self._due: list[tuple[int, int, Pod]] = []
        self._waiting: set[str] = set()
        self._count = 0
        self._alarm = Alarm(environment, "KubeletReports", self._on_time)
        self.tell: Callable[[Pod], None] | None = None
        self.is_instant = not (self._law.first or self._law.second or self._qps)

    def puts_off(self, pod: Pod) -> bool:
        """Whether a pod is told of later; one that is new or ends is told of as soon as it can."""
        node = pod.node
        if node is None or pod.deleting or pod.is_over or pod.cause:
            return False
        if pod.uid in self._waiting:
            return True
        at_ns = self._clock.now_ns
        if pod.status is not None:
            names = ("kubelet", pod.luck, "status-delay", str(self._clock.now_ns))
            at_ns += self._law.sample_ns(distributions.stream_of(self._seed, *names))
        if self._qps:
            at_ns = self._client(node).take(at_ns)
        if at_ns <= self._clock.now_ns:
            return False
        self._waiting.add(pod.uid)
        self._count += 1
        heappush(self._due, (at_ns, self._count, pod))
        self._alarm.set(self._due[0][0])
        return True

    def _client(self, node: Node) -> Rate:
        if node.client is None:
            node.client = Rate(self._qps, self._burst)
        return node.client

    def _on_time(self) -> None:
        _, _, pod = heappop(self._due)
        self._waiting.discard(pod.uid)
        if self._due:
            self._alarm.set(self._due[0][0])
        # What a node cannot say now it says when it can be heard again.
        if self.tell is not None and pod.node is not None and pod.node.speaks:
            self.tell(pod)
