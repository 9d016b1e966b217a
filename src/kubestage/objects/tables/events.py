"""Events of both API groups, which are one thing with two spellings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object


def event(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of an Event of the core group."""
    return _row(
        obj,
        now_ns,
        first=obj.get("firstTimestamp"),
        last=obj.get("lastTimestamp"),
        count=cells.number(obj, "count"),
        target=cells.part(obj, "involvedObject"),
        source=cells.part(obj, "source"),
        reporter=cells.text(obj, "reportingComponent"),
        message=cells.text(obj, "message"),
    )


def new_event(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of an Event of the group ``events.k8s.io``."""
    return _row(
        obj,
        now_ns,
        first=obj.get("deprecatedFirstTimestamp"),
        last=obj.get("deprecatedLastTimestamp"),
        count=cells.number(obj, "deprecatedCount"),
        target=cells.part(obj, "regarding"),
        source=cells.part(obj, "deprecatedSource"),
        reporter=cells.text(obj, "reportingController"),
        message=cells.text(obj, "note"),
    )


def _row(
    obj: Object,
    now_ns: int,
    *,
    first: str | None,
    last: str | None,
    count: int,
    target: Object,
    source: Object,
    reporter: str,
    message: str,
) -> list[Cell]:
    first_seen = cells.since(first, now_ns)
    if first_seen == cells.UNKNOWN:
        first_seen = cells.since(obj.get("eventTime"), now_ns)
    last_seen = cells.since(last, now_ns)
    if last_seen == cells.UNKNOWN:
        last_seen = first_seen
    series = obj.get("series")
    if series is not None:
        last_seen = cells.since(series.get("lastObservedTime"), now_ns)
        count = cells.number(series, "count")
    elif not count:
        count = 1
    kind, name = cells.text(target, "kind").lower(), cells.text(target, "name")
    component = cells.text(source, "component") or reporter
    instance = cells.text(source, "host") or cells.text(obj, "reportingInstance")
    return [
        last_seen,
        cells.text(obj, "type"),
        cells.text(obj, "reason"),
        f"{kind}/{name}" if name else kind,
        cells.text(target, "fieldPath"),
        f"{component}, {instance}" if instance else component,
        message.strip(),
        first_seen,
        count,
        cells.name(obj),
    ]
