"""A subscription to a watch: all existing objects, and then every change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cluster.access import WatchEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.remote.watch import RemoteWatch


class RemoteSubscription:
    """One watcher of a watch that may have others.

    One that joins a running watch first receives the objects that exist already: `behind` holds
    their keys. A change of such an object is the first event of it.
    """

    def __init__(
        self, watch: RemoteWatch, seen: Callable[[WatchEvent], None], behind: dict[str, None]
    ) -> None:
        self._watch = watch
        self._seen = seen
        self.behind = behind
        self.is_stopped = False
        self._is_synced = False

    @property
    def is_synced(self) -> bool:
        """Whether all objects that existed at the beginning have been delivered."""
        return self._is_synced

    @property
    def problem(self) -> str:
        """What fails at the moment; empty if nothing does."""
        return self._watch.problem

    def stop(self) -> None:
        """Receive no more."""
        if not self.is_stopped:
            self.is_stopped = True
            self._watch.leave(self)

    def deliver(self, type_: str, key: str, obj: Json, at_ns: int) -> None:
        """Queue a change."""
        if key in self.behind:
            del self.behind[key]
            if type_ == "DELETED":
                return
            type_ = "ADDED"
        self._watch.loop.call_soon(self._on_event, WatchEvent(type_, obj, at_ns))

    def sync(self) -> None:
        """That was all; `is_synced` becomes true when all of it has been delivered."""
        self._watch.loop.call_soon(self._on_synced)

    def _on_event(self, seen: WatchEvent) -> None:
        if not self.is_stopped:
            self._seen(seen)

    def _on_synced(self) -> None:
        self._is_synced = True
