"""Converts the record of requests to rows of the tables of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.aliases import Json
from kubestage.results.life.tables import REQUEST_COLUMNS, STOCKS, LifeRows
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.results.life.workloads import WorkloadName
    from kubestage.traffic.record import Record
    from kubestage.traffic.traffics import Traffics


PERCENTS: Final = (50, 95, 99)
# A last row that is shorter than this part of the others has no rate of its own.
_SHORT: Final = 0.1


class TrafficStart(NamedTuple):
    """What a Traffic had recorded when the record of the run began."""

    summary: Json
    response_ns: int
    mark: Any
    row_at: float
    """Where the row begins in which the record began, in seconds of the clock."""
    row: list[Any]
    """What was in that row by then."""


def starts(load: Traffics | None) -> dict[str, TrafficStart]:
    """The state of all records now; of those that have nothing yet there is none."""
    found = {}
    for key, record in ({} if load is None else load.records()).items():
        table = record.table()
        if record.arrived and table["at_s"]:
            row = [table[_snake(name)][-1] for name in REQUEST_COLUMNS]
            summary, response_ns = record.summary(), record.response_ns
            found[key] = TrafficStart(summary, response_ns, record.mark(), table["at_s"][-1], row)
    return found


class Bands:
    """Percentiles of response times, from one look to the next."""

    def __init__(self) -> None:
        self._marks: dict[str, tuple[float, Any]] = {}

    def begin(self, started: Mapping[str, TrafficStart]) -> None:
        """What was recorded before does not count."""
        self._marks = {key: (0.0, each.mark) for key, each in started.items()}

    def observe(self, at: float, records: Mapping[str, Record], rows: LifeRows) -> None:
        """Write down how long those took that were completed since the last look."""
        for key, record in sorted(records.items()):
            since, mark = self._marks.get(key, (at, None))
            found = record.percentiles_since(mark, PERCENTS)
            self._marks[key] = (at, record.mark())
            if found:
                values = (found[each] / MILLISECOND_NS for each in PERCENTS)
                rows.add("percentiles", since, key, at - since, *values)


def record_rows(
    records: Mapping[str, Record],
    targets: Mapping[str, WorkloadName],
    rows: LifeRows,
    span_ns: tuple[int, int],
    started: Mapping[str, TrafficStart],
) -> None:
    """Write down the requests of all Traffics in a span of time."""
    begin, end = (each / SECOND_NS for each in span_ns)
    for key, record in sorted(records.items()):
        recorded = record.table()
        seconds = record.resolution_ns / SECOND_NS
        # Of several of one name, one after the other, the later ones have a number, too.
        name = key.partition(" ")[0]
        target = str(targets[name]) if name in targets else ""
        columns = [recorded[_snake(name)] for name in REQUEST_COLUMNS]
        lines = [list(line) for line in zip(recorded["at_s"], *columns, strict=True)]
        if key in started:
            lines = list(_since(lines, started[key], begin))
        if len(lines) > 1 and end - lines[-1][0] < seconds * _SHORT:
            _fold(lines)
        ends = [each[0] for each in lines[1:]] + [end]
        for (at, *values), until in zip(lines, ends, strict=True):
            rps = values[0] / (until - at) if until > at else 0.0
            rows.add("requests", at - begin, key, target, rps, *values)
        for arrived_ns, response_ns in record.responses():
            arrived = (arrived_ns - span_ns[0]) / SECOND_NS
            if arrived >= 0:
                rows.add("responses", key, arrived, response_ns / MILLISECOND_NS)


def _since(lines: list[list[Any]], start: TrafficStart, begin: float) -> Iterator[list[Any]]:
    """Rows without what was in them, or before them, when the record began."""
    for at, *values in lines:
        if at > start.row_at:
            yield [at, *values]
        elif at == start.row_at:
            named = zip(REQUEST_COLUMNS, values, start.row, strict=True)
            left = [
                value if name in STOCKS or name.startswith("response") else value - before
                for name, value, before in named
            ]
            yield [max(at, begin), *left]


def _fold(lines: list[list[Any]]) -> None:
    """What came in the last instants is added to the row before it, as hardly any time passed."""
    *_, before, last = lines
    for at, name in enumerate(REQUEST_COLUMNS, 1):
        if name in STOCKS:
            before[at] = last[at]
        elif not name.startswith("response"):
            before[at] += last[at]
    lines.pop()


def in_short(key: str, record: Record, start: TrafficStart | None = None) -> Json:
    """The requests of one Traffic in a few numbers, since the record of the run began."""
    summary = record.summary()
    if start is not None:
        summary = _difference(record, summary, start)
    return {
        "traffic": key,
        "requests": summary["requests"],
        "completed": summary["completed"],
        "failed": sum(summary["failed"].values()),
        "failedByReason": summary["failed"],
        "inFlight": summary["in_flight"],
        "responseMs": summary["response_ms"],
    }


def _difference(record: Record, summary: Json, start: TrafficStart) -> Json:
    before = start.summary
    completed = summary["completed"] - before["completed"]
    response: Json = dict.fromkeys(summary["response_ms"])
    found = record.percentiles_since(start.mark, (*PERCENTS, 100))
    if found and completed:
        response["mean"] = (record.response_ns - start.response_ns) / completed / MILLISECOND_NS
        response |= {f"p{each}": found[each] / MILLISECOND_NS for each in PERCENTS}
        response["max"] = found[100] / MILLISECOND_NS
    failed = {name: count - before["failed"][name] for name, count in summary["failed"].items()}
    return {
        "requests": summary["requests"] - before["requests"],
        "completed": completed,
        "failed": failed,
        "in_flight": summary["in_flight"],
        "response_ms": response,
    }


def _snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)
