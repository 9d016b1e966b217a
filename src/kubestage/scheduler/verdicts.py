"""Which plugin rejected which rows; the reasons are worked out when needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scheduler.arrays import Codes, Ints

NOBODY: Final = -1
"""Marks a row that no plugin rejected."""


class Verdicts:
    """For each row the place of the first plugin that rejects it (or `NOBODY`), and its code.

    The arrays are created when a plugin rejects, or when they are read: most attempts need none.
    """

    __slots__ = ("_code", "_passing", "_rejecter", "count")

    def __init__(self, count: int) -> None:
        self.count = count
        self._rejecter: Codes | None = None
        self._code: Codes | None = None
        self._passing: Ints | None = None

    @property
    def is_clear(self) -> bool:
        """Whether no plugin rejected any row."""
        return self._rejecter is None

    @property
    def rejecter(self) -> Codes:
        """The place of the rejecting plugin, or `NOBODY`; may be written to at once."""
        if self._rejecter is None:
            self._rejecter = np.full(self.count, NOBODY, np.int32)
        self._passing = None
        return self._rejecter

    @property
    def code(self) -> Codes:
        """The code of the rejecting plugin."""
        if self._code is None:
            self._code = np.zeros(self.count, np.int32)
        return self._code

    def reject(self, place: int, codes: Codes) -> None:
        """Note a plugin's codes where no plugin rejected before."""
        if self._rejecter is None:
            self._rejecter = np.where(codes != 0, np.int32(place), np.int32(NOBODY))
            self._code = codes.astype(np.int32)
            return
        fresh = (codes != 0) & (self.rejecter == NOBODY)
        self.rejecter[fresh] = place
        self.code[fresh] = codes[fresh]

    def joined(self, other: Verdicts) -> Verdicts:
        """These rows and then the other's."""
        both = Verdicts(self.count + other.count)
        if not (self.is_clear and other.is_clear):
            both._rejecter = np.concatenate((self.rejecter, other.rejecter))
            both._code = np.concatenate((self.code, other.code))
        return both

    @property
    def passing(self) -> Ints:
        """The places of the rows that no plugin rejected."""
        if self._passing is None:
            places: Ints = (self.rejecter == NOBODY).nonzero()[0]
            self._passing = places
        return self._passing

    @property
    def passing_count(self) -> int:
        """How many rows no plugin rejected."""
        return self.count if self.is_clear else len(self.passing)

    def rejections(self) -> Iterator[tuple[int, int, Ints]]:
        """The places of plugins and their codes, each with the rows that they stand for."""
        rejected = (self.rejecter != NOBODY).nonzero()[0]
        keys = self.rejecter[rejected].astype(np.int64) << 32 | self.code[rejected]
        while len(keys):
            key = int(keys.min())
            chosen = keys == key
            yield key >> 32, key & 0xFFFFFFFF, rejected[chosen]
            rejected, keys = rejected[~chosen], keys[~chosen]

    def until_passing(self, limit: int) -> Verdicts:
        """The rows before the first one that passes after so many others did."""
        if self.is_clear:
            return self if self.count <= limit else Verdicts(limit)
        passing = self.passing
        if len(passing) <= limit:
            return self
        end = int(passing[limit])
        cut = Verdicts(end)
        cut._rejecter, cut._code = self.rejecter[:end], self.code[:end]
        return cut
