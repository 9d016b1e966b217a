"""A watch over HTTP: a list, the changes since, and both again when a connection is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.remote import listing
from kubestage.remote.following import Following, Identity, identity_of
from kubestage.remote.subscription import RemoteSubscription

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from kubestage.cluster.access import Selection, WatchEvent
    from kubestage.remote.connection import Connection
    from kubestage.remote.discovery import Discovery
    from kubestage.remote.listing import Leaf
    from kubestage.remote.loop import Loop
    from kubestage.remote.moments import RealMoments

_BEHIND_AT_ONCE: Final = 500


class _Known(msgspec.Struct, frozen=True):
    """The last state of an object; as text, which is a fraction of the size."""

    uid: str
    version: str
    raw: bytes


class RemoteWatch(Following):
    """One selection of a cluster, watched once for all its subscriptions."""

    def __init__(
        self,
        selection: Selection,
        loop: Loop,
        moments: RealMoments,
        connection: Connection,
        discovery: Discovery,
    ) -> None:
        super().__init__(selection, moments, connection, discovery)
        self.loop = loop
        self._known: dict[str, _Known] = {}
        self._vanished: dict[str, None] = {}
        self._is_listed = False
        self._watchers: list[RemoteSubscription] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether there are no subscriptions."""
        return not self._watchers

    def join(self, seen: Callable[[WatchEvent], None]) -> RemoteSubscription:
        """Subscribe to what is known, and to all changes from now on."""
        watcher = RemoteSubscription(self, seen, dict.fromkeys(self._known))
        self._watchers.append(watcher)
        if self._task is None:
            self._task = self.loop.spawn(self._run())
        elif watcher.behind or self._is_listed:
            self.loop.call_soon(self._catch_up, watcher)
        return watcher

    def leave(self, watcher: RemoteSubscription) -> None:
        """Unsubscribe; the last one ends the watch."""
        self._watchers.remove(watcher)
        if not self._watchers and self._task is not None:
            self._task.cancel()
            self._known.clear()

    def _catch_up(self, watcher: RemoteSubscription) -> None:
        """Deliver some of what is known to a new subscription, and the rest in later turns."""
        if watcher.is_stopped:
            return
        at_ns = self._moments.now_ns
        for key in list(watcher.behind)[:_BEHIND_AT_ONCE]:
            watcher.deliver("ADDED", key, self._read(self._known[key].raw), at_ns)
        if watcher.behind:
            self.loop.call_soon(self._catch_up, watcher)
        elif self._is_listed:
            watcher.sync()

    def _on_page(self, page: Leaf, at_ns: int) -> None:
        """New and changed objects are delivered at once, deleted ones at the end of the list."""
        if page.is_first:
            self._vanished = dict.fromkeys(self._known)
        for raw in page.items:
            self._vanished.pop(self._found(bytes(raw), at_ns), None)

    def _on_listed(self, version: str, at_ns: int) -> None:  # noqa: ARG002
        for key in self._vanished:
            self._notify("DELETED", key, self._read(self._known.pop(key).raw), at_ns)
        if not self._is_listed:
            self._is_listed = True
            for watcher in self._watchers:
                if not watcher.behind:
                    watcher.sync()

    def _found(self, raw: bytes, at_ns: int) -> str:
        """Deliver an object of a list if it is new, another one of the same name, or changed."""
        obj = self._read(raw)
        found = identity_of(obj)
        before = self._known.get(found.key)
        if before is not None and before.uid != found.uid:
            self._notify("DELETED", found.key, self._read(before.raw), at_ns)
            before = None
        self._known[found.key] = _Known(found.uid, found.version, raw)
        if before is None:
            self._notify("ADDED", found.key, obj, at_ns)
        elif before.version != found.version:
            self._notify("MODIFIED", found.key, obj, at_ns)
        return found.key

    def _on_lost(self) -> None:
        """Do nothing: the list that follows shows what has changed."""

    def _on_event(self, type_: str, identity: Identity, raw: bytes, obj: Json, at_ns: int) -> None:
        key = identity.key
        if type_ == "DELETED":
            if self._known.pop(key, None) is not None:
                self._notify("DELETED", key, obj, at_ns)
            return
        before = self._known.get(key)
        if before is not None and before.uid != identity.uid:
            self._notify("DELETED", key, self._read(before.raw), at_ns)
            before = None
        self._known[key] = _Known(identity.uid, identity.version, raw)
        self._notify("ADDED" if before is None else "MODIFIED", key, obj, at_ns)

    def _notify(self, type_: str, key: str, obj: Json, at_ns: int) -> None:
        for watcher in self._watchers:
            watcher.deliver(type_, key, obj, at_ns)

    def _read(self, raw: bytes) -> Json:
        return listing.read(raw, self._selection.resource)
