"""The SQLite file that traces are kept in: its tables, and how it is opened.

One file holds any number of runs. Within a run, ``position`` numbers what was recorded, completed
and ignored alike, in the order in which it became known. Times are nanoseconds.
"""

from __future__ import annotations

import contextlib
import pathlib
import sqlite3
from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.files import reading

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


@contextlib.contextmanager
def error_context(path: str | pathlib.Path) -> Iterator[None]:
    """Turn an error of SQLite into an InputError that names the file."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        fix = "name a trace, or a file that is not there yet"
        raise InputError(str(error), file=str(path), fix=fix) from error


def open_for_writing(path: str | pathlib.Path) -> sqlite3.Connection:
    """The file, made if it is not there yet."""
    with error_context(path), contextlib.ExitStack() as on_error:
        connection = sqlite3.connect(path, isolation_level=None)
        on_error.callback(connection.close)
        # A trace can be made again from its seed: it need not survive a power cut.
        connection.execute("PRAGMA synchronous = OFF")
        if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            connection.executescript(TABLES)
        _check_layout(connection, path)
        on_error.pop_all()
    return connection


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
