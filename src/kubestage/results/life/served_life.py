"""The record of a served cluster with its requests and its usage, or a part of it."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.golang import times
from kubestage.objects import timestamps
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.life import requests, thinning
from kubestage.results.life.tables import LifeRows
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.results.life.life import Life
    from kubestage.results.life.tables import Row
    from kubestage.results.life.workloads import WorkloadName
    from kubestage.traffic.record import Record

USAGE: Final = "usage"
"""The table of what pods use; only the record of a served cluster has it."""
USAGE_COLUMNS: Final = columns(atSeconds=Kind.FLOAT, usedCpu=Kind.FLOAT)
_BANDS: Final = 150
# Their rows are states, which hold until those of the next sample.
_STATES: Final = frozenset({*thinning.SAMPLED, USAGE})


def with_requests(
    life: Life, records: Mapping[str, Record], targets: Mapping[str, WorkloadName], offset_ns: int
) -> Life:
    """The record with the requests of all Traffics.

    `offset_ns` is when the record begins on the clock of the requests; it may be negative.
    """
    rows = LifeRows()
    end_ns = offset_ns + round(life.seconds * SECOND_NS)
    requests.record_rows(records, targets, rows, (offset_ns, end_ns), {})
    begin = offset_ns / SECOND_NS
    for key, record in sorted(records.items()):
        for at, length, values in record.bands(_BANDS):
            if None not in values:
                rows.add("percentiles", at - begin, key, length, *values)
    return msgspec.structs.replace(life, tables={**life.tables, **rows.tables()})


def with_usage(life: Life, usage: Sequence[tuple[float, float]]) -> Life:
    """The record with what pods use: cores, by seconds since the beginning."""
    if not usage:
        return life
    table = Table(USAGE_COLUMNS, [tuple(each) for each in usage])
    return msgspec.structs.replace(life, tables={**life.tables, USAGE: table})


def between(life: Life, begin: float, end: float) -> Life:
    """A part of the record: times count from its beginning (both in seconds)."""
    tables = {name: _part(name, table, begin, end) for name, table in life.tables.items()}
    start_ns = timestamps.parse_time(life.start) + round(begin * SECOND_NS)
    return msgspec.structs.replace(
        life,
        start=times.rfc3339_nano(start_ns),
        seconds=end - begin,
        summary={**life.summary, "health": _health(life.summary["health"], begin, end)},
        tables={name: table for name, table in tables.items() if table.rows},
    )


def _part(name: str, table: Table, begin: float, end: float) -> Table:
    at = table.names.index("arrivedSeconds" if name == "responses" else "atSeconds")
    rows = table.rows
    if name in _STATES:
        rows = [*_held(table, begin), *(row for row in rows if begin < row[at] <= end)]
    else:
        rows = [row for row in rows if begin <= row[at] <= end]
    return Table(table.columns, [(*row[:at], row[at] - begin, *row[at + 1 :]) for row in rows])


def _held(table: Table, begin: float) -> list[Row]:
    """What held at the beginning: the rows of the last sample before it, at that moment."""
    moments = [row[0] for row in table.rows]
    end = bisect.bisect_right(moments, begin)
    first = bisect.bisect_left(moments, moments[end - 1]) if end else 0
    return [(begin, *row[1:]) for row in table.rows[first:end]]


def _health(health: Any, begin: float, end: float) -> Any:
    def cut(windows: Sequence[Sequence[float]]) -> list[list[float]]:
        return [
            [max(since, begin) - begin, min(until, end) - begin]
            for since, until in windows
            if until > begin and since < end
        ]

    workloads = [{**each, "windows": cut(each["windows"])} for each in health["workloads"]]
    nodes = [{**each, "windows": cut(each["windows"])} for each in health["nodesNotReady"]]
    return {**health, "workloads": workloads, "nodesNotReady": nodes}
