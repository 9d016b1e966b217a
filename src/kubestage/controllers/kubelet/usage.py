"""What containers use of CPU and memory, as far as that is stated."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.controllers.kubelet.containers import RUNNING
from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.metrics.samples import Used
from kubestage.objects import distributions

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.objects.distributions import Distribution

_GROWTH: Final = re.compile(r"(.+?)\+([^+()]+)/([^/()]+)")
_UNITS: Final = {"s": durations.SECOND, "m": durations.MINUTE, "h": durations.HOUR}


class Usage(NamedTuple):
    """What a pod uses at one moment: cores and bytes."""

    cpu: float
    memory: float


class MemoryGrowth(msgspec.Struct, frozen=True, gc=False):
    """How much memory is used at the start, and how many bytes come on top per nanosecond."""

    first: Distribution
    growth: float = 0.0

    def sample(self, stream: random.Random) -> float:
        """What is used at the start."""
        return self.first.sample(stream)

    def at(self, first: float, running_ns: int) -> float:
        """What is used after some time."""
        return first + self.growth * running_ns

    def passes_ns(self, first: float, limit: int) -> int | None:
        """After what time the usage passes a limit; None if it never does."""
        if first > limit:
            return 0
        if self.growth <= 0:
            return None
        return int((limit - first) / self.growth) + 1


@functools.lru_cache(maxsize=4096)
def parse_memory(text: str) -> MemoryGrowth:
    """Read ``100Mi``, ``normal(100Mi,10Mi)`` or, growing by the minute, ``100Mi+10Mi/m``."""
    match = _GROWTH.fullmatch(text.strip())
    if match is None:
        return MemoryGrowth(distributions.parse_quantity(text))
    first, amount, unit = match.groups()
    per_ns = _UNITS.get(unit.strip())
    if per_ns is None:
        raise InputError(f"{text!r} grows by no unit of time", fix="write 100Mi+10Mi/m (s, m, h)")
    growth = distributions.parse_quantity(amount.strip())
    return MemoryGrowth(distributions.parse_quantity(first), growth.first / per_ns)


def pod_usage(pod: Pod, now_ns: int) -> Usage:
    """What the running containers of a pod use at a time."""
    cpu = memory = 0.0
    for container in pod.running():
        cpu += container.cpu
        memory += memory_of(container, now_ns)
    return Usage(cpu, memory)


def memory_of(container: Container, now_ns: int) -> float:
    """What a running container uses of memory at a time."""
    return container.plan.memory.at(container.memory, now_ns - container.started_ns)


def used(nodes: Iterable[Node], now_ns: int) -> dict[str, dict[str, Used]]:
    """What the running containers of all pods of some nodes have used since they were started."""
    total: dict[str, dict[str, Used]] = {}
    for node in nodes:
        for pod in node.pods.values():
            if pod.is_over or pod.node is not node:
                continue
            # NOTE: all pods are gone through at every scrape, so nothing is called in between that
            # could be avoided (benchmarks/controllers.py).
            containers: dict[str, Used] = {}
            for each in [*pod.inits, *pod.containers] if pod.inits else pod.containers:
                if each.state == RUNNING:
                    plan, started_ns = each.plan, each.started_ns
                    memory = each.memory
                    if plan.memory.growth:
                        memory += plan.memory.growth * (now_ns - started_ns)
                    burnt = each.burnt + each.cpu * (now_ns - each.since_ns)
                    containers[plan.name] = Used(started_ns, burnt, memory)
            if containers:
                total[pod.name] = containers
    return total
