"""Samples of usage at one moment: the items of the metrics APIs, resource, custom and external."""

from __future__ import annotations

import msgspec


class Used(msgspec.Struct, frozen=True, gc=False):
    """What a container has used since it was started: core-nanoseconds, and bytes right now."""

    started_ns: int
    cpu_core_ns: float
    memory_bytes: float

    def plus(self, other: Used) -> Used:
        """The sum with what another source reports of the same container."""
        cpu, memory = self.cpu_core_ns + other.cpu_core_ns, self.memory_bytes + other.memory_bytes
        return Used(min(self.started_ns, other.started_ns), cpu, memory)


class ContainerSample(msgspec.Struct, frozen=True, gc=False):
    """What a container uses: billionths of a core over the window, and bytes."""

    cpu_nanos: int
    memory_bytes: int


class PodSample(msgspec.Struct, frozen=True):
    """One PodMetrics item: usage over the window that ends at `unix_ns`, by container."""

    namespace: str
    name: str
    unix_ns: int
    window_ns: int
    containers: dict[str, ContainerSample]


class ValueSample(msgspec.Struct, frozen=True, gc=False):
    """One item of custom.metrics.k8s.io: a value, in thousandths, of a pod or another object."""

    name: str
    metric: str
    unix_ns: int
    window_ns: int
    value_milli: int


class ExternalSample(msgspec.Struct, frozen=True):
    """One item of external.metrics.k8s.io: a value, in thousandths, and its labels."""

    metric: str
    labels: dict[str, str]
    unix_ns: int
    window_ns: int
    value_milli: int
