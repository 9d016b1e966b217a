"""The SQLite file that the record of a run is kept in: its tables, and how it is opened.

One file holds one run. It is written under another name and moved into place when it is whole, so
it needs neither a journal nor a flush to disk while it grows. Times are virtual nanoseconds since
the start.
"""

from __future__ import annotations

import contextlib
import pathlib
import sqlite3
from typing import Final, NamedTuple

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.results.trace_file import error_context

LAYOUT: Final = 1
# Tells a record from every other SQLite file: "ksrr" in ASCII.
APPLICATION: Final = 0x6B737272
_PAGE_BYTES: Final = 8192
TABLES: Final = f"""
PRAGMA page_size = {_PAGE_BYTES};
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {LAYOUT};
BEGIN;
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE steps (
    step INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL
);
CREATE TABLE decisions (
    number INTEGER NOT NULL,
    step INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    pod TEXT NOT NULL,
    uid TEXT NOT NULL,
    profile TEXT NOT NULL,
    result TEXT NOT NULL,
    node TEXT NOT NULL,
    evaluated INTEGER NOT NULL,
    feasible INTEGER NOT NULL,
    message TEXT NOT NULL
);
CREATE TABLE details (
    number INTEGER PRIMARY KEY,
    told BLOB NOT NULL
);
CREATE TABLE timeline (
    step INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    operation TEXT NOT NULL,
    kind TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    node TEXT NOT NULL,
    preempted_by TEXT NOT NULL,
    PRIMARY KEY (step, position)
) WITHOUT ROWID;
COMMIT;
"""
# Made with the first value: most runs have no measures.
MEASURES: Final = """
CREATE TABLE measures (
    name TEXT NOT NULL,
    step INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    value NOT NULL
)
"""
# Made last: rows are added faster to a table without them.
INDEXES: Final = """
CREATE INDEX decisions_by_number ON decisions (number);
CREATE INDEX decisions_by_pod ON decisions (pod);
CREATE INDEX timeline_by_name ON timeline (namespace, name);
"""


class DecisionRow(NamedTuple):
    """One attempt; `node` is empty unless the pod got one, `number` counts over the whole run."""

    number: int
    step: int
    at_ns: int
    pod: str
    uid: str
    profile: str
    result: str
    node: str
    evaluated: int
    feasible: int
    message: str


class PodRow(NamedTuple):
    """A pod that was tried: how often, and what came of the last attempt."""

    pod: str
    uid: str
    attempts: int
    number: int
    result: str
    node: str


class TimelineRow(NamedTuple):
    """One event; `position` is its place in its step's list in the Scenario's timeline."""

    step: int
    position: int
    id: str
    operation: str
    kind: str
    namespace: str
    name: str
    node: str
    preempted_by: str


def make(path: pathlib.Path) -> sqlite3.Connection:
    """A new file with empty tables, in place of any that is there."""
    with error_context(path), contextlib.ExitStack() as on_error:
        path.unlink(missing_ok=True)
        on_error.callback(path.unlink, missing_ok=True)
        connection = sqlite3.connect(path, isolation_level=None)
        on_error.callback(connection.close)
        connection.executescript(TABLES)
        on_error.pop_all()
    return connection


def open_for_reading(path: str | pathlib.Path) -> sqlite3.Connection:
    """The file, which must be there and is not changed."""
    if not pathlib.Path(path).is_file():
        raise InputError("no such file", file=str(path))
    reading.check_regular(path)
    with error_context(path), contextlib.ExitStack() as on_error:
        address = pathlib.Path(path).resolve().as_uri()
        # A finished record is never written to: it needs no lock and no journal.
        connection = sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
        on_error.callback(connection.close)
        _check(connection, path)
        on_error.pop_all()
    return connection


def _check(connection: sqlite3.Connection, path: str | pathlib.Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    layout = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise InputError(
            "is not the record of a run",
            file=str(path),
            fix="name the record.sqlite that `kubestage run --out DIR` has written",
        )
    if layout != LAYOUT:
        raise InputError(
            f"is no record that this version can read (layout {layout}, not {LAYOUT})",
            file=str(path),
            fix="run the scenario again",
        )
