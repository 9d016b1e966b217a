"""A watch over HTTP: a list, the changes since, and both again when a connection is lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import ApiError, BadRequest, Expired, ResourceVersionTooLarge
from kubestage.remote import listing, refusals, wire
from kubestage.remote.subscription import RemoteSubscription

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import Selection, WatchEvent
    from kubestage.remote.connection import Connection, ResponseStream
    from kubestage.remote.discovery import Discovery
    from kubestage.remote.loop import Loop
    from kubestage.remote.moments import RealMoments

_LIFE_S: Final = 480
# A server sends a bookmark every minute; a connection that is silent for longer may be dead.
_SILENCE_S: Final = 130.0
_FIRST_WAIT_S: Final = 0.1
# A measurement is blind in the meantime, so this is less than the 30 s of other clients.
_LONGEST_WAIT_S: Final = 5.0
_BEHIND_AT_ONCE: Final = 500
# A version that the server knows nothing of: too old, of another life of it, or none at all.
_LOST: Final = (Expired, ResourceVersionTooLarge, BadRequest)


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


class _Known(msgspec.Struct, frozen=True):
    """The last state of an object; as text, which is a fraction of the size."""

    uid: str
    version: str
    raw: bytes


class RemoteWatch:
    """One selection of a cluster, watched once for all its subscriptions."""

    def __init__(
        self,
        selection: Selection,
        loop: Loop,
        moments: RealMoments,
        connection: Connection,
        discovery: Discovery,
    ) -> None:
        self.loop = loop
        self.problem = ""
        self.problem_began_ns = 0
        self._selection = selection
        self._moments = moments
        self._connection = connection
        self._discovery = discovery
        self._known: dict[str, _Known] = {}
        self._version = ""
        self._is_listed = False
        self._wait_s = 0.0
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

    async def _run(self) -> None:
        while True:
            try:
                if not self._version:
                    await self._list()
                await self._follow()
            except ApiError as problem:
                if isinstance(problem, _LOST):
                    self._version = ""
                if not self.problem:
                    self.problem_began_ns = self._moments.now_ns
                self.problem = problem.message
                await asyncio.sleep(max(self._wait_s, refusals.wait_s(problem)))
                # The first time it is tried again at once; an event makes it a first time again.
                self._wait_s = min(max(2 * self._wait_s, _FIRST_WAIT_S), _LONGEST_WAIT_S)

    async def _list(self) -> None:
        """Read all objects: new and changed ones are delivered at once, deleted ones at the end."""
        place = await self._discovery.find(self._selection.resource)
        path = place.path(self._selection.namespace)
        vanished: dict[str, None] = {}
        version = ""
        async for leaf in listing.leaves(self._connection, path, self._selection):
            at_ns = self._moments.now_ns
            if leaf.is_first:
                vanished = dict.fromkeys(self._known)
            for raw in leaf.items:
                vanished.pop(self._found(bytes(raw), at_ns), None)
            version = leaf.version
        at_ns = self._moments.now_ns
        for key in vanished:
            self._notify("DELETED", key, self._read(self._known.pop(key).raw), at_ns)
        self._version = version
        if not self._is_listed:
            self._is_listed = True
            for watcher in self._watchers:
                if not watcher.behind:
                    watcher.sync()

    def _found(self, raw: bytes, at_ns: int) -> str:
        """Deliver an object of a list if it is new, another one of the same name, or changed."""
        obj = self._read(raw)
        key, uid, version = _identity(obj)
        before = self._known.get(key)
        if before is not None and before.uid != uid:
            self._notify("DELETED", key, self._read(before.raw), at_ns)
            before = None
        self._known[key] = _Known(uid, version, raw)
        if before is None:
            self._notify("ADDED", key, obj, at_ns)
        elif before.version != version:
            self._notify("MODIFIED", key, obj, at_ns)
        return key

    async def _follow(self) -> None:
        """Receive changes until the server ends it, as it does from time to time."""
        place = await self._discovery.find(self._selection.resource)
        query = wire.query(
            self._selection,
            watch="true",
            allowWatchBookmarks="true",
            resourceVersion=self._version,
            timeoutSeconds=_LIFE_S,
        )
        path = place.path(self._selection.namespace) + query
        stream = await self._connection.stream(path, _SILENCE_S)
        try:
            if stream.code >= 400:
                raise refusals.from_answer(stream.code, await stream.rest(), stream.headers)
            self.problem = ""
            await self._read_lines(stream)
        finally:
            stream.close()

    async def _read_lines(self, stream: ResponseStream) -> None:
        began_ns = self._moments.now_ns
        pieces: list[bytes] = []
        while piece := await stream.piece():
            pieces.append(piece)
            if b"\n" in piece:
                at_ns = self._moments.now_ns
                *lines, rest = b"".join(pieces).split(b"\n")
                pieces = [rest] if rest else []
                for line in lines:
                    self._on_line(line, at_ns)
        if self._moments.now_ns - began_ns < 1_000_000_000:
            raise refusals.Unreachable("a watch was ended as soon as it began")

    def _on_line(self, line: bytes, at_ns: int) -> None:
        try:
            event = msgspec.json.decode(line, type=_Event)
            obj = msgspec.json.decode(event.object, type=dict[str, Any])
        except msgspec.DecodeError as problem:
            raise refusals.Unreachable(f"a watch received what is no event: {problem}") from problem
        if event.type == "ERROR":
            raise refusals.from_status(obj)
        self._wait_s = 0.0
        key, uid, version = _identity(obj)
        self._version = version or self._version
        if event.type == "BOOKMARK":
            return
        if event.type == "DELETED":
            if self._known.pop(key, None) is not None:
                self._notify("DELETED", key, obj, at_ns)
            return
        before = self._known.get(key)
        if before is not None and before.uid != uid:
            self._notify("DELETED", key, self._read(before.raw), at_ns)
            before = None
        self._known[key] = _Known(uid, version, bytes(event.object))
        self._notify("ADDED" if before is None else "MODIFIED", key, obj, at_ns)

    def _notify(self, type_: str, key: str, obj: Json, at_ns: int) -> None:
        for watcher in self._watchers:
            watcher.deliver(type_, key, obj, at_ns)

    def _read(self, raw: bytes) -> Json:
        return listing.read(raw, self._selection.resource)


def _identity(obj: Json) -> tuple[str, str, str]:
    meta = obj.get("metadata") or {}
    key = f"{meta.get('namespace', '')}/{meta.get('name', '')}"
    return key, str(meta.get("uid", "")), str(meta.get("resourceVersion", ""))
