"""Timelines of nodes and workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest, NotFound
from kubestage.golang import times
from kubestage.results.history.node_timeline import NodeTimeline
from kubestage.results.history.workload_timeline import WorkloadTimeline
from kubestage.server import options, slices
from kubestage.server.kubestage_api import history
from kubestage.server.kubestage_api import timeline_shapes as shapes

if TYPE_CHECKING:
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.results.history.object_timeline import TimelineEntry
    from kubestage.server.kubestage_api.call import ApiCall

_MOST: Final = 1000
_USUAL: Final = 100
_MILLISECOND: Final = 1e6


async def get(call: ApiCall) -> shapes.ObjectTimeline:
    """What happened to an object."""
    recorded = history.timeline_of(call.live).history
    limit = options.integer(call.request, "limit")
    limit = _USUAL if limit is None else limit
    if not 0 < limit <= _MOST:
        raise BadRequest(f"limit: must be above 0 and at most {_MOST}")
    found = _timeline(call, recorded)
    begin_ns = recorded.begin_ns
    await slices.in_slices(found.read())
    if not found.was_there:
        raise NotFound(f"the past has no {call.request.parameter('kind')} of this name")
    end = _end(call, len(found.entries))
    start = max(0, end - limit)
    return shapes.ObjectTimeline(
        begin=times.rfc3339_nano(begin_ns),
        end=times.rfc3339_nano(recorded.end_ns),
        entries=[_row(each) for each in found.entries[start:end]],
        left_out=start,
        series=[
            shapes.TimelineSeries(
                name=series.name,
                points=[((ns - begin_ns) / _MILLISECOND, value) for ns, value in series.points],
            )
            for series in found.series
        ],
        autoscalers=found.autoscalers if isinstance(found, WorkloadTimeline) else [],
    )


def _timeline(call: ApiCall, recorded: ClusterHistory) -> NodeTimeline | WorkloadTimeline:
    kind, name = _required(call, "kind"), _required(call, "name")
    group = call.request.parameter("group") or ""
    if kind == "Node" and not group:
        return NodeTimeline(recorded, name)
    namespace = _required(call, "namespace")
    for collection in call.live.stage.store.collections():
        if (collection.kind.group, collection.kind.kind) == (group, kind):
            place = (group, collection.kind.plural)
            return WorkloadTimeline(recorded, place, kind, namespace, name)
    raise NotFound(f"kind: there is no {kind} in the group {group or 'core'}")


def _required(call: ApiCall, name: str) -> str:
    value = call.request.parameter(name)
    if not value:
        raise BadRequest(f"{name}: is required, as in ?kind=Deployment&group=apps&namespace=&name=")
    return value


def _end(call: ApiCall, count: int) -> int:
    """How many of the entries may be in the answer."""
    before = options.integer(call.request, "before")
    if before is not None and before < 0:
        raise BadRequest("before: give leftOut of an earlier answer")
    return count if before is None else min(before, count)


def _row(entry: TimelineEntry) -> shapes.TimelineEntry:
    return shapes.TimelineEntry(
        at=times.rfc3339_nano(entry.unix_ns),
        kind=entry.kind,
        subject=entry.subject,
        text=entry.text,
        severity=entry.severity,
    )
