"""How well pods are packed: utilization, stranded resources, fragmentation.

``cpu_utilization``, ``memory_utilization``, ``cpu_fragmentation``, ``memory_fragmentation``,
``node_count`` and ``cluster_cost`` are those of cluster-autoscaler's scale-down benchmark, under
its names.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects.pod_resources import CPU, MEMORY, PODS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.results.packing.contents import Contents, PackedNode, PackedPod

RESOURCES: Final = (CPU, MEMORY)


class Utilization(msgspec.Struct, frozen=True, rename="camel"):
    """How much of what nodes offer is requested, and by whom."""

    requested_share: dict[str, float | None]
    """Of CPU and memory, by all pods; None where nodes offer nothing."""
    daemon_share: dict[str, float | None]
    """Of CPU and memory, by pods of DaemonSets and mirror pods."""
    cpu_utilization: float
    """As cluster-autoscaler has it: daemons are left out on both sides, node by node."""
    memory_utilization: float


class Stranded(msgspec.Struct, frozen=True, rename="camel"):
    """What is free on nodes where a median pod does not fit: CPU for want of memory, say."""

    milli_cpu: int
    memory_bytes: int
    cpu_share: float | None
    """Of the CPU that is free."""
    memory_share: float | None


class Fragmentation(msgspec.Struct, frozen=True, rename="camel"):
    """How scattered free resources are."""

    cpu_fragmentation: float | None
    """1 - the sum of squared shares of the free CPU that nodes have; None if none is free."""
    memory_fragmentation: float | None
    median_milli_cpu: int
    median_memory_bytes: int
    fit_in_sum: int
    """How many median pods would fit if all that is free were on one node."""
    fit_nowhere: int
    """How many of them fit on no node."""


def utilization(contents: Contents) -> Utilization:
    """How much of what nodes offer is requested."""
    by_node = contents.by_node()
    ratios = {name: _autoscaler_ratio(contents.nodes, by_node, name) for name in RESOURCES}
    offered = {name: sum(node.offered[name] for node in contents.nodes) for name in RESOURCES}
    placed = [pod for pods in by_node.values() for pod in pods]
    daemons = [pod for pod in placed if pod.is_daemon]
    return Utilization(
        {name: _share(_sum(placed, name), offered[name]) for name in RESOURCES},
        {name: _share(_sum(daemons, name), offered[name]) for name in RESOURCES},
        ratios[CPU],
        ratios[MEMORY],
    )


def stranded(contents: Contents) -> Stranded:
    """Free CPU and memory on nodes where a median pod does not fit."""
    by_node = contents.by_node()
    median = _median(contents)
    free = [_free(node, by_node[node.name]) for node in contents.nodes if node.is_open]
    left = [each for each in free if any(median.values()) and not _times(each, median)]
    found = {name: sum(each[name] for each in left) for name in RESOURCES}
    total = {name: sum(each[name] for each in free) for name in RESOURCES}
    shares = {name: _share(found[name], total[name]) for name in RESOURCES}
    return Stranded(found[CPU], found[MEMORY], shares[CPU], shares[MEMORY])


def fragmentation(contents: Contents) -> Fragmentation:
    """How scattered what is free is, and what that means for a median pod."""
    by_node = contents.by_node()
    free = [_free(node, by_node[node.name]) for node in contents.nodes if node.is_open]
    median = _median(contents)
    in_sum = fitting = 0
    if any(median.values()):
        total = {name: sum(each[name] for each in free) for name in median}
        in_sum = _times(total, median)
        fitting = sum(_times(each, median) for each in free)
    ratios = {name: _scatter(contents.nodes, by_node, name) for name in RESOURCES}
    return Fragmentation(
        ratios[CPU], ratios[MEMORY], median[CPU], median[MEMORY], in_sum, in_sum - fitting
    )


def _median(contents: Contents) -> dict[str, int]:
    """What the median pod requests; nothing if no pod requests anything, a place if it does."""
    asking = [pod.requested for pod in contents.pods if not pod.is_daemon]
    found = {
        name: round(statistics.median(each[name] for each in asking)) if asking else 0
        for name in RESOURCES
    }
    return {**found, PODS: 1} if any(found.values()) else found


def _autoscaler_ratio(
    nodes: Sequence[PackedNode], by_node: Mapping[str, Sequence[PackedPod]], name: str
) -> float:
    """The utilization of a resource over all nodes, as cluster-autoscaler's benchmark has it."""
    requested = offered = 0.0
    for node in nodes:
        requested += _autoscaler_share(node, by_node[node.name], name) * node.offered[name]
        offered += node.offered[name]
    return requested / offered if offered else 0.0


def _autoscaler_share(node: PackedNode, pods: Sequence[PackedPod], name: str) -> float:
    """The utilization of a node: what daemons request is neither used nor there."""
    daemons = sum(pod.requested[name] for pod in pods if pod.is_daemon)
    others = sum(pod.requested[name] for pod in pods if not pod.is_daemon)
    left = node.offered[name] - daemons
    return others / left if left > 0 else 0.0


def _scatter(
    nodes: Sequence[PackedNode], by_node: Mapping[str, Sequence[PackedPod]], name: str
) -> float | None:
    free = [
        max(node.offered[name] * (1 - _autoscaler_share(node, by_node[node.name], name)), 0.0)
        for node in nodes
    ]
    total = sum(free)
    return 1 - sum((each / total) ** 2 for each in free) if total else None


def _free(node: PackedNode, pods: Sequence[PackedPod]) -> dict[str, int]:
    """The CPU, memory and places for pods that no pod requests, each at least zero."""
    return {name: max(node.offered[name] - _sum(pods, name), 0) for name in (*RESOURCES, PODS)}


def _times(free: Mapping[str, int], request: Mapping[str, int]) -> int:
    return min(free[name] // amount for name, amount in request.items() if amount)


def _sum(pods: Sequence[PackedPod], name: str) -> int:
    return sum(pod.requested[name] for pod in pods)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
