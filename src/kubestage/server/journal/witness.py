"""A second place that knows how many commits there were.

SQLite takes a damaged end of its write-ahead log for one that was never finished, and drops it
without a word. Whoever has written elsewhere, after each commit, that it was safe, will notice.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from kubestage.server.journal import failures

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
        os.fsync(self._file)
        os.close(self._file)
