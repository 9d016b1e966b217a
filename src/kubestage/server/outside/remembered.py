"""What webhooks answered, as long as there is room: the oldest answers are forgotten first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.aliases import Json

_MOST_BYTES: Final = 16 << 20


class RememberedObjects:
    """Converted objects by what they were converted from."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._known: dict[bytes, tuple[Json, int]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: bytes) -> Json | None:
        """The object of a key, if it is remembered."""
        found = self._known.get(key)
        return None if found is None else found[0]

    def put(self, key: bytes, obj: Json) -> None:
        """Remember an object, in place of an older one."""
        _, before = self._known.pop(key, (None, 0))
        size = len(msgspec.json.encode(obj)) + len(key)
        self._known[key] = obj, size
        self._bytes += size - before
        while self._bytes > self._most_bytes:
            _, forgotten = self._known.pop(next(iter(self._known)))
            self._bytes -= forgotten
