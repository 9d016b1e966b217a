"""What a cluster costs per hour, by pool, namespace and workload, and how much of it is idle.

A pod costs its share of the price of its node: what it requests over what the node offers, both
valued at base prices of CPU, memory and GPUs. What no pod requests is idle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects.pod_resources import CPU, MEMORY
from kubestage.results.packing import contents as found

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.results.packing.contents import (
        Contents,
        NodeUse,
        Occupancy,
        PackedNode,
        PackedPod,
    )


class PoolCost(msgspec.Struct, frozen=True, rename="camel"):
    """The nodes of a pool; the pool of nodes without one is empty."""

    pool: str
    nodes: int
    unpriced_nodes: int
    cost_per_hour: float | None
    idle_per_hour: float | None
    milli_cpu: int
    """What the nodes offer."""
    memory_bytes: int
    requested_milli_cpu: int
    requested_memory_bytes: int


class ShareCost(msgspec.Struct, frozen=True, rename="camel"):
    """The pods of a namespace, or of a workload, that have a node."""

    name: str
    pods: int
    milli_cpu: int
    memory_bytes: int
    cost_per_hour: float | None


class Totals(msgspec.Struct, frozen=True, rename="camel"):
    """What nodes cost per hour in all; None if none of them has a price."""

    cluster_cost: float | None
    """As cluster-autoscaler's benchmark has it."""
    unpriced_nodes: int
    idle_per_hour: float | None
    daemons_per_hour: float | None

    @property
    def idle_share(self) -> float | None:
        """The share of the cost that no pod accounts for."""
        return _over(self.idle_per_hour, self.cluster_cost)

    @property
    def daemon_share(self) -> float | None:
        """The share of the cost that pods of DaemonSets account for."""
        return _over(self.daemons_per_hour, self.cluster_cost)


class Costs(Totals, frozen=True):
    """What a cluster costs per hour, and who accounts for it."""

    currency: str
    pools: list[PoolCost]
    namespaces: list[ShareCost]
    workloads: list[ShareCost]


def totals(uses: Sequence[NodeUse]) -> Totals:
    """What nodes cost, how much of it is idle, and how much goes to daemons."""
    priced = [each for each in uses if each.node.price is not None]
    unpriced = len(uses) - len(priced)
    if not priced:
        return Totals(None, unpriced, None, None)
    rates = [rate_of(each.node) for each in priced]
    total = sum(each.node.price or 0.0 for each in priced)
    pods, daemons = (
        sum(rate * found.base_value(part) for rate, part in zip(rates, parts, strict=True) if part)
        for parts in ([each.requested for each in priced], [each.daemons for each in priced])
    )
    return Totals(_rounded(total), unpriced, _rounded(total - pods), _rounded(daemons))


def of(contents: Contents, sums: Occupancy | None = None) -> Costs:
    """What a cluster costs now; who has its sums by node hands them in."""
    rates = {node.name: rate_of(node) for node in contents.nodes}
    placed = [pod for pod in contents.pods if pod.node in rates]
    costs = [cost_of(pod, rates[pod.node]) for pod in placed]
    whole = totals((sums or contents.occupancy()).uses)
    is_priced = whole.cluster_cost is not None
    return Costs(
        whole.cluster_cost,
        whole.unpriced_nodes,
        whole.idle_per_hour,
        whole.daemons_per_hour,
        contents.prices.currency,
        _pools(contents, placed, costs),
        _shares(placed, costs, lambda pod: pod.namespace, is_priced=is_priced),
        _shares(placed, costs, lambda pod: pod.workload, is_priced=is_priced),
    )


def rate_of(node: PackedNode) -> float:
    """What a unit of base value costs per hour on a node; nothing without a price."""
    value = found.base_value(node.offered)
    return 0.0 if node.price is None or not value else node.price / value


def cost_of(pod: PackedPod, rate: float) -> float:
    """What a pod costs per hour on a node of this rate."""
    return rate * found.base_value(pod.requested) if rate else 0.0


def _pools(
    contents: Contents, placed: Sequence[PackedPod], costs: Sequence[float]
) -> list[PoolCost]:
    nodes: dict[str, list[PackedNode]] = {}
    for node in contents.nodes:
        nodes.setdefault(node.pool, []).append(node)
    pool_of = {node.name: node.pool for node in contents.nodes}
    pods: dict[str, list[int]] = {name: [] for name in nodes}
    for number, pod in enumerate(placed):
        pods[pool_of[pod.node]].append(number)
    rows = []
    for name, members in sorted(nodes.items()):
        priced = [node.price for node in members if node.price is not None]
        total = sum(priced)
        mine = pods[name]
        rows.append(
            PoolCost(
                name,
                len(members),
                len(members) - len(priced),
                _rounded(total) if priced else None,
                _rounded(total - sum(costs[each] for each in mine)) if priced else None,
                sum(node.offered[CPU] for node in members),
                sum(node.offered[MEMORY] for node in members),
                sum(placed[each].requested[CPU] for each in mine),
                sum(placed[each].requested[MEMORY] for each in mine),
            )
        )
    return rows


def _shares(
    placed: Sequence[PackedPod],
    costs: Sequence[float],
    key: Callable[[PackedPod], str],
    *,
    is_priced: bool,
) -> list[ShareCost]:
    """The dearest first; without prices, those that request the most."""
    groups: dict[str, list[int]] = {}
    for number, pod in enumerate(placed):
        groups.setdefault(key(pod), []).append(number)
    rows = []
    for name, mine in groups.items():
        cost = _rounded(sum(costs[each] for each in mine)) if is_priced else None
        milli_cpu = sum(placed[each].requested[CPU] for each in mine)
        memory = sum(placed[each].requested[MEMORY] for each in mine)
        rows.append(ShareCost(name, len(mine), milli_cpu, memory, cost))
    return sorted(rows, key=lambda row: (-(row.cost_per_hour or 0), -row.milli_cpu, row.name))


def _over(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else part / whole


def _rounded(amount: float) -> float:
    """As exact as anybody needs, and without the crumbs of binary fractions."""
    return round(amount, 6)
