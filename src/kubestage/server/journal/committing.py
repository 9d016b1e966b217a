"""Batch after batch into the files, one at a time."""

from __future__ import annotations

import asyncio
import concurrent.futures
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.server.journal.state import Batch
from kubestage.store.log import DELETED
from kubestage.store.restoring import ObjectKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.server.journal.files import JournalFiles
    from kubestage.server.journal.state import JournalState
    from kubestage.store.log import Change
    from kubestage.store.store import Store


class Pending:
    """The newest state of each object that has changed: versions in between need not be kept."""

    def __init__(self) -> None:
        self._gone: dict[tuple[str, str, str], None] = {}
        self._changed: dict[tuple[str, str, str], Json] = {}

    def add(self, change: Change) -> None:
        """Another change; one that is made again after its end comes after those that stayed."""
        kind = change.kind
        place = kind.group, kind.plural, change.key
        if change.type == DELETED:
            self._changed.pop(place, None)
            self._gone[place] = None
        else:
            self._changed[place] = change.new

    def add_all(self, store: Store) -> None:
        """All that is there, in the order of its creation."""
        found = [
            (int(obj["metadata"]["resourceVersion"]), (each.kind.group, each.kind.plural, key), obj)
            for each in store.collections()
            for key, obj in each.objects.items()
        ]
        found.sort(key=lambda entry: entry[0])
        for _, place, obj in found:
            self._changed[place] = obj

    def take(self, state: JournalState) -> Batch:
        """A batch of all of them, with the state that they lead to."""
        gone = [ObjectKey(*place) for place in self._gone]
        changed = [(ObjectKey(*place), obj) for place, obj in self._changed.items()]
        self._gone, self._changed = {}, {}
        return Batch(gone, changed, state)

    def clear(self) -> None:
        """Forget them."""
        self._gone, self._changed = {}, {}

    def __bool__(self) -> bool:
        return bool(self._gone or self._changed)


RESERVED: Final = 100_000
"""How many versions are reserved ahead."""


class Committing:
    """What has been committed, and what is about to be.

    `state` is that of the newest batch, `safe` that of the newest one that was committed. Under
    relaxed durability a commit waits for the disk only when it reserves versions.
    """

    def __init__(
        self, files: JournalFiles, store: Store, last: JournalState, *, is_relaxed: bool
    ) -> None:
        self.pending = Pending()
        self.state = self.safe = last
        self._files = files
        self._store = store
        self._is_relaxed = is_relaxed
        self._waits_for_disk = True
        self._thread = concurrent.futures.ThreadPoolExecutor(1, "journal")
        # What is under way: rows that are being written, or a commit.
        self._rows: Iterator[None] | None = None
        self._commit: concurrent.futures.Future[None] | None = None

    def next_batch(self) -> Batch:
        """All that has happened and is in no batch."""
        # A verb that was refused half way may have left changes that were not delivered.
        store, last = self._store, self.state
        store.settle()
        revision, reserved = store.revision, last.reserved
        if revision + RESERVED // 2 > reserved:
            reserved = revision + RESERVED
        garbage = [ObjectKey(kind.group, kind.plural, key) for kind, key in store.garbage.queue]
        self.state = msgspec.structs.replace(
            last,
            commit=last.commit + 1,
            revision=revision,
            reserved=reserved,
            unix_ns=store.clock.unix_ns,
            count=store.object_count,
            garbage=garbage,
        )
        return self.pending.take(self.state)

    async def write(self, batch: Batch) -> None:
        """Commit a batch, and let others have their turn meanwhile."""
        self._rows = self._begin(batch)
        for _ in self._rows:
            await asyncio.sleep(0)
        # NOTE: only the wait for the disk is another thread's. Rows written there would have it
        # ask for the interpreter's lock at each of them, up to 5 ms a time.
        self._commit = self._thread.submit(self._files.database.commit)
        self._rows = None
        await asyncio.wrap_future(self._commit)
        self._commit = None
        self._committed(batch)

    def write_now(self, batch: Batch) -> None:
        """Commit a batch before anything else happens, and before it what is under way."""
        if self._commit is not None:
            self._commit.result()
        elif self._rows is not None:
            for _ in self._rows:
                pass
            self._files.database.commit()
        self._rows = self._commit = None
        for _ in self._begin(batch):
            pass
        self._files.database.commit()
        self._committed(batch)

    def close(self, *, is_intact: bool) -> None:
        """Let go of the files."""
        self._thread.shutdown()
        self._files.close(is_intact=is_intact)

    def _begin(self, batch: Batch) -> Iterator[None]:
        database, new = self._files.database, batch.state
        waits = not self._is_relaxed or new.reserved > self.safe.reserved or new.is_closed
        if waits is not self._waits_for_disk:
            database.wait_for_disk(waits)
            self._waits_for_disk = waits
        return database.write(batch)

    def _committed(self, batch: Batch) -> None:
        self._files.check_present()
        if self._waits_for_disk:
            self._files.witness.write(batch.state.commit)
        self.safe = batch.state
