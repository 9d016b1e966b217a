"""A report opened again: what was judged and observed, for comparisons and notebooks."""

from __future__ import annotations

import functools
import pathlib
import sqlite3
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from kubestage.results.load import database
from kubestage.results.load.report_directory import DATABASE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json


class VerdictRow(NamedTuple):
    """What was judged; the fields of a `Verdict`, and who judged in which test."""

    test: int
    method: str
    identifier: str
    name: str
    value: float | None
    threshold: float | None
    unit: str
    samples: int | None
    passed: bool
    is_enforced: bool
    is_empty: bool


class MetricRow(NamedTuple):
    """How long something took: how often it was seen, and the percentiles by nearest rank."""

    metric: int
    test: int
    method: str
    identifier: str
    name: str
    samples: int
    p50_ns: int | None
    p90_ns: int | None
    p99_ns: int | None
    max_ns: int | None


class Observation(NamedTuple):
    """One object: when it began, on the clock of the run, and how long it took."""

    object: str
    began_ns: int
    took_ns: int


class Reading:
    """A report; open until `close`."""

    def __init__(self, connection: sqlite3.Connection, path: pathlib.Path) -> None:
        self.path = path
        self._connection = connection
        self._connection.row_factory = sqlite3.Row

    @functools.cached_property
    def facts(self) -> dict[str, str]:
        """Seed, version, nodes, profile and the command, as far as they are known."""
        return {row["key"]: row["value"] for row in self.rows("SELECT * FROM meta ORDER BY key")}

    def tests(self) -> list[Json]:
        """The tests in their order, each with name, identifier, times and whether it passed."""
        return self.rows("SELECT * FROM tests ORDER BY test")

    def verdicts(self) -> list[VerdictRow]:
        """All that was judged, in order."""
        found = self._connection.execute(
            "SELECT test, method, identifier, name, value, threshold, unit, samples, passed,"
            " enforced, empty FROM verdicts ORDER BY rowid"
        )
        return [VerdictRow(*row[:-3], *map(bool, row[-3:])) for row in found]

    def metrics(self) -> list[MetricRow]:
        """All metrics that objects were observed for, in order."""
        found = self._connection.execute(
            "SELECT metric, test, method, identifier, name, samples, p50_ns, p90_ns, p99_ns,"
            " max_ns FROM metrics ORDER BY metric"
        )
        return [MetricRow(*row) for row in found]

    def latencies(self, metric: MetricRow | str) -> list[Observation]:
        """Every object of one metric, or of all metrics of a name, in the order observed."""
        column, value = ("name", metric) if isinstance(metric, str) else ("metric", metric.metric)
        found = self._connection.execute(
            "SELECT objects.name, began_ns, took_ns FROM observations JOIN metrics USING (metric)"
            f" JOIN objects USING (object) WHERE metrics.{column} = ? ORDER BY observations.rowid",
            (value,),
        )
        return [Observation(*row) for row in found]

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Json]:
        """What SQL finds; the tables and views are those of `database`."""
        return [dict(row) for row in self._connection.execute(query, values)]

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_report(path: str | pathlib.Path) -> Reading:
    """The report in a directory, or in a ``load.sqlite`` by itself."""
    place = pathlib.Path(path)
    file = place / DATABASE if place.is_dir() else place
    return Reading(database.open_for_reading(file), file)
