"""Fragmentation: free capacity that no pod can use, because it lies in the wrong places.

Two questions about each node, at the end of each step. Does the *typical pod* fit, which
asks for the median of each resource? Where it does not, what is free is *stranded*: CPU on a node
that has no memory left, GPUs on one whose CPU is taken, crumbs. And does the *largest pending pod*
fit, the one that asks for the largest share of the cluster? What is free where it does not is
*blocked* for it. Only amounts are looked at, no taints, affinity or other rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import lazy
from kubestage.results.analysis import amounts
from kubestage.results.analysis.registry import RunChart, RunTable, table
from kubestage.results.analysis.table import Kind, columns

with lazy.imports():
    from kubestage.results.charts import capacity as capacity_charts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kubestage.results.analysis.amounts import Amounts
    from kubestage.results.analysis.digest import Digest, StepEnd
    from kubestage.results.analysis.registry import Rows


@table(
    RunTable(
        name="fragmentation",
        title="Fragmentation",
        about="free capacity where typical or pending pods do not fit",
        row="step and resource",
        columns=columns(
            step=Kind.INT,
            resource=Kind.TEXT,
            free=Kind.INT,
            typicalRequest=Kind.INT,
            stranded=Kind.INT,
            strandedRate=Kind.FLOAT,
            largestPending=Kind.TEXT,
            largestRequest=Kind.INT,
            blocked=Kind.INT,
            blockedRate=Kind.FLOAT,
        ),
        order=80,
        narrow=(
            *("step", "resource", "free", "typicalRequest", "strandedRate"),
            *("largestRequest", "blockedRate"),
        ),
        is_by_step=True,
        chart=RunChart(
            name="fragmentation",
            function=lambda: capacity_charts.fragmentation,
            order=40,
        ),
    )
)
def fragmentation(run: Digest) -> Rows:
    """Free, stranded and blocked capacity, by step and resource.

    Rates are shares of what is free, None if nothing is; the last four columns are None if no pod
    is pending.
    """
    rows: list[tuple[Any, ...]] = []
    typical: Amounts | None = None
    values: list[tuple[Any, ...]] = []
    for end in run.steps:
        # An idle step has the very amounts of the step before, not others that are alike.
        if end.typical is not typical:
            typical = end.typical
            values = list(_values(end, run.resources))
        rows += [(end.step, *each) for each in values]
    return rows


def _values(end: StepEnd, resources: Iterable[str]) -> Iterator[tuple[Any, ...]]:
    left = [_free(node.allocatable, node.requested) for node in end.nodes]
    free = _total(left)
    stranded = _total(each for each in left if not amounts.fits(end.typical, each))
    blocked: Amounts | None = None
    if end.largest_request is not None:
        blocked = _total(each for each in left if not amounts.fits(end.largest_request, each))
    for name in resources:
        whole = free.get(name, 0)
        part = stranded.get(name, 0)
        row = (name, whole, end.typical.get(name, 0), part, amounts.rate(part, whole))
        if end.largest_request is None or blocked is None:
            yield (*row, None, None, None, None)
        else:
            lost = blocked.get(name, 0)
            request = end.largest_request.get(name, 0)
            yield (*row, end.largest, request, lost, amounts.rate(lost, whole))


def _free(allocatable: Mapping[str, int], requested: Mapping[str, int]) -> Amounts:
    return {name: max(amount - requested.get(name, 0), 0) for name, amount in allocatable.items()}


def _total(parts: Iterable[Mapping[str, int]]) -> Amounts:
    total: Amounts = {}
    for each in parts:
        for name, amount in each.items():
            total[name] = total.get(name, 0) + amount
    return total
