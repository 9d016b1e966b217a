"""What has happened: how far back it is known, rows for a map, marks and decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import BadRequest, Conflict
from kubestage.golang import times
from kubestage.server import background, options
from kubestage.server.kubestage_api import history_shapes as shapes
from kubestage.server.kubestage_api import recorders
from kubestage.server.timeline import UNRECORDED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.results.history.map_rows import MapPart, RowChange
    from kubestage.results.history.marks import MarkPart
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.live import Live
    from kubestage.server.timeline import Timeline

# To encode more in one call would hold up other threads.
_AT_ONCE: Final = 1000
_MILLISECOND: Final = 1e6
_MOST_DECISIONS: Final = 1000
_encode: Final = msgspec.json.Encoder().encode


def timeline_of(live: Live) -> Timeline:
    """The past of a cluster; refused where it is not recorded."""
    if live.state.timeline is None:
        raise Conflict(UNRECORDED)
    return live.state.timeline


async def get(call: ApiCall) -> shapes.History:
    """How far the history reaches."""
    history = timeline_of(call.live).history
    limits = history.limits
    return shapes.History(
        begin=times.rfc3339_nano(history.begin_ns),
        end=times.rfc3339_nano(history.end_ns),
        changes=len(history.changes),
        forgotten=history.forgotten,
        bytes=history.size,
        limits=shapes.HistoryBounds(changes=limits.most_changes, bytes=limits.most_bytes),
        is_whole=not history.forgotten,
        sequence=history.end,
    )


async def map_rows(call: ApiCall) -> Json:
    """Nodes and pods as a map shows them, and each change of them."""
    timeline = timeline_of(call.live)
    part, sequence = await timeline.map_part(_after(call))
    history = timeline.history
    begin_ns, is_whole = history.begin_ns, not history.forgotten
    answer: Json = {
        "begin": times.rfc3339_nano(begin_ns),
        "end": times.rfc3339_nano(history.end_ns),
        "sequence": sequence,
        "isWhole": is_whole,
    }
    return answer | await background.run(_encoded, part, begin_ns)


def _encoded(part: MapPart, begin_ns: int) -> Json:
    """The lists of an answer, as JSON already."""
    found: Json = {"templates": joined(part.templates)}
    if part.nodes is not None and part.pods is not None:
        found["nodes"] = joined({"name": name, **row} for name, row in part.nodes.items())
        found["pods"] = joined((key, *row) for key, row in part.pods.items())
    found["changes"] = joined(_row(each, begin_ns) for each in part.changes)
    return found


def _row(change: RowChange, begin_ns: int) -> tuple[object, ...]:
    when = (change.unix_ns - begin_ns) / _MILLISECOND
    sort = "p" if change.is_pod else "n"
    if change.row is None:
        return when, sort, change.key
    if isinstance(change.row, dict):
        return when, sort, change.key, {"name": change.key, **change.row}
    return when, sort, change.key, *change.row


def joined(items: Iterable[object]) -> msgspec.Raw:
    """A list as JSON already, encoded in pieces."""
    pieces: list[bytes] = []
    some: list[object] = []
    for item in items:
        some.append(item)
        if len(some) == _AT_ONCE:
            pieces.append(_encode(some)[1:-1])
            some.clear()
    if some:
        pieces.append(_encode(some)[1:-1])
    return msgspec.Raw(b"[" + b",".join(pieces) + b"]")


async def marks(call: ApiCall) -> shapes.Marks:
    """Moments that are worth a look."""
    part, sequence = await timeline_of(call.live).marks(_after(call))
    return shapes.Marks(sequence=sequence, marks=await background.run(_mark_rows, part))


def _mark_rows(part: MarkPart) -> list[shapes.Mark]:
    return [
        shapes.Mark(
            at=times.rfc3339_nano(each.unix_ns),
            kind=each.kind,
            subject=each.subject,
            text=each.text,
            severity=each.severity,
            count=each.count,
        )
        for each in part.merged()
    ]


async def decisions(call: ApiCall) -> shapes.Decisions:
    """The scheduler's attempts that are remembered."""
    after_ns, before_ns = call.time("after"), call.time("before")
    limit = options.integer(call.request, "limit")
    limit = 100 if limit is None else limit
    if not 0 < limit <= _MOST_DECISIONS:
        raise BadRequest(f"limit: must be above 0 and at most {_MOST_DECISIONS}")
    if after_ns is not None and before_ns is not None:
        raise BadRequest("give one of after and before")
    recorded = recorders.attempts(call.live)
    rows = recorded.between(after_ns, before_ns, limit)
    found = [
        shapes.SchedulingDecision(
            number=row.decision.number,
            at=times.rfc3339_nano(row.unix_ns),
            pod=row.decision.pod,
            result=row.decision.result,
            node=row.decision.node,
            evaluated=row.decision.evaluated,
            feasible=row.decision.feasible,
            message=row.decision.message,
        )
        for row in rows
    ]
    return shapes.Decisions(decisions=found, begin=recorded.begin, total=recorded.total)


def _after(call: ApiCall) -> int | None:
    number = options.integer(call.request, "after")
    if number is not None and number < 0:
        raise BadRequest("after: give the sequence of an earlier answer")
    return number
