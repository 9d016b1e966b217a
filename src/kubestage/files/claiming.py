"""A directory that one process writes to at a time.

The claim is a lock that the system drops when its owner ends, however it ends: a file that is left
behind blocks no other process.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
from typing import TYPE_CHECKING, Final, Self

from kubestage.errors import InputError
from kubestage.files.writing import WRITING

if TYPE_CHECKING:
    import pathlib

LOCK: Final = f"{WRITING}lock"
_FIX: Final = "wait until it has ended, or name another directory"


class Claim:
    """A directory, made if it is missing, with a folder beside for what is not whole yet."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.beside = path / f"{WRITING}{secrets.token_hex(6)}"
        self._made = [each for each in (path, *path.parents) if not each.exists()]
        path.mkdir(parents=True, exist_ok=True)
        self._lock = self._locked()
        try:
            for left_over in path.glob(f"{WRITING}*"):
                if left_over.is_dir():
                    shutil.rmtree(left_over)
            self.beside.mkdir(mode=0o700)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Remove what is not whole, and the directory if it is new and empty; let others in."""
        if self._lock is None:
            return
        shutil.rmtree(self.beside, ignore_errors=True)
        # Removed while it is locked: whoever waits for it finds that it is another file now.
        (self.path / LOCK).unlink(missing_ok=True)
        os.close(self._lock)
        self._lock = None
        for made in self._made:
            if not made.is_dir() or any(made.iterdir()):
                break
            with contextlib.suppress(OSError):
                made.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _locked(self) -> int | None:
        """The lock of the directory; InputError if another process has it."""
        place = self.path / LOCK
        while True:
            descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
                os.close(descriptor)
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    raise
                problem = f"process {holder or '?'} is writing here"
                raise InputError(problem, file=str(self.path), fix=_FIX) from None
            # Whoever had it before may have removed it since we opened it.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.stat(place)):
                    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
                    return descriptor
            os.close(descriptor)
