"""The rows of a sweep in SQLite: appended while it runs, in the order of the design at its end.

A row is found by its key, so a sweep into the same directory computes nothing twice. While a sweep
runs, all rows are in ``cache``. When it is complete, the file is written as a whole: ``rows`` in
the order of the design, and in ``cache`` only what other designs have left. The same rows give the
same bytes.
"""

from __future__ import annotations

import math
import os
import pathlib
import sqlite3
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import writing
from kubestage.sweep.engines.crashes import CRASHED
from kubestage.sweep.rows import MeasureInfo, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FILE: Final = "sweep.sqlite"
# A commit waits for the disk: a sweep that is killed computes the rows of a second again.
_COMMIT_SECONDS: Final = 1.0
_ROWS: Final = """CREATE TABLE rows (
  "index" INTEGER PRIMARY KEY, key TEXT NOT NULL, seed INTEGER NOT NULL,
  parameters TEXT NOT NULL, measures TEXT NOT NULL, error TEXT)"""
_CACHE: Final = """CREATE TABLE cache (
  key TEXT PRIMARY KEY, "index" INTEGER, seed INTEGER NOT NULL,
  parameters TEXT NOT NULL, measures TEXT NOT NULL, error TEXT) WITHOUT ROWID"""
_MEASURES: Final = """CREATE TABLE measures (
  key TEXT PRIMARY KEY, better TEXT, unit TEXT, place INTEGER) WITHOUT ROWID"""
_ABOUT: Final = "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
_FIELDS: Final = '"index", key, seed, parameters, measures, error'


class RowStore:
    """The file of a sweep that runs."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        is_new = not path.exists()
        self._connection = connected(path)
        # The first row is on disk at once.
        self._committed = -math.inf
        self._is_closed = False
        if is_new:
            for table in (_ROWS, _CACHE, _MEASURES, _ABOUT):
                self._connection.execute(table)
        self._infos: dict[str, MeasureInfo] = {
            key: MeasureInfo(key, better, unit)
            for key, better, unit in self._connection.execute(
                "SELECT key, better, unit FROM measures"
            )
        }

    def start(self, about: Mapping[str, str]) -> None:
        """A sweep begins; rows of another one stay in the cache."""
        run = self._connection.execute
        run("BEGIN")
        run('UPDATE cache SET "index" = NULL')
        run(f"INSERT OR REPLACE INTO cache ({_FIELDS}) SELECT {_FIELDS} FROM rows")
        run('UPDATE cache SET "index" = NULL')
        run("DELETE FROM rows")
        _write_about(self._connection, {**about, "complete": "false"})
        run("COMMIT")

    def find(self, key: str) -> Row | None:
        """The row of a key, unless its worker died."""
        query = f"SELECT {_FIELDS} FROM cache WHERE key = ?"
        found = self._connection.execute(query, (key,)).fetchone()
        row = None if found is None else _row(found)
        return None if row is None or (row.error or "").startswith(CRASHED) else row

    def add(self, row: Row) -> None:
        """Keep a row; it is on disk within a moment."""
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN")
        query = f"INSERT OR REPLACE INTO cache ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?)"
        self._connection.execute(query, _values(row))
        for info in row.described:
            if self._infos.get(info.key) != info:
                self.describe(info)
        if time.monotonic() - self._committed > _COMMIT_SECONDS:
            self.commit()

    def describe(self, info: MeasureInfo) -> None:
        """Keep what a measure is; of two descriptions always the same one."""
        known = self._infos.get(info.key)
        if known is None or repr(info) < repr(known):
            self._infos[info.key] = info
            query = "INSERT OR REPLACE INTO measures VALUES (?, ?, ?, 0)"
            self._connection.execute(query, (info.key, info.better, info.unit))

    def commit(self) -> None:
        """Write what was added."""
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")
        self._committed = time.monotonic()

    def infos(self) -> dict[str, MeasureInfo]:
        """All measures that were described."""
        return self._infos

    def finish(self, table: Table, about: Mapping[str, str]) -> None:
        """Write the file as a whole, with the rows of the design in order."""
        self.commit()
        keys = {row.key for row in table.rows}
        with writing.replaced(self.path) as beside:
            final = sqlite3.connect(beside, isolation_level=None)
            try:
                final.execute("PRAGMA journal_mode = OFF")
                final.execute("BEGIN")
                for statement in (_ROWS, _CACHE, _MEASURES, _ABOUT):
                    final.execute(statement)
                query = f"({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?)"
                final.executemany(f"INSERT INTO rows {query}", map(_values, table.rows))
                others = (row for row in self._cached() if row.key not in keys)
                earlier = ((None, *_values(row)[1:]) for row in others)
                final.executemany(f"INSERT INTO cache {query}", earlier)
                final.executemany(
                    "INSERT INTO measures VALUES (?, ?, ?, ?)",
                    [
                        (each.key, each.better, each.unit, place)
                        for place, each in enumerate(table.measures.values())
                    ],
                )
                _write_about(final, {**about, "complete": "true"})
                final.execute(_view(table))
                final.execute("COMMIT")
            finally:
                final.close()
            _flush(beside)
        self.close()

    def _cached(self) -> Iterator[Row]:
        query = f"SELECT {_FIELDS} FROM cache ORDER BY key"
        return map(_row, self._connection.execute(query))

    def close(self) -> None:
        """Write what was added, and let go of the file."""
        if not self._is_closed:
            self._is_closed = True
            self.commit()
            self._connection.close()


def connected(path: pathlib.Path, *, is_read: bool = False) -> sqlite3.Connection:
    """The database of a file; InputError if it is none."""
    name = (
        f"file:{pathlib.Path(os.path.abspath(path)).as_posix()}?mode={'ro' if is_read else 'rwc'}"
    )
    try:
        found = sqlite3.connect(name.replace("#", "%23"), isolation_level=None, uri=True)
        found.execute("PRAGMA synchronous = NORMAL")
        found.execute("SELECT name FROM sqlite_master LIMIT 1").fetchall()
    except sqlite3.DatabaseError:
        fix = f"name the directory of a sweep, which has a {FILE}"
        raise InputError("is no sweep", file=str(path), fix=fix) from None
    return found


def about(path: pathlib.Path) -> dict[str, str]:
    """What the file says about its sweep."""
    found = connected(path, is_read=True)
    try:
        return dict(found.execute("SELECT name, value FROM about").fetchall())
    except sqlite3.DatabaseError:
        raise InputError("is no sweep", file=str(path)) from None
    finally:
        found.close()


def read(path: pathlib.Path) -> Table:
    """The table of a sweep; of one that is not complete, the rows that there are."""
    known = about(path)
    found = connected(path, is_read=True)
    try:
        source = "rows" if known.get("complete") == "true" else "cache"
        query = f'SELECT {_FIELDS} FROM {source} WHERE "index" IS NOT NULL ORDER BY "index"'
        rows = tuple(_row(each) for each in found.execute(query))
        query = "SELECT key, better, unit FROM measures ORDER BY place, key"
        infos = [MeasureInfo(*each) for each in found.execute(query)]
    finally:
        found.close()
    axes: list[str] = msgspec.json.decode(known.get("axes", "[]"))
    return Table(tuple(axes), rows, {each.key: each for each in infos})


def _row(found: Sequence[Any]) -> Row:
    index, key, seed, parameters, measures, error = found
    return Row(
        -1 if index is None else index,
        key,
        msgspec.json.decode(parameters),
        seed,
        msgspec.json.decode(measures),
        error,
    )


def _values(row: Row) -> tuple[Any, ...]:
    parameters, measures = (
        msgspec.json.encode(each).decode() for each in (row.parameters, row.measures)
    )
    return row.index, row.key, row.seed, parameters, measures, row.error


def _write_about(connection: sqlite3.Connection, values: Mapping[str, str]) -> None:
    query = "INSERT OR REPLACE INTO about VALUES (?, ?)"
    connection.executemany(query, sorted(values.items()))


def _view(table: Table) -> str:
    """A view with a column for each parameter and measure."""
    columns = ['"index"', "seed"]
    parts = (("parameters", table.axes), ("measures", table.measures))
    for source, names in parts:
        for name in names:
            path = _quoted(f'$."{name}"', "'")
            title = f"{source[:-1]}.{name}" if name in ("index", "seed", "error") else name
            columns.append(f"json_extract({source}, {path}) AS {_quoted(title, chr(34))}")
    return f"CREATE VIEW results AS SELECT {', '.join(columns)}, error FROM rows"


def _quoted(text: str, mark: str) -> str:
    return f"{mark}{text.replace(mark, mark * 2)}{mark}"


def _flush(path: pathlib.Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def measures_of(rows: Iterable[Row], infos: Mapping[str, MeasureInfo]) -> dict[str, MeasureInfo]:
    """The measures of rows, in the order in which they first have them."""
    found: dict[str, MeasureInfo] = {}
    for row in rows:
        for key in row.measures:
            if key not in found:
                found[key] = infos.get(key, MeasureInfo(key))
    return found
