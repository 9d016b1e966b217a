"""A living run in a few numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.results.life import cost_summary, pending, requests
from kubestage.results.life.autoscalers import EVICTION, RESCALE, RESIZE
from kubestage.results.life.node_groups import NO_GROUP
from kubestage.results.packing import packing

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.costs import CostMeter
    from kubestage.results.life.node_groups import NodeCounts, NodeGroups
    from kubestage.results.life.recorder import LifeRecorder
    from kubestage.traffic.traffics import Traffics


def of(recorder: LifeRecorder, load: Traffics | None, seconds: float) -> Json:
    """Requests, replicas, nodes and what autoscalers did; docs/runs.md describes the fields."""
    records = {} if load is None else load.records()
    rows = _workloads(recorder)
    return {
        "seconds": seconds,
        "health": recorder.health.in_short(),
        "events": recorder.events.in_short(),
        "pending": pending.of(recorder.store),
        "traffic": [
            requests.in_short(key, each, recorder.traffic_starts.get(key))
            for key, each in sorted(records.items())
        ],
        "workloads": rows,
        "replicaHours": _rounded(sum(each["replicaHours"] for each in rows)),
        "autoscalers": _autoscalers(recorder),
        **_nodes(recorder.nodes, recorder.costs, seconds),
        "allocation": recorder.allocation.in_short(),
        "packing": packing.of_store(recorder.store).to_dict(),
    }


def _workloads(recorder: LifeRecorder) -> list[Json]:
    return [
        {
            "workload": name,
            "replicaHours": _rounded(each.scheduled.hours),
            "replicasLowest": each.scheduled.lowest,
            "replicasHighest": each.scheduled.highest,
            "replicasAtEnd": each.scheduled.level,
        }
        for name, each in sorted(recorder.workloads.all.items())
    ]


def _autoscalers(recorder: LifeRecorder) -> list[Json]:
    recorded = recorder.autoscalers
    counts = {sort: recorded.counted(sort) for sort in (RESCALE, EVICTION, RESIZE)}
    hpas = sorted({*recorded.hpas, *counts[RESCALE]})
    vpas = sorted({*recorded.vpas, *counts[EVICTION], *counts[RESIZE]})
    ups = [each.by for each in recorded.decisions if each.sort == RESCALE and _is_up(each)]
    rows = [
        {
            "autoscaler": f"horizontalpodautoscaler/{key}",
            "rescales": counts[RESCALE][key],
            "rescalesUp": ups.count(key),
            "rescalesDown": counts[RESCALE][key] - ups.count(key),
        }
        for key in hpas
    ]
    rows += [
        {
            "autoscaler": f"verticalpodautoscaler/{key}",
            "evictions": counts[EVICTION][key],
            "resizes": counts[RESIZE][key],
        }
        for key in vpas
    ]
    return rows


def _rounded(amount: float) -> float:
    """As exact as anybody needs, and without the crumbs of binary fractions."""
    return round(amount, 6)


def _is_up(decision: Any) -> bool:
    return (decision.after or 0) > (decision.before or 0)


def _cost(counts: NodeCounts, meter: CostMeter, name: str) -> float | None:
    """What a pool has cost; one that never had nodes costs nothing."""
    if name in meter.pools:
        return _rounded(meter.pools[name].total)
    return 0.0 if meter.pools and not counts.nodes.total_ns else None


def _nodes(nodes: NodeGroups, meter: CostMeter, seconds: float) -> Json:
    groups: list[Json] = [
        {
            "group": name,
            "nodeHours": _rounded(each.nodes.hours),
            "cost": _cost(each, meter, name),
            "nodesAdded": each.added,
            "nodesRemoved": each.removed,
            "nodesLowest": each.nodes.lowest,
            "nodesHighest": each.nodes.highest,
            "nodesAtEnd": each.nodes.level,
        }
        for name, each in sorted(nodes.all.items())
        if name != NO_GROUP or each.nodes.total_ns
    ]
    return {
        "nodeGroups": groups,
        "nodeHours": _rounded(sum(each["nodeHours"] for each in groups)),
        "nodes": {
            "added": sum(each["nodesAdded"] for each in groups),
            "removed": sum(each["nodesRemoved"] for each in groups),
            "lowest": nodes.total.lowest,
            "highest": nodes.total.highest,
            "atEnd": nodes.total.level,
        },
        **cost_summary.of(meter, seconds),
    }
