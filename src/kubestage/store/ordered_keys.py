"""A set of keys that is read in order now and then, and changed often.

Sorting is put off until it is read. Python's sort takes an ordered list with a few keys
appended in about linear time, so a list after a burst of writes stays cheap. Until then a key
costs the eight bytes of its place in a list.
"""

from __future__ import annotations

from typing import Final

_REMOVED_KEPT: Final = 64


class OrderedKeys:
    """Keys in lexical order, sorted when read.

    A key is in `_ordered` or in `_added`, once; those that have gone since are in `_removed`, too.
    """

    __slots__ = ("_added", "_ordered", "_removed")

    def __init__(self) -> None:
        self._ordered: list[str] = []
        self._added: list[str] = []
        self._removed: set[str] = set()

    def __len__(self) -> int:
        return len(self._ordered) + len(self._added) - len(self._removed)

    def add(self, key: str) -> None:
        """Take a key in; it must not be here."""
        if self._removed and key in self._removed:
            self._removed.remove(key)
        else:
            self._added.append(key)

    def remove(self, key: str) -> None:
        """Let a key go; it must be here."""
        self._removed.add(key)
        if len(self._removed) > len(self) + _REMOVED_KEPT:
            # It may never be read, and churn would leave millions behind.
            self._sweep()

    def read(self) -> list[str]:
        """All keys in order. The list is this object's own: do not change it.

        A list once handed out stays as it was when keys come or go.
        """
        if self._removed:
            self._sweep()
        if self._added:
            self._ordered = [*self._ordered, *self._added]
            self._ordered.sort()
            self._added = []
        return self._ordered

    def _sweep(self) -> None:
        removed = self._removed
        self._ordered = [key for key in self._ordered if key not in removed]
        self._added = [key for key in self._added if key not in removed]
        self._removed = set()
