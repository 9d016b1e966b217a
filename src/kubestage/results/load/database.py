"""``load.sqlite``: everything of a load as rows, for queries of your own.

One file holds one report, of one test or of a suite. It is written under another name and moved
into place when it is whole. Times are nanoseconds: those that end in ``at_ns``, ``began_ns``,
``asked_ns``, ``sent_ns`` and ``ended_ns`` on the clock of the run, on which a test began at
``tests.began_ns``; the calendar's is ``tests.began_unix_ns``.
"""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.results.trace_file import error_context

if TYPE_CHECKING:
    import pathlib

LAYOUT: Final = 1
# Tells a report from every other SQLite file: "ksld" in ASCII.
APPLICATION: Final = 0x6B736C64
_PAGE_BYTES: Final = 8192
TABLES: Final = f"""
PRAGMA page_size = {_PAGE_BYTES};
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {LAYOUT};
BEGIN;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (name TEXT PRIMARY KEY, test INTEGER, summary TEXT) WITHOUT ROWID;
CREATE TABLE tests (
    test INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    identifier TEXT NOT NULL,
    path TEXT NOT NULL,
    began_unix_ns INTEGER NOT NULL,
    began_ns INTEGER NOT NULL,
    took_ns INTEGER NOT NULL,
    passed INTEGER NOT NULL,
    interrupted INTEGER NOT NULL,
    fatal INTEGER NOT NULL,
    chaos TEXT NOT NULL
);
CREATE TABLE steps (
    test INTEGER NOT NULL,
    step INTEGER NOT NULL,
    name TEXT NOT NULL,
    began_ns INTEGER NOT NULL,
    took_ns INTEGER NOT NULL,
    named INTEGER NOT NULL,
    passed INTEGER NOT NULL,
    PRIMARY KEY (test, step)
) WITHOUT ROWID;
CREATE TABLE substeps (
    test INTEGER NOT NULL,
    step INTEGER NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    took_ns INTEGER NOT NULL,
    passed INTEGER NOT NULL,
    PRIMARY KEY (test, step, position)
) WITHOUT ROWID;
CREATE TABLE errors (test INTEGER NOT NULL, step INTEGER, substep INTEGER, message TEXT NOT NULL);
CREATE TABLE warnings (test INTEGER NOT NULL, message TEXT NOT NULL);
CREATE TABLE skipped (
    test INTEGER NOT NULL,
    step INTEGER NOT NULL,
    method TEXT NOT NULL,
    identifier TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE TABLE verdicts (
    test INTEGER NOT NULL,
    step INTEGER NOT NULL,
    method TEXT NOT NULL,
    identifier TEXT NOT NULL,
    name TEXT NOT NULL,
    passed INTEGER NOT NULL,
    value REAL,
    threshold REAL,
    unit TEXT NOT NULL,
    samples INTEGER,
    upper INTEGER NOT NULL,
    enforced INTEGER NOT NULL,
    empty INTEGER NOT NULL
);
CREATE TABLE calls (
    test INTEGER NOT NULL,
    step INTEGER,
    verb TEXT NOT NULL,
    kind TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    asked_ns INTEGER NOT NULL,
    sent_ns INTEGER NOT NULL,
    ended_ns INTEGER NOT NULL,
    code INTEGER NOT NULL
);
CREATE TABLE objects (object INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE metrics (
    metric INTEGER PRIMARY KEY,
    test INTEGER NOT NULL,
    step INTEGER NOT NULL,
    method TEXT NOT NULL,
    identifier TEXT NOT NULL,
    name TEXT NOT NULL,
    samples INTEGER NOT NULL,
    min_ns INTEGER,
    p50_ns INTEGER,
    p90_ns INTEGER,
    p99_ns INTEGER,
    max_ns INTEGER
);
CREATE TABLE observations (
    metric INTEGER NOT NULL,
    object INTEGER NOT NULL,
    began_ns INTEGER NOT NULL,
    took_ns INTEGER NOT NULL
);
CREATE TABLE series (
    test INTEGER NOT NULL,
    step INTEGER NOT NULL,
    method TEXT NOT NULL,
    identifier TEXT NOT NULL,
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    value REAL
);
COMMIT;
"""
# Made last: rows are added faster to a table without them.
INDEXES: Final = """
BEGIN;
CREATE INDEX calls_by_name ON calls (name, namespace);
CREATE INDEX calls_by_code ON calls (code) WHERE code >= 400;
CREATE INDEX objects_by_name ON objects (name);
CREATE INDEX observations_by_time ON observations (metric, took_ns);
CREATE INDEX observations_by_object ON observations (object);
CREATE INDEX series_by_name ON series (name, at_ns);
CREATE VIEW latencies AS
    SELECT metrics.test, metrics.step, metrics.method AS measurement, metrics.identifier,
        metrics.name AS metric, objects.name AS object, began_ns, took_ns
    FROM observations JOIN metrics USING (metric) JOIN objects USING (object);
CREATE VIEW slowest_pods AS
    SELECT metrics.test, metrics.identifier, objects.name AS pod,
        observations.took_ns / 1e9 AS seconds,
        (observations.began_ns - tests.began_ns) / 1e9 AS created_at_seconds
    FROM observations JOIN metrics USING (metric) JOIN objects USING (object)
        JOIN tests USING (test)
    WHERE metrics.name = 'pod_startup' ORDER BY observations.took_ns DESC, pod;
CREATE VIEW calls_per_second AS
    SELECT calls.test, (sent_ns - began_ns) / 1000000000 AS second, verb, count(*) AS calls,
        sum(code >= 400) AS failed
    FROM calls JOIN tests USING (test) GROUP BY 1, 2, 3;
CREATE VIEW slowest_calls AS
    SELECT test, step, verb, kind, namespace, name, code, (sent_ns - asked_ns) / 1e9
        AS waited_seconds, (ended_ns - sent_ns) / 1e9 AS seconds
    FROM calls ORDER BY ended_ns - sent_ns DESC, name;
COMMIT;
"""


def make(path: pathlib.Path) -> sqlite3.Connection:
    """A new file with empty tables."""
    with error_context(path), contextlib.ExitStack() as on_error:
        connection = sqlite3.connect(path, isolation_level=None)
        on_error.callback(connection.close)
        connection.executescript(TABLES)
        on_error.pop_all()
    return connection


def open_for_reading(path: pathlib.Path) -> sqlite3.Connection:
    """The file, which must be there and is not changed."""
    if not path.is_file():
        fix = "name a directory that `kubestage load --report-dir DIR` has written"
        raise InputError("is not the report of a load", file=str(path), fix=fix)
    with error_context(path), contextlib.ExitStack() as on_error:
        # A finished report is never written to: it needs no lock and no journal.
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(address, uri=True)
        on_error.callback(connection.close)
        _check(connection, path)
        on_error.pop_all()
    return connection


def _check(connection: sqlite3.Connection, path: pathlib.Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    layout = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        fix = "name a directory that `kubestage load --report-dir DIR` has written"
        raise InputError("is not the report of a load", file=str(path), fix=fix)
    if layout != LAYOUT:
        raise InputError(
            f"is no report that this version can read (layout {layout}, not {LAYOUT})",
            file=str(path),
            fix="run the load again",
        )
