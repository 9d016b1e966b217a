"""When the statuses of pods are reported: nodes relist their containers only periodically."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kubestage.golang.rate import Limiter
from kubestage.objects import distributions

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.settings import KubeletSettings
    from kubestage.sim.environment import Environment


class ReportingPace:
    """Delays the reports of pods; `report` is called when the time has come.

    A pod that is delayed already is reported once, as it is then.
    """

    def __init__(self, environment: Environment, settings: KubeletSettings, seed: int) -> None:
        self._clock = environment.clock
        self._seed = seed
        self._delay = distributions.parse(settings.status_delay)
        self._qps, self._burst = settings.client_qps, settings.client_burst
        self._due: list[tuple[int, int, Pod]] = []
        self._waiting: set[str] = set()
        self._count = 0
        self._timer = environment.timer("KubeletReports", self._on_time)
        self.report: Callable[[Pod], None] | None = None
        self.is_instant = not (self._delay.first or self._delay.second or self._qps)

    def puts_off(self, pod: Pod) -> bool:
        """Whether a pod is reported later; a new pod or one that ends is reported at once."""
        node = pod.node
        if node is None or pod.deleting or pod.is_over or pod.cause:
            return False
        if pod.uid in self._waiting:
            return True
        at_ns = self._clock.now_ns
        if pod.status is not None:
            names = ("kubelet", pod.random_key, "status-delay", str(self._clock.now_ns))
            at_ns += self._delay.sample_ns(distributions.stream_of(self._seed, *names))
        if self._qps:
            at_ns = self._client(node).charge(at_ns)
        if at_ns <= self._clock.now_ns:
            return False
        self._waiting.add(pod.uid)
        self._count += 1
        heappush(self._due, (at_ns, self._count, pod))
        self._timer.set(self._due[0][0])
        return True

    def _client(self, node: Node) -> Limiter:
        if node.client is None:
            node.client = Limiter(self._qps, self._burst)
        return node.client

    def _on_time(self) -> None:
        _, _, pod = heappop(self._due)
        self._waiting.discard(pod.uid)
        if self._due:
            self._timer.set(self._due[0][0])
        # What a node cannot report now it reports when it is reachable again.
        if self.report is not None and pod.node is not None and pod.node.speaks:
            self.report(pod)
