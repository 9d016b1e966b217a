"""The figures of both sides, and which of them got worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects.pod_resources import CPU, MEMORY
from kubestage.results.comparison import LESS, MORE
from kubestage.results.packing import node_shares, wording
from kubestage.results.verdict.verdict import Figure, Histogram
from kubestage.runs.cost import removable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.results.packing.node_shares import NodeShare
    from kubestage.runs.check.side import Side
    from kubestage.runs.observer import Observer

_TOLERANCE: Final = 1e-9
_CLASSES: Final = ("0–20%", "20–40%", "40–60%", "60–80%", "80–100%")


class _Reading(NamedTuple):
    """One figure of a side; a share is drawn as a bar."""

    value: float | int | None
    shown: str
    share: float | None = None


class _Row(NamedTuple):
    name: str
    better: str | None
    read: Callable[[_Measured], _Reading]


class _Measured(NamedTuple):
    side: Side
    removable: int


def of(sides: Sequence[Side], observer: Observer) -> list[Figure]:
    """All figures; those that no side has are left out."""
    measured = [_Measured(each, len(removable.search(each.stage, observer))) for each in sides]
    found = []
    for row in _ROWS:
        readings = [row.read(each) for each in measured]
        if all(each.value is None for each in readings):
            continue
        shares = [each.share for each in readings]
        found.append(
            Figure(
                name=row.name,
                better="more" if row.better == MORE else "less" if row.better == LESS else None,
                values=[each.value for each in readings],
                shown=[each.shown for each in readings],
                worse=[_is_worse(row.better, readings[0].value, each.value) for each in readings],
                shares=shares if any(each is not None for each in shares) else None,
            )
        )
    return found


def histograms(sides: Sequence[Side]) -> list[Histogram]:
    """How full nodes are: how many of them in each class."""
    shares = [node_shares.of(each.contents) for each in sides]
    return [
        Histogram(
            title=f"Nodes by {noun} requested",
            classes=list(_CLASSES),
            counts=[_counts([field(node) for node in nodes]) for nodes in shares],
        )
        for noun, field in (("CPU", _cpu_share), ("memory", _memory_share))
    ]


def _cpu_share(node: NodeShare) -> float | None:
    return node.cpu_share


def _memory_share(node: NodeShare) -> float | None:
    return node.memory_share


def _counts(shares: Sequence[float | None]) -> list[int]:
    counts = [0] * len(_CLASSES)
    for share in shares:
        if share is not None:
            counts[min(int(share * len(counts)), len(counts) - 1)] += 1
    return counts


def _is_worse(better: str | None, first: float | None, other: float | None) -> bool:
    if better is None or first is None or other is None:
        return False
    return other > first + _TOLERANCE if better == LESS else other < first - _TOLERANCE


def _count(number: int) -> _Reading:
    return _Reading(number, f"{number:,}")


def _pods(measured: _Measured) -> _Reading:
    return _count(sum(len(each.pods) for each in measured.side.workloads.values()))


def _pending(measured: _Measured) -> _Reading:
    return _count(measured.side.waiting)


def _nodes_used(measured: _Measured) -> _Reading:
    used, total = len(measured.side.used_nodes), len(measured.side.contents.nodes)
    return _Reading(used, f"{used:,} of {total:,}", used / total if total else None)


def _daemon_only(measured: _Measured) -> _Reading:
    side = measured.side
    return _count(len(side.contents.nodes) - len(side.used_nodes))


def _removable(measured: _Measured) -> _Reading:
    return _count(measured.removable)


def _requested(name: str) -> Callable[[_Measured], _Reading]:
    def read(measured: _Measured) -> _Reading:
        share = measured.side.packing.utilization.requested_share[name]
        return _Reading(share, wording.share(share), share)

    return read


def _stranded_cpu(measured: _Measured) -> _Reading:
    found = measured.side.packing.stranded
    return _Reading(found.milli_cpu, wording.cores(found.milli_cpu))


def _stranded_memory(measured: _Measured) -> _Reading:
    found = measured.side.packing.stranded
    return _Reading(found.memory_bytes, wording.gibibytes(found.memory_bytes))


def _cost(measured: _Measured) -> _Reading:
    costs = measured.side.packing.costs
    return _Reading(costs.cluster_cost, wording.money(costs.cluster_cost, costs.currency))


def _idle(measured: _Measured) -> _Reading:
    share = measured.side.packing.costs.idle_share
    return _Reading(share, wording.share(share), share)


_ROWS: Final = (
    _Row("pods with a node", None, _pods),
    _Row("pods pending", LESS, _pending),
    _Row("nodes used", None, _nodes_used),
    _Row("nodes with nothing but DaemonSet pods", LESS, _daemon_only),
    _Row("nodes that could be removed", LESS, _removable),
    _Row("CPU requested", None, _requested(CPU)),
    _Row("memory requested", None, _requested(MEMORY)),
    _Row("stranded CPU", LESS, _stranded_cpu),
    _Row("stranded memory", LESS, _stranded_memory),
    _Row("cost per hour", LESS, _cost),
    _Row("idle share of the cost", LESS, _idle),
)
