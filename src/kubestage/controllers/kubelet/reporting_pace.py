"""When the statuses of pods are reported: nodes relist their containers only periodically."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import launching
from kubestage.objects import distributions

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.settings import KubeletSettings
    from kubestage.sim.environment import Environment

_CALLS: Final = 2


class ReportingPace:
    """Delays the reports of pods; `report` is called when the time has come.

    A pod that is delayed already is reported once, as it is then. A report is two calls: a kubelet
    reads a pod before it patches its status.
    """

    def __init__(self, environment: Environment, settings: KubeletSettings, seed: int) -> None:
        self._clock = environment.clock
        self._seed = seed
        self._delay = distributions.parse(settings.status_delay)
        self._qps, self._burst = settings.client_qps, settings.client_burst
        self._due: list[tuple[int, int, Pod, bool]] = []
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
        now_ns = at_ns = self._clock.now_ns
        if pod.status is not None:
            names = ("kubelet", pod.random_key, "status-delay", str(now_ns))
            at_ns += self._delay.sample_ns(distributions.stream_of(self._seed, *names))
        is_sent = at_ns <= now_ns
        if is_sent:
            at_ns = self._sent_ns(node)
            if at_ns <= now_ns:
                return False
        self._waiting.add(pod.uid)
        self._add(at_ns, pod, is_sent=is_sent)
        return True

    def _sent_ns(self, node: Node) -> int:
        """When the calls of a report that is due now can be made."""
        now_ns = self._clock.now_ns
        if not self._qps:
            return now_ns
        return launching.client_of(node, self._qps, self._burst).charge(now_ns, _CALLS)

    def _add(self, at_ns: int, pod: Pod, *, is_sent: bool) -> None:
        self._count += 1
        heappush(self._due, (at_ns, self._count, pod, is_sent))
        self._timer.set(self._due[0][0])

    def _on_time(self) -> None:
        _, _, pod, is_sent = heappop(self._due)
        if self._due:
            self._timer.set(self._due[0][0])
        if not is_sent and pod.node is not None:
            at_ns = self._sent_ns(pod.node)
            if at_ns > self._clock.now_ns:
                self._add(at_ns, pod, is_sent=True)
                return
        self._waiting.discard(pod.uid)
        # What a node cannot report now it reports when it is reachable again.
        if self.report is not None and pod.node is not None and pod.node.speaks:
            self.report(pod)
