"""How full the cluster and its nodes are at the end of each step, and how evenly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from kubestage import lazy
from kubestage.results.analysis import amounts
from kubestage.results.analysis.registry import RunChart, RunTable, table
from kubestage.results.analysis.table import Kind, columns

with lazy.imports():
    from kubestage.results.charts import capacity as capacity_charts
    from kubestage.results.charts import nodes as node_charts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.results.analysis.digest import Digest, NodeEnd
    from kubestage.results.analysis.registry import Rows


@table(
    RunTable(
        name="allocation",
        title="Allocation",
        about="requested and allocatable of each resource, by step",
        row="step and resource",
        columns=columns(
            step=Kind.INT,
            resource=Kind.TEXT,
            requested=Kind.INT,
            allocatable=Kind.INT,
            rate=Kind.FLOAT,
        ),
        order=30,
        is_by_step=True,
        chart=RunChart(name="allocation", function=lambda: capacity_charts.allocation, order=10),
    )
)
def allocation(run: Digest) -> Rows:
    """The allocation rate of the entire cluster, by step and resource.

    Of the nodes that are there: what they offer, and what the pods on them request of it.
    """
    return [
        (end.step, name, *_share(end.requested, end.allocatable, name))
        for end in run.steps
        for name in run.resources
    ]


@table(
    RunTable(
        name="nodes",
        title="Nodes",
        about="how full each node was, by step",
        row="step, node and resource",
        columns=columns(
            step=Kind.INT,
            node=Kind.TEXT,
            resource=Kind.TEXT,
            requested=Kind.INT,
            allocatable=Kind.INT,
            rate=Kind.FLOAT,
        ),
        order=40,
        empty="There was no node.",
        is_by_step=True,
        chart=RunChart(
            name="node-utilization",
            function=lambda: node_charts.node_utilization,
            order=20,
        ),
    )
)
def node_utilization(run: Digest) -> Rows:
    """The same for each node, by step; of each node, the resources that it has or that are used."""
    return [
        (end.step, node.name, name, *_share(node.requested, node.allocatable, name))
        for end in run.steps
        for node in end.nodes
        for name in run.resources
        if name in amounts.ALWAYS or node.allocatable.get(name) or node.requested.get(name)
    ]


@table(
    RunTable(
        name="balance",
        title="Balance",
        about="how even the nodes are filled: min, max, mean, stddev",
        row="step and resource",
        columns=columns(
            step=Kind.INT,
            resource=Kind.TEXT,
            nodes=Kind.INT,
            min=Kind.FLOAT,
            max=Kind.FLOAT,
            mean=Kind.FLOAT,
            stddev=Kind.FLOAT,
        ),
        order=70,
        is_by_step=True,
        chart=RunChart(name="balance", function=lambda: capacity_charts.balance, order=30),
    )
)
def balance(run: Digest) -> Rows:
    """How evenly nodes are filled, by step and resource.

    Smallest, largest and mean rate and their standard deviation, over the nodes that have any of
    the resource.
    """
    rows: list[tuple[Any, ...]] = []
    nodes: tuple[NodeEnd, ...] | None = None
    values: list[tuple[Any, ...]] = []
    for end in run.steps:
        # The nodes of an idle step are those of the step before, not others that are alike.
        if end.nodes is not nodes:
            nodes = end.nodes
            values = [(name, *spread(rates(nodes, name))) for name in run.resources]
        rows += [(end.step, *each) for each in values]
    return rows


def rates(nodes: Iterable[NodeEnd], resource: str) -> list[float]:
    """The rates of the nodes that have any of a resource."""
    return [
        node.requested.get(resource, 0) / node.allocatable[resource]
        for node in nodes
        if node.allocatable.get(resource)
    ]


def spread(values: Sequence[float]) -> tuple[Any, ...]:
    """Number, smallest, largest, mean and standard deviation (of all, not of a sample)."""
    if not values:
        return (0, None, None, None, None)
    count = len(values)
    mean = math.fsum(values) / count
    variance = math.fsum([(value - mean) ** 2 for value in values]) / count
    return (count, min(values), max(values), mean, math.sqrt(variance))


def _share(
    requested: amounts.Amounts, allocatable: amounts.Amounts, name: str
) -> tuple[int, int, float | None]:
    part, whole = requested.get(name, 0), allocatable.get(name, 0)
    return part, whole, amounts.rate(part, whole)
