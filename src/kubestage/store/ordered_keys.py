"""A set of keys that is asked for in order now and then, and changed often.

Sorting is put off until someone asks. Python's sort takes an ordered list with a few keys
appended in about linear time, so a list after a burst of writes stays cheap.
"""

from __future__ import annotations


class OrderedKeys:
    """Keys in lexical order, sorted when read."""

    __slots__ = ("_added", "_ordered", "_removed")

    def __init__(self) -> None:
        self._ordered: list[str] = []
        self._added: dict[str, None] = {}
        self._removed: set[str] = set()

    def __len__(self) -> int:
        return len(self._ordered) + len(self._added) - len(self._removed)

    def add(self, key: str) -> None:
        """Take a key in; it must not be here."""
        if key in self._removed:
            self._removed.remove(key)
        else:
            self._added[key] = None

    def remove(self, key: str) -> None:
        """Let a key go; it must be here."""
        if key in self._added:
            del self._added[key]
        else:
            self._removed.add(key)

    def read(self) -> list[str]:
        """All keys in order. The list is this object's own: do not change it.

        A list once handed out stays as it was when keys come or go.
        """
        if self._removed:
            removed = self._removed
            self._ordered = [key for key in self._ordered if key not in removed]
            self._removed = set()
        if self._added:
            self._ordered = [*self._ordered, *self._added]
            self._ordered.sort()
            self._added = {}
        return self._ordered
