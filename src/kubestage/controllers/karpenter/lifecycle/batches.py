"""The window in which pods are collected before they are scheduled together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.settings import KarpenterSettings


class Batch:
    """Opens with the first trigger, and closes when none comes for a while, or after a time.

    Something that has triggered does not again before the window is closed.
    """

    def __init__(self, settings: KarpenterSettings) -> None:
        self._idle_ns = settings.batch_idle_duration_ns
        self._most_ns = settings.batch_max_duration_ns
        self._seen: set[str] = set()
        self._opened_ns: int | None = None
        self._last_ns = 0

    def trigger(self, uid: str, now_ns: int) -> bool:
        """Whether a trigger has opened the window."""
        if uid in self._seen:
            return False
        self._seen.add(uid)
        self._last_ns = now_ns
        if self._opened_ns is not None:
            return False
        self._opened_ns = now_ns
        return True

    def left_ns(self, now_ns: int) -> int:
        """How long the window stays open if nothing more comes."""
        if self._opened_ns is None:
            return 0
        return min(self._last_ns + self._idle_ns, self._opened_ns + self._most_ns) - now_ns

    @property
    def is_open(self) -> bool:
        """Whether something has triggered."""
        return self._opened_ns is not None

    def close(self) -> None:
        """Begin to collect again."""
        self._seen.clear()
        self._opened_ns = None
