"""How full the cluster and its nodes are at the end of each step, and how evenly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from kubestage.results.analysis import amounts
from kubestage.results.analysis.digest import digest
from kubestage.results.analysis.table import Kind, Table, columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.results.analysis.digest import NodeEnd, Run

_ALLOCATION: Final = columns(
    step=Kind.INT,
    resource=Kind.TEXT,
    requested=Kind.INT,
    allocatable=Kind.INT,
    rate=Kind.FLOAT,
)
_NODES: Final = columns(
    step=Kind.INT,
    node=Kind.TEXT,
    resource=Kind.TEXT,
    requested=Kind.INT,
    allocatable=Kind.INT,
    rate=Kind.FLOAT,
)
_BALANCE: Final = columns(
    step=Kind.INT,
    resource=Kind.TEXT,
    nodes=Kind.INT,
    min=Kind.FLOAT,
    max=Kind.FLOAT,
    mean=Kind.FLOAT,
    stddev=Kind.FLOAT,
)


def allocation(run: Run) -> Table:
    """The allocation rate of the entire cluster, by step and resource.

    Of the nodes that are there: what they offer, and what the pods on them request of it.
    """
    told = digest(run)
    rows = [
        (end.step, name, *_share(end.requested, end.allocatable, name))
        for end in told.steps
        for name in told.resources
    ]
    return Table(_ALLOCATION, rows)


def node_utilization(run: Run) -> Table:
    """The same for each node, by step; of each node, the resources that it has or that are used."""
    told = digest(run)
    rows = [
        (end.step, node.name, name, *_share(node.requested, node.allocatable, name))
        for end in told.steps
        for node in end.nodes
        for name in told.resources
        if name in amounts.ALWAYS or node.allocatable.get(name) or node.requested.get(name)
    ]
    return Table(_NODES, rows)


def balance(run: Run) -> Table:
    """How evenly nodes are filled, by step and resource.

    Smallest, largest and mean rate and their standard deviation, over the nodes that have any of
    the resource.
    """
    told = digest(run)
    rows: list[tuple[Any, ...]] = []
    nodes: tuple[NodeEnd, ...] | None = None
    values: list[tuple[Any, ...]] = []
    for end in told.steps:
        # The nodes of an idle step are those of the step before, not others that are alike.
        if end.nodes is not nodes:
            nodes = end.nodes
            values = [(name, *spread(rates(nodes, name))) for name in told.resources]
        rows += [(end.step, *each) for each in values]
    return Table(_BALANCE, rows)


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
