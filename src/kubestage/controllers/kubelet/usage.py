"""What containers use of CPU and memory, as far as anybody told."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.controllers import distributions
from kubestage.errors import InputError
from kubestage.objects import durations

if TYPE_CHECKING:
    import random

    from kubestage.controllers.distributions import Distribution
    from kubestage.controllers.kubelet.pod import Pod

_GROWTH: Final = re.compile(r"(.+?)\+([^+()]+)/([^/()]+)")
_UNITS: Final = {"s": durations.SECOND, "m": durations.MINUTE, "h": durations.HOUR}


class Usage(NamedTuple):
    """What a pod uses at one moment: cores and bytes."""

    cpu: float
    memory: float


class MemoryLaw(msgspec.Struct, frozen=True, gc=False):
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
def parse_memory(text: str) -> MemoryLaw:
    """Read ``100Mi``, ``normal(100Mi,10Mi)`` or, growing by the minute, ``100Mi+10Mi/m``."""
    match = _GROWTH.fullmatch(text.strip())
    if match is None:
        return MemoryLaw(distributions.parse_quantity(text))
    first, amount, unit = match.groups()
    per_ns = _UNITS.get(unit.strip())
    if per_ns is None:
        raise InputError(f"{text!r} grows by no unit of time", fix="write 100Mi+10Mi/m (s, m, h)")
    growth = distributions.parse_quantity(amount.strip())
    return MemoryLaw(distributions.parse_quantity(first), growth.first / per_ns)


def of(pod: Pod, now_ns: int) -> Usage:
    """What the running containers of a pod use at a time."""
    cpu = memory = 0.0
    for container in pod.running():
        cpu += container.cpu
        memory += container.plan.memory.at(container.memory, now_ns - container.started_ns)
    return Usage(cpu, memory)
