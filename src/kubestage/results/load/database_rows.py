"""The rows of ``load.sqlite``, from what runs have come to."""

from __future__ import annotations

import bisect
import collections
from typing import TYPE_CHECKING, Any

from kubestage.measure.percentiles import nearest_rank
from kubestage.results.load import database

if TYPE_CHECKING:
    import pathlib
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.clusterloader.result import LoadResult, Measured
    from kubestage.measure.results import Latencies
    from kubestage.results.load.about import About

FileRow = tuple[str, int | None, str | None]
Row = tuple[Any, ...]


def write(
    path: pathlib.Path, results: Sequence[LoadResult], about: About, files: Iterable[FileRow]
) -> None:
    """A whole file; `files` are names, the tests they are of, and the summaries they hold."""
    connection = database.make(path)
    try:
        connection.execute("BEGIN")
        facts = {**about.facts(), "command": about.command}
        _add(connection, "meta", sorted(facts.items()))
        _add(connection, "files", sorted(files))
        objects = _Objects()
        for test, result in enumerate(results, 1):
            _write_test(connection, test, result)
            _write_latencies(connection, test, result, objects)
        _add(connection, "objects", objects.rows())
        connection.execute("COMMIT")
        connection.executescript(database.INDEXES)
    finally:
        connection.close()


def _write_test(connection: sqlite3.Connection, test: int, result: LoadResult) -> None:
    head = (
        test,
        _text(result.name),
        _text(result.identifier),
        _text(result.path),
        result.began_unix_ns,
        result.began_ns,
        result.took_ns,
        result.passed,
        result.is_interrupted,
        result.is_fatal,
        _text(result.chaos),
    )
    _add(connection, "tests", [head])
    _add(connection, "steps", _steps(test, result))
    _add(connection, "substeps", _substeps(test, result))
    _add(connection, "errors", _errors(test, result))
    _add(connection, "warnings", ((test, _text(each)) for each in result.warnings))
    _add(
        connection,
        "skipped",
        ((test, *_source(measured), _text(why)) for measured, why in result.skipped()),
    )
    _add(connection, "verdicts", _verdicts(test, result))
    _add(connection, "calls", _calls(test, result))
    _add(connection, "series", _series(test, result))


def _add(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    rows = iter(rows)
    first = next(rows, None)
    if first is not None:
        places = ", ".join("?" * len(first))
        statement = f"INSERT INTO {table} VALUES ({places})"
        connection.execute(statement, first)
        connection.executemany(statement, rows)


def _text(value: str) -> str:
    """Texts come from clusters and may hold what SQLite cannot."""
    return value.encode(errors="replace").decode()


def _source(measured: Measured) -> tuple[int, str, str]:
    return measured.step, measured.method, _text(measured.identifier)


def _steps(test: int, result: LoadResult) -> Iterator[Row]:
    for step in result.steps:
        passed = not step.errors
        yield (
            test,
            step.number,
            _text(step.name),
            step.began_ns,
            step.took_ns,
            step.is_named,
            passed,
        )


def _substeps(test: int, result: LoadResult) -> Iterator[Row]:
    for step in result.steps:
        for position, each in enumerate(step.substeps):
            yield test, step.number, position, _text(each.name), each.took_ns, not each.errors


def _errors(test: int, result: LoadResult) -> Iterator[Row]:
    """Those of steps, then those that belong to none."""
    others = collections.Counter(result.errors)
    for step in result.steps:
        for position, substep in enumerate(step.substeps):
            for error in substep.errors:
                others[error] -= 1
                yield test, step.number, position, _text(error)
    for error in others.elements():
        yield test, None, None, _text(error)


def _verdicts(test: int, result: LoadResult) -> Iterator[Row]:
    for measured, each in result.verdicts():
        yield (
            test,
            *_source(measured),
            _text(each.name),
            each.passed,
            each.value,
            each.threshold,
            each.unit,
            each.samples,
            each.is_upper,
            each.is_enforced,
            each.is_empty,
        )


def _calls(test: int, result: LoadResult) -> Iterator[Row]:
    calls = result.calls
    steps = StepFinder(result)
    for row in zip(
        calls.verbs,
        calls.kinds,
        calls.namespaces,
        calls.names,
        calls.asked_ns,
        calls.sent_ns,
        calls.ended_ns,
        calls.codes,
        strict=True,
    ):
        yield test, steps.at(row[4]), *row


def _series(test: int, result: LoadResult) -> Iterator[Row]:
    for measured, each in result.series():
        source = (test, *_source(measured), _text(each.metric), each.unit)
        for at_ns, value in zip(each.at_ns, each.values, strict=True):
            yield *source, at_ns, value


class StepFinder:
    """Which step is under way at a time; None before the first and after the last."""

    def __init__(self, result: LoadResult) -> None:
        self._began_ns = [step.began_ns for step in result.steps]
        self._numbers = [step.number for step in result.steps]
        self._end_ns = max((step.began_ns + step.took_ns for step in result.steps), default=0)

    def at(self, at_ns: int) -> int | None:
        """Its number."""
        place = bisect.bisect_right(self._began_ns, at_ns) - 1
        if place < 0 or at_ns > self._end_ns:
            return None
        # Cleaning up begins in the instant in which the last step ends.
        is_after = at_ns == self._end_ns > self._began_ns[place]
        return None if is_after else self._numbers[place]


class _Objects:
    """A number for every object, so that its name is written once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def numbers(self, names: Iterable[str]) -> Iterator[int]:
        known = self._numbers
        for name in names:
            yield known.setdefault(name, len(known) + 1)

    def rows(self) -> Iterator[Row]:
        return ((number, _text(name)) for name, number in self._numbers.items())


def _write_latencies(
    connection: sqlite3.Connection, test: int, result: LoadResult, objects: _Objects
) -> None:
    (metric,) = connection.execute("SELECT count(*) FROM metrics").fetchone()
    for measured, found in result.latencies():
        metric += 1
        row = (metric, test, *_source(measured), found.metric, len(found.took_ns), *_spread(found))
        _add(connection, "metrics", [row])
        numbers = objects.numbers(found.objects)
        columns = zip(numbers, found.began_ns, found.took_ns, strict=True)
        _add(connection, "observations", ((metric, *each) for each in columns))


def _spread(found: Latencies) -> tuple[int | None, ...]:
    ordered = sorted(found.took_ns)
    if not ordered:
        return (None,) * 5
    ranks = [nearest_rank(ordered, percent) for percent in (50, 90, 99)]
    return ordered[0], *ranks, ordered[-1]
