"""How many values the aliases of a YAML text stand for: ten lines can mean a billion."""

from __future__ import annotations

from typing import Any, Final

# Go's reader gives up where aliases make a document about this large.
LIMIT: Final = 400_000
PROBLEM: Final = "document contains excessive aliasing"


class AliasCount:
    """Counts the values of the aliases of one text."""

    def __init__(self) -> None:
        self._values = 0

    def exceeds(self, value: Any) -> bool:
        """Whether there are too many with this one, the value that one more alias stands for."""
        self._values += _size(value, {})
        return self._values > LIMIT


def _size(value: Any, known: dict[int, int]) -> int:
    """How many values there are; shared parts are counted each time, walked once."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        parts = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(value)]
