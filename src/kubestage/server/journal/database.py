"""The journal's database: what is in it, and how a batch gets there."""

from __future__ import annotations

import os
import sqlite3
import zlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.server.journal import failures, rows
from kubestage.server.journal.state import FORMAT, State

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator, Sequence

    from kubestage.server.journal.state import Batch
    from kubestage.store.restoring import Place

_APPLICATION: Final = 0x6B737467
_SCHEMA: Final = (
    "CREATE TABLE state (id INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, text BLOB NOT NULL)",
    (
        "CREATE TABLE objects (id INTEGER PRIMARY KEY, resource TEXT NOT NULL, key TEXT NOT NULL,"
        " checksum INTEGER NOT NULL, text BLOB NOT NULL, UNIQUE (resource, key))"
    ),
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
)
_PRAGMAS: Final = (
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA page_size = 8192",
    "PRAGMA journal_mode = WAL",
    "PRAGMA wal_autocheckpoint = 2000",
    "PRAGMA journal_size_limit = 67108864",
    "PRAGMA cache_size = -16384",
)
_STATE: Final = "INSERT OR REPLACE INTO state (id, checksum, text) VALUES (1, ?, ?)"
_DELETE: Final = "DELETE FROM objects WHERE resource = ? AND key = ?"
_PUT: Final = (
    "INSERT INTO objects (resource, key, checksum, text) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (resource, key) DO UPDATE SET checksum = excluded.checksum, text = excluded.text"
)
_SLICE: Final = 256
_VACUUM_PAGES: Final = 4096


class Database:
    """The one connection to the database of a directory.

    Rows are written by the thread of the event loop, a slice at a time; only `commit`, which waits
    for the disk, may be called by another.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        # SQLite gives the files beside it the same mode.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        execute = self._connection.execute
        for pragma in _PRAGMAS:
            execute(pragma)
        self.wait_for_disk(True)
        if not execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA:
                execute(statement)
            execute("COMMIT")
            return
        if execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            raise InputError(
                "this database is not a journal of kubestage",
                file=str(self.path),
                fix="use another data directory",
            )
        version = execute("PRAGMA user_version").fetchone()[0]
        if version > FORMAT:
            raise InputError(
                f"the journal has format {version}, and this kubestage knows {FORMAT}",
                file=str(self.path),
                fix="use the newer kubestage that wrote it",
            )
        found = execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise failures.damaged(self.path, found)

    def read_state(self) -> State | None:
        """The state as of the last commit; None if there was none."""
        found = self._connection.execute("SELECT checksum, text FROM state").fetchone()
        if found is None:
            return None
        try:
            if zlib.crc32(found[1]) != found[0]:
                raise failures.damaged(self.path, "its state is not what was written")
            return msgspec.json.decode(found[1], type=State)
        except (msgspec.DecodeError, TypeError) as error:
            raise failures.damaged(self.path, str(error)) from error

    def read_objects(self, expected: int) -> Iterator[tuple[Place, dict[str, Any]]]:
        """All objects in the order of their creation, each of them proved to be whole."""
        decoder, count = rows.Decoder(), 0
        query = "SELECT resource, key, checksum, text FROM objects ORDER BY id"
        for resource, key, checksum, text in self._connection.execute(query):
            if type(text) is not bytes or rows.checksum(resource, key, text) != checksum:
                raise failures.damaged(self.path, f"{resource} {key} is not what was written")
            count += 1
            yield rows.place_of(resource, key), decoder.decode(text)
        if count != expected:
            raise failures.damaged(self.path, f"it holds {count} of {expected} objects")

    def write(self, batch: Batch) -> Iterator[None]:
        """Begin a transaction with all of a batch, a slice at each step."""
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        for at in range(0, len(batch.gone), _SLICE):
            self._delete(batch.gone[at : at + _SLICE])
            yield
        for at in range(0, len(batch.changed), _SLICE):
            part = [rows.encode(*each) for each in batch.changed[at : at + _SLICE]]
            self._connection.executemany(_PUT, part)
            yield
        text = msgspec.json.encode(batch.state)
        execute(_STATE, (zlib.crc32(text), text))

    def _delete(self, places: Sequence[Place]) -> None:
        keys = [rows.address(each) for each in places]
        self._connection.executemany(_DELETE, keys)

    def commit(self) -> None:
        """Have the disk keep what was written."""
        self._connection.execute("COMMIT")

    def wait_for_disk(self, waits: bool) -> None:
        """Whether a commit waits for the disk, or only for the system."""
        level = "FULL" if waits else "NORMAL"
        self._connection.execute(f"PRAGMA synchronous = {level}")

    def tidy(self) -> None:
        """Give back the space of objects that are gone, if it is much."""
        free = self._connection.execute("PRAGMA freelist_count").fetchone()[0]
        pages = self._connection.execute("PRAGMA page_count").fetchone()[0]
        if free > _VACUUM_PAGES and free * 2 > pages:
            self._connection.execute("VACUUM")

    def close(self) -> None:
        """Move all into the one file, and let go of it."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def abandon(self) -> None:
        """Let go of the file without another word."""
        self._connection.close()
