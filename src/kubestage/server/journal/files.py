"""The files of one data directory."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sqlite3
from typing import TYPE_CHECKING, Final

import kubestage
from kubestage.errors import InputError
from kubestage.server.journal import failures
from kubestage.server.journal.database import Database
from kubestage.server.journal.state import JournalState

if TYPE_CHECKING:
    import pathlib

_DIGITS: Final = 20


class Witness:
    """The number of the newest commit that was safe when it was written down."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        text = os.pread(self._file, _DIGITS + 2, 0)
        try:
            self.commit = int(text) if text else 0
        except ValueError:
            os.close(self._file)
            raise failures.damaged(path, "this file should hold one number") from None

    def write(self, commit: int) -> None:
        """Another commit is safe. That this line outlives a power failure is not needed."""
        os.pwrite(self._file, b"%0*d\n" % (_DIGITS, commit), 0)

    def close(self) -> None:
        """Let go of the file."""
        try:
            os.fsync(self._file)
        finally:
            os.close(self._file)


class Lock:
    """The lock of a directory, held until it is released or its process ends, however it ends.

    The system holds it, not the file: what a dead process left behind is no obstacle.
    """

    def __init__(self, directory: pathlib.Path) -> None:
        self._file = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._file, 32, 0).decode("ascii", "replace").strip()
            os.close(self._file)
            who = f"process {holder}" if holder else "another process"
            raise InputError(
                f"the data directory is in use by {who}",
                file=str(directory),
                fix="stop it first, or use another directory",
            ) from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others use the directory."""
        os.close(self._file)


class JournalFiles:
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
                raise failures.system_failure(directory, error) from error
            path = directory / "journal.sqlite3"
            try:
                self.database = Database(path)
                opened.callback(self.database.abandon)
                self.state = self._read_state()
                self._numbers = {path: path.stat().st_ino for path in (path, self.witness.path)}
            except sqlite3.Error as error:
                raise failures.sqlite_failure(path, error) from error
            except OSError as error:
                raise failures.system_failure(path, error) from error
            opened.pop_all()

    def _read_state(self) -> JournalState:
        """The state that the directory was left in."""
        found = self.database.read_state()
        known = 0 if found is None else found.commit
        if known < self.witness.commit:
            raise failures.damaged(
                self.database.path,
                f"it ends with commit {known}, and {self.witness.commit} were made",
            )
        return JournalState(kubestage=kubestage.__version__) if found is None else found

    def check_present(self) -> None:
        """OSError if the files are gone, or others are in their place.

        The system lets us write to removed files, which are then lost.
        """
        for path, number in self._numbers.items():
            if path.stat().st_ino != number:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def close(self, *, is_intact: bool) -> None:
        """Let go of everything; what is not sound is left as it is."""
        with contextlib.ExitStack() as closing:
            closing.callback(self._lock.release)
            closing.callback(self.witness.close)
            closing.callback(self.database.abandon)
            if is_intact:
                self.database.checkpoint()


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
