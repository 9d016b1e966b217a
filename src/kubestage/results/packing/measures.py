"""How well pods are packed: utilization, stranded resources, fragmentation.

``cpu_utilization``, ``memory_utilization``, ``cpu_fragmentation``, ``memory_fragmentation``,
``node_count`` and ``cluster_cost`` are those of cluster-autoscaler's scale-down benchmark, under
its names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects.pod_resources import CPU, MEMORY, PODS
from kubestage.results.packing.contents import RESOURCES, Contents, Occupancy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.results.packing.contents import NodeUse

Packed = Contents | Occupancy
"""What every measure takes: nodes and pods, or their sums."""


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


def utilization(packed: Packed) -> Utilization:
    """How much of what nodes offer is requested."""
    uses = occupancy(packed).uses
    ratios = {name: _autoscaler_ratio(uses, name) for name in RESOURCES}
    offered = {name: sum(each.node.offered[name] for each in uses) for name in RESOURCES}
    requested = {name: sum(each.requested.get(name, 0) for each in uses) for name in RESOURCES}
    daemons = {name: sum(each.daemons.get(name, 0) for each in uses) for name in RESOURCES}
    return Utilization(
        {name: _share(requested[name], offered[name]) for name in RESOURCES},
        {name: _share(daemons[name], offered[name]) for name in RESOURCES},
        ratios[CPU],
        ratios[MEMORY],
    )


def stranded(packed: Packed) -> Stranded:
    """Free CPU and memory on nodes where a median pod does not fit."""
    uses, median = occupancy(packed)
    request = {**median, PODS: 1} if any(median.values()) else {}
    free = [{name: each.free(name) for name in (*RESOURCES, PODS)} for each in uses
            if each.node.is_open]  # fmt: skip
    left = [each for each in free if request and not _times(each, request)]
    found = {name: sum(each[name] for each in left) for name in RESOURCES}
    total = {name: sum(each[name] for each in free) for name in RESOURCES}
    shares = {name: _share(found[name], total[name]) for name in RESOURCES}
    return Stranded(found[CPU], found[MEMORY], shares[CPU], shares[MEMORY])


def fragmentation(packed: Packed) -> Fragmentation:
    """How scattered what is free is, and what that means for a median pod."""
    uses, median = occupancy(packed)
    in_sum = fitting = 0
    if any(median.values()):
        request = {**median, PODS: 1}
        free = [{name: each.free(name) for name in request} for each in uses if each.node.is_open]
        total = {name: sum(each[name] for each in free) for name in request}
        in_sum = _times(total, request)
        fitting = sum(_times(each, request) for each in free)
    ratios = {name: _scatter(uses, name) for name in RESOURCES}
    return Fragmentation(
        ratios[CPU],
        ratios[MEMORY],
        median.get(CPU, 0),
        median.get(MEMORY, 0),
        in_sum,
        in_sum - fitting,
    )


def occupancy(packed: Packed) -> Occupancy:
    """The sums of nodes and pods; sums are handed back as they are."""
    return packed.occupancy() if isinstance(packed, Contents) else packed


def _autoscaler_ratio(uses: Sequence[NodeUse], name: str) -> float:
    """The utilization of a resource over all nodes, as cluster-autoscaler's benchmark has it."""
    requested = offered = 0.0
    for each in uses:
        requested += _autoscaler_share(each, name) * each.node.offered[name]
        offered += each.node.offered[name]
    return requested / offered if offered else 0.0


def _autoscaler_share(use: NodeUse, name: str) -> float:
    """The utilization of a node: what daemons request is neither used nor there."""
    left = use.node.offered[name] - use.daemons.get(name, 0)
    return use.others(name) / left if left > 0 else 0.0


def _scatter(uses: Sequence[NodeUse], name: str) -> float | None:
    free = [
        max(each.node.offered[name] * (1 - _autoscaler_share(each, name)), 0.0) for each in uses
    ]
    total = sum(free)
    return 1 - sum((each / total) ** 2 for each in free) if total else None


def _times(free: Mapping[str, int], request: Mapping[str, int]) -> int:
    return min(free[name] // amount for name, amount in request.items() if amount)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
