"""What takes a controller time and may fail: each operation waits longer after each failure."""

from __future__ import annotations

from typing import Final

FIRST_PAUSE_NS: Final = 500_000_000
LAST_PAUSE_NS: Final = 122 * 1_000_000_000


class Operations:
    """When an operation may be tried again."""

    def __init__(self) -> None:
        self._pauses: dict[str, tuple[int, int]] = {}

    def may_begin(self, name: str, now_ns: int) -> bool:
        """Whether no failure keeps an operation from being tried now."""
        failed_ns, pause_ns = self._pauses.get(name, (0, 0))
        return now_ns >= failed_ns + pause_ns

    def failed(self, name: str, now_ns: int) -> None:
        """An operation has failed: twice the pause."""
        _, pause_ns = self._pauses.get(name, (0, FIRST_PAUSE_NS // 2))
        self._pauses[name] = (now_ns, min(pause_ns * 2, LAST_PAUSE_NS))

    def succeeded(self, name: str) -> None:
        """An operation has done its work."""
        self._pauses.pop(name, None)
