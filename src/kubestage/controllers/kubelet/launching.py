"""When a pod is launched: what its node does for that, beside the other pods that it starts."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import volume_calls
from kubestage.golang.rate import Limiter
from kubestage.objects import distributions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.settings import KubeletSettings
    from kubestage.objects.distributions import Distribution
    from kubestage.sim.clock import Clock

ANY_VOLUME: Final = "*"
# Its own programs never take all of a node.
_LEAST_SHARE: Final = 0.1


class Launching:
    """Launches pods: first its calls for volumes are made, then the runtime works on it.

    The runtime works on as many pods as the node has CPUs, in the order of arrival, so that it is
    known at arrival when a pod will be launched.
    """

    def __init__(self, clock: Clock, seed: int, settings: KubeletSettings) -> None:
        self._clock = clock
        self._seed = seed
        self._at_once = settings.starts_at_once
        self._qps, self._burst = settings.client_qps, settings.client_burst
        self._sandbox = distributions.parse(settings.sandbox_work)
        self._container = distributions.parse(settings.container_work)
        self._volumes = {
            kind: distributions.parse(text) for kind, text in settings.volume_work.items()
        }
        self._system_cpu = distributions.parse_quantity(settings.system_cpu)
        self._works = any(map(_takes, (self._sandbox, self._container, *self._volumes.values())))

    def launched_ns(self, pod: Pod, node: Node, obj: Json) -> int:
        """When a pod that was admitted now is launched; its node is occupied until then."""
        delay_ns = self._draw_ns(pod, pod.plan.launch_delay, "launch-delay")
        ready_ns = max(self._turn_ns(node), self._connected_ns(pod, node, obj))
        if self._works:
            ready_ns = self._worked_ns(node, ready_ns, self._work_ns(pod, obj))
        if self._at_once:
            heapq.heappush(node.launches, ready_ns + delay_ns)
        return ready_ns + delay_ns

    def _turn_ns(self, node: Node) -> int:
        """When a node can start to launch another pod."""
        now_ns, launches = self._clock.now_ns, node.launches
        while launches and launches[0] <= now_ns:
            heapq.heappop(launches)
        if not self._at_once or len(launches) < self._at_once:
            return now_ns
        return heapq.nlargest(self._at_once, launches)[-1]

    def _connected_ns(self, pod: Pod, node: Node, obj: Json) -> int:
        """When the calls for the objects in a pod's volumes and environment have been made."""
        now_ns = self._clock.now_ns
        if not self._qps:
            return now_ns
        pod.watched = volume_calls.watched_objects(obj)
        calls = node.watch(pod.watched) + volume_calls.tokens(obj)
        return client_of(node, self._qps, self._burst).charge(now_ns, calls) if calls else now_ns

    def _worked_ns(self, node: Node, ready_ns: int, work_ns: int) -> int:
        """Occupy a CPU of a node for some work, as soon as one is free; when that is done."""
        lanes = node.lanes
        if lanes is None:
            # What is left to pods may be less than a CPU; no machine has less.
            cpus = max(node.view.allocatable.milli_cpu / 1000, 1.0)
            lanes = node.lanes = [0] * int(cpus)
            node.slowness = self._slowness(node, cpus)
        done_ns = max(ready_ns, lanes[0]) + round(work_ns * node.slowness)
        heapq.heapreplace(lanes, done_ns)
        return done_ns

    def _slowness(self, node: Node, cpus: float) -> float:
        """How much longer work takes because of what else the node does."""
        stream = distributions.stream_of(self._seed, "kubelet", node.name, "system-cpu")
        left = max(cpus - self._system_cpu.sample(stream), cpus * _LEAST_SHARE)
        return max(int(cpus) / left, 1.0)

    def _work_ns(self, pod: Pod, obj: Json) -> int:
        spec = obj["spec"]
        parts = [("sandbox-work", self._sandbox)]
        parts += [(f"container-work/{each.plan.name}", self._container) for each in pod.containers]
        parts += [(f"volume-work/{name}", work) for name, work in self._volume_work(spec)]
        return sum(self._draw_ns(pod, work, purpose) for purpose, work in parts)

    def _volume_work(self, spec: Json) -> Iterator[tuple[str, Distribution]]:
        other = self._volumes.get(ANY_VOLUME)
        for volume in (spec.get("volumes") or ()) if self._volumes else ():
            kind = next((key for key in volume if key != "name"), "")
            work = self._volumes.get(kind, other)
            if work is not None:
                yield volume["name"], work

    def _draw_ns(self, pod: Pod, distribution: Distribution, purpose: str) -> int:
        if distribution.is_constant:
            return int(distribution.first)
        stream = distributions.stream_of(self._seed, "kubelet", pod.random_key, purpose)
        return distribution.sample_ns(stream)


def client_of(node: Node, qps: float, burst: int) -> Limiter:
    """The limit of a node's calls to the API server."""
    if node.client is None:
        node.client = Limiter(qps, burst)
    return node.client


def _takes(distribution: Distribution) -> bool:
    return bool(distribution.first or distribution.second)
