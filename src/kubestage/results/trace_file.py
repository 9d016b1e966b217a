"""The SQLite file that traces are kept in: its tables, and how it is opened.

One file holds any number of runs. Within a run, ``position`` numbers what was recorded, completed
and ignored alike, in the order in which it became known. Times are nanoseconds.
"""

from __future__ import annotations

import contextlib
import pathlib
import secrets
import sqlite3
from typing import TYPE_CHECKING, Final, Self

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.files.writing import WRITING

if TYPE_CHECKING:
    from collections.abc import Iterator

LAYOUT = 1
TABLES = f"""
BEGIN;
CREATE TABLE scenario_runs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    seed TEXT NOT NULL,
    completed INTEGER NOT NULL DEFAULT 0,
    ignored INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE stocks (
    run INTEGER NOT NULL REFERENCES scenario_runs,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind_stocked TEXT NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;
CREATE TABLE completed_movements (
    run INTEGER NOT NULL REFERENCES scenario_runs,
    position INTEGER NOT NULL,
    occurs_at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    entity TEXT NOT NULL,
    from_stock INTEGER NOT NULL,
    to_stock INTEGER NOT NULL,
    notes TEXT NOT NULL,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE ignored_movements (
    run INTEGER NOT NULL REFERENCES scenario_runs,
    position INTEGER NOT NULL,
    occurs_at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    entity TEXT NOT NULL,
    from_stock INTEGER NOT NULL,
    to_stock INTEGER NOT NULL,
    notes TEXT NOT NULL,
    reason TEXT NOT NULL,
    noticed_at INTEGER NOT NULL,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE VIEW completed AS SELECT *, NULL AS reason, NULL AS noticed_at FROM completed_movements;
CREATE VIEW movements AS SELECT * FROM completed UNION ALL SELECT * FROM ignored_movements;
CREATE VIEW entities AS
    SELECT DISTINCT run, entity AS name, kind_stocked AS kind
    FROM completed_movements JOIN stocks USING (run) WHERE stocks.id = from_stock;
PRAGMA user_version = {LAYOUT};
COMMIT;
"""

_RUN: Final = "(SELECT max(id) FROM main.scenario_runs)"
_MOVED: Final = "position, occurs_at, kind, entity, from_stock, to_stock, notes"
_MERGE: Final = (
    (
        "INSERT INTO main.scenario_runs (name, seed, completed, ignored)"
        " SELECT name, seed, completed, ignored FROM beside.scenario_runs"
    ),
    f"INSERT INTO main.stocks SELECT {_RUN}, id, name, kind_stocked FROM beside.stocks",
    f"INSERT INTO main.completed_movements SELECT {_RUN}, {_MOVED} FROM beside.completed_movements",
    (
        f"INSERT INTO main.ignored_movements SELECT {_RUN}, {_MOVED}, reason, noticed_at"
        " FROM beside.ignored_movements"
    ),
)


@contextlib.contextmanager
def error_context(path: str | pathlib.Path) -> Iterator[None]:
    """Turn an error of SQLite into an InputError that names the file."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        fix = "name a trace, or a file that is not there yet"
        if getattr(error, "sqlite_errorname", "") == "SQLITE_FULL":
            fix = "free some space, or name another place"
        raise InputError(str(error), file=str(path), fix=fix) from error


class Beside:
    """A new file beside a trace, whose one run is put into the trace when the block ends well.

    So a trace never holds a part of a run, and several commands may write to one file.
    """

    def __init__(self, path: str | pathlib.Path) -> None:
        self._target = pathlib.Path(path)
        reading.check_regular(path)
        with error_context(path):
            self._has_runs()
        self._own = self._target.with_name(f"{WRITING}{secrets.token_hex(6)}.sqlite")
        with error_context(path):
            self.connection = sqlite3.connect(self._own, isolation_level=None)
            # Nobody else sees it before it is whole.
            self.connection.execute("PRAGMA synchronous = OFF")
            self.connection.executescript(TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            self.connection.close()
            if kind is None:
                self._put()
        finally:
            self._own.unlink(missing_ok=True)

    def _has_runs(self) -> bool:
        """Whether there is a trace to add to; an empty file is none."""
        if not self._target.exists() or not self._target.stat().st_size:
            return False
        with contextlib.closing(sqlite3.connect(self._target)) as connection:
            _check_layout(connection, self._target)
        return True

    def _put(self) -> None:
        if not self._has_runs():
            self._own.replace(self._target)
            return
        with (
            error_context(self._target),
            contextlib.closing(sqlite3.connect(self._target, isolation_level=None)) as connection,
        ):
            connection.execute("ATTACH ? AS beside", (str(self._own),))
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                for statement in _MERGE:
                    connection.execute(statement)


def open_for_reading(path: str | pathlib.Path) -> sqlite3.Connection:
    """The file, which must be there and is not changed."""
    reading.check_regular(path)
    with error_context(path), contextlib.ExitStack() as on_error:
        address = pathlib.Path(path).resolve().as_uri()
        connection = sqlite3.connect(f"{address}?mode=ro", uri=True)
        on_error.callback(connection.close)
        _check_layout(connection, path)
        on_error.pop_all()
    return connection


def _check_layout(connection: sqlite3.Connection, path: str | pathlib.Path) -> None:
    layout = connection.execute("PRAGMA user_version").fetchone()[0]
    if layout != LAYOUT:
        raise InputError(
            f"is no trace that this version can read (layout {layout}, not {LAYOUT})",
            file=str(path),
            fix="name another file",
        )
