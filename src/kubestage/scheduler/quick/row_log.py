"""Which rows have changed since somebody last looked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kubestage.scheduler.columns import Ints

_LEAST: Final = 1 << 10


class RowLog:
    """Rows in the order in which the pods on them changed.

    It is begun anew when it has grown larger than what it would spare; `epoch` tells when.
    """

    __slots__ = ("_rows", "count", "epoch")

    def __init__(self, rows: int) -> None:
        self._rows: Ints = np.empty(max(rows, _LEAST), np.int64)
        self.count = 0
        self.epoch = 0

    def note(self, row: int) -> None:
        """The pods on a row have changed."""
        if self.count == len(self._rows):
            self.count = 0
            self.epoch += 1
        self._rows[self.count] = row
        self.count += 1

    def since(self, count: int) -> Ints:
        """The rows that changed since there were so many entries, some maybe repeatedly."""
        rows: Ints = self._rows[count : self.count]
        return rows
