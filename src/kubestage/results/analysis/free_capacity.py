"""Fragmentation: free capacity that nobody can use, because it lies in the wrong places.

Two questions are asked of each node, at the end of each step. Does the *typical pod* fit, which
asks for the median of each resource? Where it does not, what is free is *stranded*: CPU on a node
that has no memory left, GPUs on one whose CPU is taken, crumbs. And does the *largest pending pod*
fit, the one that asks for the largest share of the cluster? What is free where it does not is
*blocked* for it. Only amounts are looked at, no taints, affinity or other rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.results.analysis import amounts
from kubestage.results.analysis.digest import digest
from kubestage.results.analysis.table import Kind, Table, columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kubestage.results.analysis.amounts import Amounts
    from kubestage.results.analysis.digest import Run, StepEnd

_COLUMNS: Final = columns(
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
)


def fragmentation(run: Run) -> Table:
    """Free, stranded and blocked capacity, by step and resource.

    Rates are shares of what is free, None if nothing is; the last four columns are None if no pod
    is pending.
    """
    told = digest(run)
    rows: list[tuple[Any, ...]] = []
    typical: Amounts | None = None
    values: list[tuple[Any, ...]] = []
    for end in told.steps:
        # An idle step has the very amounts of the step before, not others that are alike.
        if end.typical is not typical:
            typical = end.typical
            values = list(_values(end, told.resources))
        rows += [(end.step, *each) for each in values]
    return Table(_COLUMNS, rows)


def _values(end: StepEnd, resources: Iterable[str]) -> Iterator[tuple[Any, ...]]:
    left = [_free(node.allocatable, node.requested) for node in end.nodes]
    free = _total(left)
    stranded = _total(each for each in left if not amounts.fits(end.typical, each))
    blocked: Amounts | None = None
    if end.wanted is not None:
        blocked = _total(each for each in left if not amounts.fits(end.wanted, each))
    for name in resources:
        whole = free.get(name, 0)
        part = stranded.get(name, 0)
        row = (name, whole, end.typical.get(name, 0), part, amounts.rate(part, whole))
        if end.wanted is None or blocked is None:
            yield (*row, None, None, None, None)
        else:
            lost = blocked.get(name, 0)
            asked = end.wanted.get(name, 0)
            yield (*row, end.largest, asked, lost, amounts.rate(lost, whole))


def _free(allocatable: Mapping[str, int], requested: Mapping[str, int]) -> Amounts:
    return {name: max(amount - requested.get(name, 0), 0) for name, amount in allocatable.items()}


def _total(parts: Iterable[Mapping[str, int]]) -> Amounts:
    total: Amounts = {}
    for each in parts:
        for name, amount in each.items():
            total[name] = total.get(name, 0) + amount
    return total
