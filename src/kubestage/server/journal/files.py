"""The files of one data directory."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from typing import TYPE_CHECKING

import kubestage
from kubestage.server.journal import failures
from kubestage.server.journal.database import Database
from kubestage.server.journal.lock import Lock
from kubestage.server.journal.state import State
from kubestage.server.journal.witness import Witness

if TYPE_CHECKING:
    import pathlib


class Files:
    """Lock, witness and database, opened in this order; InputError if they cannot be used."""

    def __init__(self, directory: pathlib.Path) -> None:
        with contextlib.ExitStack() as opened:
            try:
                _make(directory)
                self._lock = Lock(directory)
                opened.callback(self._lock.release)
                self.witness = Witness(directory / "committed")
                opened.callback(self.witness.close)
            except OSError as error:
                raise failures.of_system(directory, error) from error
            path = directory / "journal.sqlite3"
            try:
                self.database = Database(path)
                opened.callback(self.database.abandon)
                self.state = self._read_state()
                self._numbers = {path: path.stat().st_ino for path in (path, self.witness.path)}
            except sqlite3.Error as error:
                raise failures.of_sqlite(path, error) from error
            except OSError as error:
                raise failures.of_system(path, error) from error
            opened.pop_all()

    def _read_state(self) -> State:
        """The state that the directory was left in."""
        found = self.database.read_state()
        known = 0 if found is None else found.commit
        if known < self.witness.commit:
            raise failures.damaged(
                self.database.path,
                f"it ends with commit {known}, and {self.witness.commit} were made",
            )
        return State(kubestage=kubestage.__version__) if found is None else found

    def check_there(self) -> None:
        """OSError if the files are gone, or others are in their place.

        The system lets us write to what somebody has removed, and nobody would ever find it.
        """
        for path, number in self._numbers.items():
            if path.stat().st_ino != number:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def close(self, *, is_sound: bool) -> None:
        """Let go of everything; what is not sound is left as it is."""
        if is_sound:
            self.database.close()
        else:
            self.database.abandon()
        self.witness.close()
        self._lock.release()


def _make(directory: pathlib.Path) -> None:
    """Make a directory that outlives a power failure: its name is in another one, on disk."""
    missing = [each for each in (directory, *directory.parents) if not each.exists()]
    directory.mkdir(0o700, parents=True, exist_ok=True)
    for each in missing:
        parent = os.open(each.parent, os.O_RDONLY)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)
