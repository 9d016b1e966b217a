"""The durability of a served stage: writes changes, and reports which are safe."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.server.journal import failures
from kubestage.server.journal.committing import Committing
from kubestage.server.journal.failures import StorageFailed
from kubestage.store import rewinding

if TYPE_CHECKING:
    from kubestage.server.journal.files import JournalFiles
    from kubestage.server.journal.state import JournalState
    from kubestage.server.live import Live
    from kubestage.store.log import Change
    from kubestage.store.store import Store

_RELAXED_S: Final = 0.05
_log: Final = logging.getLogger(__name__)


class Journal:
    """Writes all changes of a store to disk, and reports which are safe.

    It is notified of changes from its creation on; `start` writes those that have happened by
    then and goes on in the event loop: while a commit is under way, the next batch gathers. When
    it cannot write any more, that is its `failure`, and nothing new is ever called safe.
    """

    def __init__(
        self, files: JournalFiles, store: Store, last: JournalState, *, is_relaxed: bool
    ) -> None:
        self._failure = ""
        self._store = store
        self._file = files.database.path
        self._is_relaxed = is_relaxed
        self._committing = Committing(files, store, last, is_relaxed=is_relaxed)
        self._pending = self._committing.pending
        self._has_work = asyncio.Event()
        # How often `hold` was called without `release`.
        self._held = 0
        self._released = asyncio.Event()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._live: Live | None = None
        self._task: asyncio.Task[None] | None = None
        if not last.commit:
            self._pending.add_all(store)
        store.subscribe(self.on_change)

    def __reduce__(self) -> tuple[type[NoJournal], tuple[()]]:
        """The copy of a stage has no journal."""
        return NoJournal, ()

    @property
    def failure(self) -> StorageFailed | None:
        """Why nothing can be written any more, if so; a new exception each time, to be raised."""
        return StorageFailed(self._failure) if self._failure else None

    @property
    def revision(self) -> int:
        """The newest version that may be sent to clients."""
        safe = self._committing.safe
        if self._is_relaxed and not self._failure:
            return min(self._store.revision, safe.reserved)
        return safe.revision

    @property
    def kept(self) -> int:
        """The newest version up to which everything is in the file."""
        return self._committing.safe.revision

    @property
    def remembered(self) -> dict[str, str]:
        """What `remember` was called with, in this process or an earlier one."""
        return self._committing.state.remembered

    def start(self, live: Live) -> None:
        """Keep a served stage from now on; all that has happened is safe when this returns."""
        try:
            self._committing.write_now(self._committing.next_batch())
        except (sqlite3.Error, OSError) as error:
            self._failure = failures.at_run_time(self._file, error)
            raise failures.at_start(self._file, error) from error
        self._live = live
        live.set_durability(self)
        self._notify()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def on_change(self, change: Change) -> None:
        """Handle one change."""
        if self._failure:
            return
        self._pending.add(change)
        if not self._has_work.is_set():
            self._has_work.set()
            if self._is_relaxed and self._task is not None:
                self._task.get_loop().call_soon(self._notify)

    def hold(self) -> None:
        """Commit nothing until `release`, and then all at once."""
        self._held += 1
        self._released.clear()

    def release(self) -> None:
        """Commit what was held back."""
        assert self._held > 0
        self._held -= 1
        if not self._held:
            self._released.set()

    async def until(self, revision: int) -> None:
        """Wait until a version may be sent; StorageFailed if it never will be."""
        if revision > self.revision:
            await self._wait(revision, 0)

    async def remember(self, name: str, value: str | None) -> None:
        """Have a text known again after a restart; None forgets it."""
        self.note(name, value)
        await self.keep_noted()

    def note(self, name: str, value: str | None) -> None:
        """The same, with the next commit."""
        committing = self._committing
        remembered = {each: text for each, text in self.remembered.items() if each != name}
        if value is not None:
            remembered[name] = value
        committing.state = msgspec.structs.replace(committing.state, remembered=remembered)

    async def keep_noted(self) -> None:
        """Wait for the next commit; under relaxed durability, see that it comes."""
        if self._is_relaxed:
            self._has_work.set()
        else:
            await self._wait(0, self._committing.state.commit + 1)

    async def keep_time(self) -> None:
        """Have no later process begin before this moment, even if nothing happened by now."""
        if not self._failure and self._store.clock.unix_ns > self._committing.safe.unix_ns:
            await self.keep_noted()

    def take_back(self) -> None:
        """After a failure: have the store hold what is kept, and nothing else."""
        rewinding.rewind(self._store, self.kept)

    def close(self) -> None:
        """Make everything safe and let go of files."""
        self._store.unsubscribe(self.on_change)
        if not self._failure:
            try:
                last = self._committing.next_batch()
                last.state.is_closed = True
                self._committing.write_now(last)
                self._notify()
            except (sqlite3.Error, OSError) as error:
                self._fail(error)
        if self._task is not None and not self._task.get_loop().is_closed():
            self._task.cancel()
        try:
            self._committing.close(is_intact=not self._failure)
        except (sqlite3.Error, OSError) as error:
            self._fail(error)

    async def _run(self) -> None:
        while not self._failure:
            await self._has_work.wait()
            if self._is_relaxed:
                await asyncio.sleep(_RELAXED_S)
            while self._held:
                await self._released.wait()
            self._has_work.clear()
            try:
                await self._committing.write(self._committing.next_batch())
            except (sqlite3.Error, OSError) as error:
                self._fail(error)
            else:
                self._notify()

    async def _wait(self, revision: int, commit: int) -> None:
        if self._failure:
            raise StorageFailed(self._failure)
        self._has_work.set()
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((revision, commit, future))
        await future

    def _notify(self) -> None:
        """Wake all that wait for what is safe now."""
        revision, commit = self.revision, self._committing.safe.commit
        if self._live is not None:
            self._live.fanout.show(revision)
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if waiter[0] > revision or waiter[1] > commit:
                self._waiting.append(waiter)
            elif not waiter[2].done():
                waiter[2].set_result(None)

    def _fail(self, error: sqlite3.Error | OSError) -> None:
        self._failure = failures.at_run_time(self._file, error)
        _log.error("%s", self._failure)
        self._pending.clear()
        waiting, self._waiting = self._waiting, []
        for _, _, future in waiting:
            if not future.done():
                future.set_exception(StorageFailed(self._failure))
        if self._live is not None:
            self._live.pace.halt("nothing can be kept any more")


class NoJournal:
    """Stands where a journal was in the copy of a stage."""

    def on_change(self, change: Change) -> None:
        """Nothing is kept."""
