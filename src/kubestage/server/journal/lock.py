"""One process for each data directory."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from kubestage.errors import InputError

if TYPE_CHECKING:
    import pathlib


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
