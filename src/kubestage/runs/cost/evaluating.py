"""Evaluates what a cluster costs, and how well it is packed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.packing import contents, node_shares, packing
from kubestage.runs.cost import removable
from kubestage.runs.cost.options import CostOptions
from kubestage.runs.cost.result import CostResult
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import cluster as clusters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.objects.prices import Prices
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.rehearse.cluster import Cluster
    from kubestage.stage import Stage

_DEFAULT: Final = CostOptions()


def cost(
    cluster: Files | Stage | Cluster | None,
    options: CostOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> CostResult:
    """What a cluster costs per hour, who accounts for it, and which nodes could be removed."""
    opened = clusters.open_cluster(cluster, options, observer=observer)
    return of_cluster(opened, searches=options.removable, observer=observer)


def of_cluster(
    opened: Cluster, *, searches: bool = True, observer: Observer = SILENT
) -> CostResult:
    """The same of an open cluster, which stays as it is."""
    found = contents.of_store(opened.stage.store)
    spare = removable.search(opened.stage, observer) if searches else None
    return CostResult(
        cluster=opened.origin,
        packing=packing.of(found),
        removable=spare,
        nodes=node_shares.of(found),
        notes=[*opened.notes, *_notes(found.prices)],
    )


def _notes(known: Prices) -> Iterator[str]:
    if known.ignored:
        names = ", ".join(known.ignored)
        yield f"prices of {names} are ignored: their currency is not {known.currency}"
