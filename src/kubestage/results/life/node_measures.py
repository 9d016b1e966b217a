"""What living runs bought: money over time, nodes that came and went, pods that moved or waited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.pod_resources import CPU, MEMORY
from kubestage.results.comparison.measures import LESS, MORE, Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.results.comparison.measures import Value

DEFAULT_CHECKS: Final = ("cost", "nodesRemoved", "podsMoved", "pendingSeconds")
"""What must not get worse by default where runs differ in the nodes that they may buy."""

# Their pods are on every node, or come back nowhere: they do not move.
_STAYING: Final = ("daemonset/", "pod/")


def measures(summaries: Sequence[Json]) -> Iterator[Measure]:
    """The figures of all runs; none if no node came or went in any of them."""
    if not any(_moves(each) for each in summaries):
        return
    for name, (better, figure) in _FIGURES.items():
        values = tuple(figure(each) for each in summaries)
        if any(value is not None for value in values):
            yield Measure(name, None, better, values)
    for resource in (CPU, MEMORY):
        shares = tuple(_allocated(each, resource) for each in summaries)
        if any(share is not None for share in shares):
            yield Measure("allocatedShare", resource, MORE, shares)


def _moves(summary: Json) -> bool:
    nodes = summary.get("nodes") or {}
    return bool(nodes.get("added") or nodes.get("removed"))


def _of_nodes(field: str) -> Callable[[Json], Value]:
    def figure(summary: Json) -> Value:
        # Records of older versions do not have it.
        nodes: Json | None = summary.get("nodes")
        return None if nodes is None else int(nodes[field])

    return figure


def _pending_seconds(summary: Json) -> Value:
    health = summary.get("health") or {}
    found: float | None = (health.get("pending") or {}).get("waitSecondsInSum")
    return found


def _moved(summary: Json) -> Value:
    health = summary.get("health")
    if health is None:
        return None
    rows = [each for each in health["evictions"] if not each["workload"].startswith(_STAYING)]
    return sum(int(each["pods"]) for each in rows)


def _mean_cost(summary: Json) -> Value:
    found: float | None = (summary.get("costs") or {}).get("perHourMean")
    return found


def _allocated(summary: Json, resource: str) -> float | None:
    share = (summary.get("allocation") or {}).get(resource)
    return None if share is None else float(share)


_FIGURES: Final[dict[str, tuple[str | None, Callable[[Json], Value]]]] = {
    "costPerHourMean": (LESS, _mean_cost),
    "nodesAdded": (LESS, _of_nodes("added")),
    "nodesRemoved": (LESS, _of_nodes("removed")),
    "nodesLowest": (None, _of_nodes("lowest")),
    "nodesHighest": (None, _of_nodes("highest")),
    "podsMoved": (LESS, _moved),
    "pendingSeconds": (LESS, _pending_seconds),
}
