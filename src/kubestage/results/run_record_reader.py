"""The record of a run, read back: attempts, explanations, pods, events."""

from __future__ import annotations

import contextlib
import zlib
from typing import TYPE_CHECKING, Any, Self

import msgspec

from kubestage.errors import InputError
from kubestage.results import run_record_file
from kubestage.results.run_record_file import DecisionRow, PodRow, TimelineRow
from kubestage.results.trace_file import error_context
from kubestage.scheduler import explanation
from kubestage.scheduler.measuring import MeasuredValue

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json


class RecordReader:
    """The rows of a record; use it as a context manager, or close it."""

    def __init__(self, path: str | pathlib.Path) -> None:
        self._path = path
        self._connection = run_record_file.open_for_reading(path)

    @property
    def about(self) -> dict[str, str]:
        """The description of the run with which the record was started."""
        return dict(self._rows("SELECT key, value FROM meta ORDER BY key"))

    def decisions(self, pod: str | None = None) -> Iterator[DecisionRow]:
        """The attempts in the order in which they ended; of one pod (``namespace/name``) or all."""
        where, values = ("", ()) if pod is None else (" WHERE pod = ?", (pod,))
        rows = self._rows(f"SELECT * FROM decisions{where} ORDER BY rowid", values)
        return (DecisionRow(*row) for row in rows)

    def explanation(self, number: int) -> Json | None:
        """All that was found out in an attempt; None if that was not recorded."""
        return self._read(number, msgspec.json.decode)

    def schedule_result(self, number: int) -> Json | None:
        """The same in the words of a status, to be written as JSON."""
        return self._read(number, explanation.schedule_result_of)

    def _read(self, number: int, read: Callable[[bytes], Json]) -> Json | None:
        row = next(self._rows("SELECT told FROM details WHERE number = ?", (number,)), None)
        if row is None:
            return None
        try:
            return read(zlib.decompress(row[0]))
        except (zlib.error, msgspec.DecodeError) as error:
            raise InputError(
                f"the explanation of attempt {number} is damaged", file=str(self._path)
            ) from error

    def pods(self) -> Iterator[PodRow]:
        """The pods that were tried, in the order of their first attempts."""
        rows = self._rows(
            "SELECT pod, uid, attempts, number, result, node FROM decisions JOIN ("
            "  SELECT count(DISTINCT number) AS attempts, min(rowid) AS first, max(rowid) AS last"
            "  FROM decisions GROUP BY pod, uid"
            ") ON decisions.rowid = last ORDER BY first"
        )
        return (PodRow(*row) for row in rows)

    def measures(self, name: str | None = None) -> Iterator[MeasuredValue]:
        """The values of measures in the order in which they were computed; of one or of all."""
        tables = self._rows("SELECT 1 FROM sqlite_schema WHERE name = 'measures'")
        if next(tables, None) is None:
            return iter(())
        where, values = ("", ()) if name is None else (" WHERE name = ?", (name,))
        rows = self._rows(f"SELECT * FROM measures{where} ORDER BY rowid", values)
        return (MeasuredValue(*row) for row in rows)

    def timeline(
        self,
        *,
        step: int | None = None,
        operation: str | None = None,
        kind: str | None = None,
        namespace: str | None = None,
        name: str | None = None,
        node: str | None = None,
    ) -> Iterator[TimelineRow]:
        """The events that pass all filters, in order."""
        filters: dict[str, str | int | None] = {
            "step": step,
            "operation": operation,
            "kind": kind,
            "namespace": namespace,
            "name": name,
            "node": node,
        }
        filled = {column: value for column, value in filters.items() if value is not None}
        where = " AND ".join(f"{column} = ?" for column in filled)
        rows = self._rows(
            f"SELECT * FROM timeline{' WHERE ' if where else ''}{where} ORDER BY step, position",
            tuple(filled.values()),
        )
        return (TimelineRow(*row) for row in rows)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, query: str, values: tuple[str | int, ...] = ()) -> Iterator[Any]:
        with error_context(self._path), contextlib.closing(self._connection.cursor()) as cursor:
            yield from cursor.execute(query, values)
