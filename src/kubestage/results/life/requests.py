"""Converts the record of requests to rows of the tables of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.results.life.tables import REQUEST_COLUMNS, STOCKS, LifeRows
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.results.life.workloads import WorkloadName
    from kubestage.traffic.record import Record


PERCENTS: Final = (50, 95, 99)


class Bands:
    """Percentiles of response times, from one look to the next."""

    def __init__(self) -> None:
        self._marks: dict[str, tuple[float, Any]] = {}

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
        if len(lines) > 1 and lines[-1][0] >= end:
            _fold(lines)
        for at, *values in lines:
            # The last row may have been cut short.
            rps = values[0] / min(seconds, end - at) if end > at else 0.0
            rows.add("requests", at - begin, key, target, rps, *values)
        for arrived_ns, response_ns in record.responses():
            arrived = (arrived_ns - span_ns[0]) / SECOND_NS
            rows.add("responses", key, arrived, response_ns / MILLISECOND_NS)


def _fold(lines: list[list[Any]]) -> None:
    """What ended in the very last instant is added to the row before it: no time passed there."""
    *_, before, last = lines
    for at, name in enumerate(REQUEST_COLUMNS, 1):
        if name in STOCKS:
            before[at] = last[at]
        elif not name.startswith("response"):
            before[at] += last[at]
    lines.pop()


def in_short(key: str, record: Record) -> Json:
    """The requests of one Traffic in a few numbers."""
    summary = record.summary()
    return {
        "traffic": key,
        "requests": summary["requests"],
        "completed": summary["completed"],
        "failed": sum(summary["failed"].values()),
        "failedByReason": summary["failed"],
        "inFlight": summary["in_flight"],
        "responseMs": summary["response_ms"],
    }


def _snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)
