"""The journal's database: what is in it, and how a batch gets there."""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
import zlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.scenario.resource import SCENARIO
from kubestage.server.journal import failures, parts, rows
from kubestage.server.journal.state import FORMAT, JournalState

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Generator, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.server.journal.state import Batch
    from kubestage.store.restoring import ObjectKey


_APPLICATION: Final = 0x6B737467
_SCHEMA: Final = (
    "CREATE TABLE state (id INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, text BLOB NOT NULL)",
    (
        "CREATE TABLE objects (id INTEGER PRIMARY KEY, resource TEXT NOT NULL, key TEXT NOT NULL,"
        " checksum INTEGER NOT NULL, text BLOB NOT NULL, UNIQUE (resource, key))"
    ),
    f"PRAGMA application_id = {_APPLICATION}",
)
# Since format 2.
_PARTS: Final = (
    (
        "CREATE TABLE parts (id INTEGER PRIMARY KEY, resource TEXT NOT NULL, key TEXT NOT NULL,"
        " name TEXT NOT NULL, checksum INTEGER NOT NULL, text BLOB NOT NULL,"
        " UNIQUE (resource, key, name))"
    ),
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
_PUT_PART: Final = (
    "INSERT INTO parts (resource, key, name, checksum, text) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (resource, key, name)"
    " DO UPDATE SET checksum = excluded.checksum, text = excluded.text"
)
_DELETE_PART: Final = "DELETE FROM parts WHERE resource = ? AND key = ? AND name = ?"
_DELETE_PARTS: Final = "DELETE FROM parts WHERE resource = ? AND key = ?"
_READ_PART: Final = "SELECT checksum, text FROM parts WHERE resource = ? AND key = ? AND name = ?"
_SLICE: Final = 256
# Some megabytes. More steps would let others have their turn more often, and those who wait for
# the commit would wait longer.
_PARTS_AT_ONCE: Final = 32
_VACUUM_PAGES: Final = 4096
_SCENARIOS: Final = f"scenarios.{SCENARIO[0].partition('/')[0]}"


class Database:
    """The one connection to the database of a directory.

    Rows are written by the thread of the event loop, a slice at a time; only `commit`, which waits
    for the disk, may be called by another.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self._written = parts.WrittenParts()
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
            self._define(*_SCHEMA, *_PARTS)
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
        if version < FORMAT:
            self._define(*_PARTS)

    def _define(self, *statements: str) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        for statement in statements:
            self._connection.execute(statement)
        self._connection.execute("COMMIT")

    def read_state(self) -> JournalState | None:
        """The state as of the last commit; None if there was none."""
        found = self._connection.execute("SELECT checksum, text FROM state").fetchone()
        if found is None:
            return None
        try:
            if zlib.crc32(found[1]) != found[0]:
                raise failures.damaged(self.path, "its state is not what was written")
            return msgspec.json.decode(found[1], type=JournalState)
        except (msgspec.DecodeError, TypeError) as error:
            raise failures.damaged(self.path, str(error)) from error

    def read_objects(self, expected: int) -> Iterator[tuple[ObjectKey, Json]]:
        """All objects in the order of their creation, each of them proved to be whole."""
        decoder, count = rows.RowDecoder(), 0
        query = "SELECT resource, key, checksum, text FROM objects ORDER BY id"
        for resource, key, checksum, text in self._connection.execute(query):
            if type(text) is not bytes or rows.checksum(resource, key, text) != checksum:
                raise failures.damaged(self.path, f"{resource} {key} is not what was written")
            count += 1
            read = functools.partial(self._read_part, resource, key)
            yield rows.place_of(resource, key), parts.join(decoder.decode(text), read)
        if count != expected:
            raise failures.damaged(self.path, f"it holds {count} of {expected} objects")

    def _read_part(self, resource: str, key: str, name: str) -> bytes:
        """The text of a part of an object, proved to be whole."""
        found = self._connection.execute(_READ_PART, (resource, key, name)).fetchone()
        if found is None or rows.checksum(resource, f"{key}/{name}", found[1]) != found[0]:
            raise failures.damaged(self.path, f"{resource} {key} is not what was written")
        text: bytes = found[1]
        return text

    def write(self, batch: Batch) -> Iterator[None]:
        """Begin a transaction with all of a batch, a slice at each step."""
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        for at in range(0, len(batch.gone), _SLICE):
            self._delete(batch.gone[at : at + _SLICE])
            yield
        for at in range(0, len(batch.changed), _SLICE):
            put = []
            for place, obj in batch.changed[at : at + _SLICE]:
                rest = yield from self._write_parts(place, obj)
                put.append(rows.encode(place, rest))
            self._connection.executemany(_PUT, put)
            yield
        text = msgspec.json.encode(batch.state)
        execute(_STATE, (zlib.crc32(text), text))

    def _write_parts(self, place: ObjectKey, obj: Json) -> Generator[None, None, Json]:
        """Write what is new of the parts of an object, if it is large; what else there is of it."""
        found = parts.split(obj)
        address = rows.address(place)
        execute = self._connection.execute
        if found is None:
            if self._written.forget(address):
                execute(_DELETE_PARTS, address)
            return obj
        if self._written.is_new(address):
            execute(_DELETE_PARTS, address)
        changed, gone = self._written.news(address, found[1])
        for name in gone:
            execute(_DELETE_PART, (*address, name))
        for number, name in enumerate(changed, 1):
            text = rows.text_of(found[1][name])
            checksum = rows.checksum(address[0], f"{address[1]}/{name}", text)
            execute(_PUT_PART, (*address, name, checksum, text))
            if number % _PARTS_AT_ONCE == 0:
                yield
        return found[0]

    def _delete(self, places: Sequence[ObjectKey]) -> None:
        keys = [rows.address(each) for each in places]
        self._connection.executemany(_DELETE, keys)
        scenarios = [each for each in keys if each[0] == _SCENARIOS]
        for address in scenarios:
            self._written.forget(address)
        self._connection.executemany(_DELETE_PARTS, scenarios)

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
            # That needs room for a moment, which there may not be.
            with contextlib.suppress(sqlite3.OperationalError):
                self._connection.execute("VACUUM")

    def checkpoint(self) -> None:
        """Move all into the one file, if there is room; where it is now, it is as safe."""
        with contextlib.suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def abandon(self) -> None:
        """Let go of the file without another word."""
        self._connection.close()
