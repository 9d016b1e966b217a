"""What nodes cost and how well pods are packed: by step, and whose cost it is at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage import lazy
from kubestage.results.analysis import packed_steps
from kubestage.results.analysis.registry import RunChart, RunTable, table
from kubestage.results.analysis.table import Kind, columns

with lazy.imports():
    from kubestage.results.charts import cost as cost_charts
    from kubestage.results.packing import costs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.analysis.amounts import Amounts
    from kubestage.results.analysis.digest import Digest
    from kubestage.results.analysis.registry import Rows
    from kubestage.results.packing.costs import Costs, ShareCost

_CLUSTER: Final = "cluster"


def has_prices(run: Digest) -> bool:
    """Whether anything states what nodes cost."""
    return bool(run.prices)


@table(
    RunTable(
        name="cost",
        title="Cost and packing",
        about="cost per hour, idle and stranded parts, by step",
        row="step",
        columns=columns(
            step=Kind.INT,
            nodes=Kind.INT,
            currency=Kind.TEXT,
            unpricedNodes=Kind.INT,
            costPerHour=Kind.FLOAT,
            idleRate=Kind.FLOAT,
            daemonCostRate=Kind.FLOAT,
            cpuRate=Kind.FLOAT,
            memoryRate=Kind.FLOAT,
            cpuDaemonRate=Kind.FLOAT,
            memoryDaemonRate=Kind.FLOAT,
            cpuStranded=Kind.INT,
            memoryStranded=Kind.INT,
            cpuStrandedRate=Kind.FLOAT,
            memoryStrandedRate=Kind.FLOAT,
            cpuFragmentation=Kind.FLOAT,
            memoryFragmentation=Kind.FLOAT,
            medianCpu=Kind.INT,
            medianMemory=Kind.INT,
            fitInSum=Kind.INT,
            fitNowhere=Kind.INT,
        ),
        order=85,
        narrow=(
            *("step", "nodes", "currency", "costPerHour", "idleRate", "cpuRate", "memoryRate"),
            *("cpuStranded", "memoryStranded", "fitNowhere"),
        ),
        is_by_step=True,
        chart=RunChart(
            name="cost", function=lambda: cost_charts.cost, order=45, is_recorded=has_prices
        ),
    )
)
def cost(run: Digest) -> Rows:
    """What nodes cost at the end of each step, and how well pods are packed."""
    rows: list[tuple[Any, ...]] = []
    typical: Amounts | None = None
    values: tuple[Any, ...] = ()
    for end in run.steps:
        # An idle step has the very amounts of the step before, not others that are alike.
        if end.typical is not typical:
            typical = end.typical
            found = packed_steps.at_end_of(end, run.prices.currency)
            values = (len(end.nodes), *msgspec.structs.astuple(found))
        rows.append((end.step, *values))
    return rows


@table(
    RunTable(
        name="cost-shares",
        title="Whose cost it is",
        about="cost per hour at the end by pool, namespace and workload",
        row="pool, namespace or workload",
        columns=columns(
            by=Kind.TEXT,
            name=Kind.TEXT,
            nodes=Kind.INT,
            pods=Kind.INT,
            cpu=Kind.INT,
            memory=Kind.INT,
            currency=Kind.TEXT,
            costPerHour=Kind.FLOAT,
            rate=Kind.FLOAT,
            idlePerHour=Kind.FLOAT,
        ),
        order=86,
    )
)
def cost_shares(run: Digest) -> Rows:
    """Whose the cost of the end is.

    `cpu` and `memory` are what pods request, `rate` is a share of the cost of all nodes.
    """
    if not run.steps:
        return
    contents = packed_steps.at_end(run)
    found = costs.of(contents)
    placed = sum(each.pods for each in found.namespaces)
    cpu = sum(each.requested_milli_cpu for each in found.pools)
    memory = sum(each.requested_memory_bytes for each in found.pools)
    whole = (found.currency, found.cluster_cost, _rate(found, found.cluster_cost))
    yield (_CLUSTER, None, len(contents.nodes), placed, cpu, memory, *whole, found.idle_per_hour)
    for pool in found.pools:
        yield (
            "pool",
            pool.pool or None,
            pool.nodes,
            None,
            pool.requested_milli_cpu,
            pool.requested_memory_bytes,
            found.currency,
            pool.cost_per_hour,
            _rate(found, pool.cost_per_hour),
            pool.idle_per_hour,
        )
    yield from _shares("namespace", found.namespaces, found)
    yield from _shares("workload", found.workloads, found)


def _shares(by: str, shares: list[ShareCost], found: Costs) -> Iterator[tuple[Any, ...]]:
    for each in shares:
        cost = (found.currency, each.cost_per_hour, _rate(found, each.cost_per_hour))
        yield (by, each.name, None, each.pods, each.milli_cpu, each.memory_bytes, *cost, None)


def _rate(found: Costs, part: float | None) -> float | None:
    return None if part is None or not found.cluster_cost else part / found.cluster_cost
