"""The trace of a simulation: written to SQLite while it runs, read back with filters.

Rows go to the file in batches, so that a run of any length needs little memory; for the same
reason reading yields one row after another.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Final, Self

from kubestage.errors import InputError
from kubestage.results import trace_file
from kubestage.sim import CountsOnly
from kubestage.sim.clock import NEVER_NS
from kubestage.sim.timer import KIND as TIMER

if TYPE_CHECKING:
    import pathlib
    import sqlite3
    from collections.abc import Iterator

    from kubestage.sim import Entity, IgnoredReason, Movement, Stock

COLUMNS = ("time (s)", "movement", "entity", "from", "to", "notes")
IGNORED_COLUMNS = (*COLUMNS, "reason")
# The number of a run while it is written; it gets its own in the file that it is put into.
_FIRST: Final = 1


@dataclasses.dataclass(frozen=True, slots=True)
class TraceRow:
    """One movement of a trace; ``reason`` and ``noticed_at`` are None if it was completed.

    ``entity`` is what was moved or, if nothing was, what the movement named (maybe nothing).
    """

    position: int
    occurs_at: int
    kind: str
    entity: str
    from_stock: str
    to_stock: str
    notes: str
    reason: str | None
    noticed_at: int | None


@dataclasses.dataclass(frozen=True, slots=True)
class TraceRun:
    """One run of a trace file, with its counts as of when its recorder was closed."""

    id: int
    name: str
    seed: str
    completed: int
    ignored: int


class SqliteRecorder:
    """Writes what an Environment does to a trace file, as one more run of it.

    Until it is closed, all is in a file beside that one, which is as it was.

    Use it as a context manager, or call ``close``: the last batch is written then. A pickled or
    forked Environment gets ``CountsOnly`` in its place, since two of them must not write to one
    file; give the copy a recorder of its own by setting ``environment.recorder``.

    The rings of alarms, by which controllers, schedulers and streams of requests keep time, are
    left out unless ``internal``: nothing moves in them, and there are many.
    """

    def __init__(
        self,
        path: str | pathlib.Path,
        *,
        name: str = "",
        seed: int | None = None,
        internal: bool = False,
        batch_rows: int = 10_000,
    ) -> None:
        self._beside = trace_file.Beside(path)
        self._connection = self._beside.connection
        self._connection.execute(
            "INSERT INTO scenario_runs (id, name, seed) VALUES (?, ?, ?)",
            (_FIRST, name, "" if seed is None else str(seed)),
        )
        self._path = path
        self._left_out = None if internal else TIMER
        self._batch_rows = batch_rows
        self._position = 0
        self._ignored_count = 0
        self._stock_ids: dict[tuple[str, str], int] = {}
        self._stocks: list[tuple[int, int, str, str]] = []
        self._completed: list[tuple[int | str, ...]] = []
        self._ignored: list[tuple[int | str, ...]] = []

    def completed(self, occurs_at: int, movement: Movement, entity: Entity) -> None:
        """Put a movement that happened into the batch."""
        if movement.from_stock.kind_stocked == self._left_out:
            return
        self._completed.append(self._row(occurs_at, movement, entity.name))
        if len(self._completed) >= self._batch_rows:
            self.flush()

    def ignored(
        self, occurs_at: int, movement: Movement, reason: IgnoredReason, noticed_at: int
    ) -> None:
        """Put a movement that did not happen into the batch."""
        if movement.from_stock.kind_stocked == self._left_out:
            return
        # A refused time may be beyond SQLite's integers.
        kept_at = max(-NEVER_NS, min(occurs_at, NEVER_NS))
        named = "" if movement.what_to_move is None else movement.what_to_move.name
        self._ignored.append((*self._row(kept_at, movement, named), reason.value, noticed_at))
        self._ignored_count += 1
        if len(self._ignored) >= self._batch_rows:
            self.flush()

    def flush(self) -> None:
        """Write out the batch in one transaction."""
        execute, many = self._connection.execute, self._connection.executemany
        counts = (self._position - self._ignored_count, self._ignored_count, _FIRST)
        with trace_file.error_context(self._path), self._connection:
            execute("BEGIN")
            many("INSERT INTO stocks VALUES (?, ?, ?, ?)", self._stocks)
            many(
                "INSERT INTO completed_movements VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                self._completed,
            )
            many(
                "INSERT INTO ignored_movements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                self._ignored,
            )
            execute("UPDATE scenario_runs SET completed = ?, ignored = ? WHERE id = ?", counts)
        self._stocks.clear()
        self._completed.clear()
        self._ignored.clear()

    def close(self) -> None:
        """Write out what is left and put the run into the file, all at once."""
        with self._beside:
            self.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[type[CountsOnly], tuple[()]]:
        return (CountsOnly, ())

    def _row(self, occurs_at: int, movement: Movement, entity: str) -> tuple[int | str, ...]:
        self._position += 1
        return (
            _FIRST,
            self._position,
            occurs_at,
            movement.kind,
            entity,
            self._stock_id(movement.from_stock),
            self._stock_id(movement.to_stock),
            movement.notes,
        )

    def _stock_id(self, stock: Stock) -> int:
        key = (stock.name, stock.kind_stocked)
        found = self._stock_ids.get(key)
        if found is None:
            found = self._stock_ids[key] = len(self._stock_ids) + 1
            self._stocks.append((_FIRST, found, *key))
        return found


def _opened(path: str | pathlib.Path) -> contextlib.closing[sqlite3.Connection]:
    return contextlib.closing(trace_file.open_for_reading(path))


def read_runs(path: str | pathlib.Path) -> list[TraceRun]:
    """The runs that a trace file holds, oldest first."""
    with trace_file.error_context(path), _opened(path) as connection:
        rows = connection.execute(
            "SELECT id, name, seed, completed, ignored FROM scenario_runs ORDER BY id"
        )
        return [TraceRun(*row) for row in rows]


def read_trace(
    path: str | pathlib.Path,
    *,
    run: int | None = None,
    kind: str | None = None,
    entity: str | None = None,
    stock: str | None = None,
    since_ns: int | None = None,
    until_ns: int | None = None,
    ignored: bool | None = False,
    internal: bool = True,
) -> Iterator[TraceRow]:
    """The movements of a run (by default the newest) that pass all filters, in recorded order.

    ``stock`` is matched with either end. Completed movements only, unless ``ignored`` is True
    (ignored ones only) or None (both). Without ``internal``, rings of alarms that the file may
    hold are passed over.
    """
    source = {False: "completed", True: "ignored_movements", None: "movements"}[ignored]
    filters: dict[str, str | int | None] = {
        "m.kind = ?": kind,
        "m.entity = ?": entity,
        "? IN (f.name, t.name)": stock,
        "m.occurs_at >= ?": since_ns,
        "m.occurs_at <= ?": until_ns,
        "f.kind_stocked != ?": None if internal else TIMER,
    }
    filled = {clause: value for clause, value in filters.items() if value is not None}
    where = "".join(f" AND {clause}" for clause in filled)
    with trace_file.error_context(path), _opened(path) as connection:
        run = _run(connection, path, run)
        yield from (
            TraceRow(*row)
            for row in connection.execute(
                "SELECT m.position, m.occurs_at, m.kind, m.entity, f.name, t.name, m.notes,"
                f" m.reason, m.noticed_at FROM {source} AS m"
                " JOIN stocks AS f ON f.run = m.run AND f.id = m.from_stock"
                " JOIN stocks AS t ON t.run = m.run AND t.id = m.to_stock"
                f" WHERE m.run = ?{where} ORDER BY m.position",
                (run, *filled.values()),
            )
        )


def read_names(path: str | pathlib.Path, column: str, run: int | None = None) -> list[str]:
    """The names that a filter can select: of ``kind``, ``entity`` or ``stock``."""
    queries = {
        "kind": "SELECT DISTINCT kind FROM movements WHERE run = ?",
        "entity": "SELECT DISTINCT entity FROM movements WHERE run = ? AND entity != ''",
        "stock": "SELECT DISTINCT name FROM stocks WHERE run = ?",
    }
    with trace_file.error_context(path), _opened(path) as connection:
        run = _run(connection, path, run)
        return sorted(name for (name,) in connection.execute(queries[column], (run,)))


def _run(connection: sqlite3.Connection, path: str | pathlib.Path, run: int | None) -> int:
    """The run of this number, or else the newest, if the file has it."""
    known = [found for (found,) in connection.execute("SELECT id FROM scenario_runs ORDER BY id")]
    if not known:
        raise InputError("holds no run", file=str(path))
    if run is not None and run not in known:
        runs = ", ".join(map(str, known))
        raise InputError(f"holds no run {run}", file=str(path), fix=f"it holds {runs}")
    return known[-1] if run is None else run


def format_time(time_ns: int) -> str:
    """Nanoseconds as seconds with all nine places, so that a column of them lines up."""
    seconds, rest = divmod(abs(time_ns), 1_000_000_000)
    return f"{'-' if time_ns < 0 else ''}{seconds}.{rest:09d}"


def format_row(row: TraceRow) -> tuple[str, ...]:
    """The cells of a row under ``COLUMNS``, or ``IGNORED_COLUMNS`` if it was ignored."""
    cells = (
        format_time(row.occurs_at), row.kind, row.entity, row.from_stock, row.to_stock, row.notes,
    )  # fmt: skip
    if row.reason is None or row.noticed_at is None:
        return cells
    known = "" if row.noticed_at == row.occurs_at else f", known at {format_time(row.noticed_at)}"
    return (*cells, row.reason + known)
