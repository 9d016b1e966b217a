"""Which rows have changed since they were last read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Ints, Mask

_LEAST: Final = 1 << 10


class RowLog:
    """The last rows on which pods changed, in order: a ring, as long as there are nodes at least.

    `logged` has a single number in it, how many there were in all, for compiled code to count up.
    """

    __slots__ = ("_rows", "logged", "ring")

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self.ring: Ints = np.empty(max(1 << (rows - 1).bit_length(), _LEAST), np.int64)
        self.logged: Ints = np.zeros(1, np.int64)

    @property
    def count(self) -> int:
        """How many changes there were."""
        return int(self.logged[0])

    def note(self, row: int) -> None:
        """The pods on a row have changed."""
        count = self.logged[0]
        self.ring[count & (len(self.ring) - 1)] = row
        self.logged[0] = count + 1

    def mark(self, count: int, is_changed: Mask) -> int:
        """Mark the rows that `since` returns, without a copy of them; how many there are now."""
        now, length = int(self.logged[0]), len(self.ring)
        if now == count:
            return now
        first = count & (length - 1)
        if count >= 0 and first + now - count <= length:
            is_changed[self.ring[first : first + now - count]] = True
        else:
            is_changed[self.since(count)] = True
        return now

    def since(self, count: int) -> Ints:
        """The rows that changed since there were so many entries, some maybe repeatedly.

        All rows if that is too long ago; -1 is before the beginning.
        """
        now, length = self.count, len(self.ring)
        if count < 0 or now - count > length:
            return np.arange(self._rows)
        first = count & (length - 1)
        if first + now - count <= length:
            return self.ring[first : first + now - count].copy()
        return self.ring.take(np.arange(count, now) & (length - 1))
