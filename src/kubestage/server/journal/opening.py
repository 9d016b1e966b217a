"""From a data directory to a stage that goes on where the last one ended."""

from __future__ import annotations

import contextlib
import pathlib
import sqlite3
from typing import TYPE_CHECKING, Any

import msgspec

import kubestage
from kubestage.server.journal import failures
from kubestage.server.journal.committing import RESERVED
from kubestage.server.journal.files import JournalFiles
from kubestage.server.journal.journal import Journal
from kubestage.server.journal.state import Batch
from kubestage.stage import Stage, few_collections
from kubestage.store.restoring import Past

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.server.journal.state import JournalState


def open_directory(directory: str | pathlib.Path, *, is_relaxed: bool = False) -> Opened:
    """Open a data directory, new or of an earlier process; InputError if that is not possible."""
    return Opened(JournalFiles(pathlib.Path(directory)), is_relaxed=is_relaxed)


class Opened:
    """A data directory that is ours, and has yet to become a stage.

    `is_new` is set if nothing was there; `remembered` are the texts of earlier processes.
    """

    def __init__(self, files: JournalFiles, *, is_relaxed: bool) -> None:
        self._files = files
        self._is_relaxed = is_relaxed
        self.is_new = files.state.commit == 0
        self.remembered = files.state.remembered

    def stage(
        self,
        seed: int | None = None,
        *,
        start: str | None = None,
        remembered: Mapping[str, str] | None = None,
        implicit_namespaces: bool = False,
        **store: Any,
    ) -> tuple[Stage, Journal]:
        """The stage, and the journal that has been notified of all its changes since.

        A stage that goes on has the seed it had if none is given, and the time it had. One that is
        new has `remembered` kept beside it. `store` are more options of the store.
        """
        path = self._files.database.path
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(self._files.close, is_intact=False)
            try:
                made = self._stage(
                    seed,
                    start,
                    {"implicit_namespaces": implicit_namespaces, **store},
                    dict(remembered or {}),
                )
            except sqlite3.Error as error:
                raise failures.sqlite_failure(path, error) from error
            except OSError as error:
                raise failures.system_failure(path, error) from error
            on_failure.pop_all()
        return made

    def close(self) -> None:
        """Give the directory back as it was."""
        self._files.close(is_intact=True)

    def _stage(
        self,
        seed: int | None,
        start: str | None,
        store: Json,
        remembered: dict[str, str],
    ) -> tuple[Stage, Journal]:
        last, database = self._files.state, self._files.database
        if self.is_new:
            stage = Stage(seed or 0, start=start, **store)
            first = msgspec.structs.replace(last, seed=stage.seed, boot=0, remembered=remembered)
            return stage, self._journal(stage, first)
        past = Past(
            last.revision if last.is_closed else last.reserved,
            last.unix_ns,
            last.boot + 1,
            database.read_objects(last.count),
            last.garbage,
        )
        seed = last.seed if seed is None else seed
        with few_collections():
            stage = Stage(seed, past=past, **store)
        database.tidy()
        booted = msgspec.structs.replace(
            last,
            kubestage=kubestage.__version__,
            seed=seed,
            boot=past.boot,
            commit=last.commit + 1,
            revision=past.revision,
            reserved=past.revision + RESERVED,
            is_closed=False,
        )
        # Before anything happens: no later process may take this one's chances again.
        for _ in database.write(Batch([], [], booted)):
            pass
        database.commit()
        self._files.witness.write(booted.commit)
        return stage, self._journal(stage, booted)

    def _journal(self, stage: Stage, last: JournalState) -> Journal:
        return Journal(self._files, stage.store, last, is_relaxed=self._is_relaxed)
