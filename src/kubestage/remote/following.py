"""Lists a selection and follows its changes; lists again if the server has forgotten them."""

from __future__ import annotations

import abc
import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import ApiError, BadRequest, Expired, ResourceVersionTooLarge
from kubestage.remote import listing, refusals, wire

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.access import Selection
    from kubestage.remote.connection import Connection, ResponseStream
    from kubestage.remote.discovery import Discovery
    from kubestage.remote.listing import Leaf
    from kubestage.remote.moments import RealMoments

_LIFE_S: Final = 480
# A server sends a bookmark every minute; a connection that is silent for longer may be dead.
_SILENCE_S: Final = 130.0
_FIRST_WAIT_S: Final = 0.1
# A measurement is blind in the meantime, so this is less than the 30 s of other clients.
_LONGEST_WAIT_S: Final = 5.0
# A version that the server knows nothing of: too old, of another life of it, or none at all.
_LOST: Final = (Expired, ResourceVersionTooLarge, BadRequest)


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


class Identity(msgspec.Struct, frozen=True):
    """Which object it is, and in which state."""

    key: str
    uid: str
    version: str


class Following(abc.ABC):
    """One selection of a cluster, from a version on or from a list.

    What derives from it receives pages of lists and events, and loses nothing when connections are
    lost.
    """

    def __init__(
        self,
        selection: Selection,
        moments: RealMoments,
        connection: Connection,
        discovery: Discovery,
    ) -> None:
        self.problem = ""
        self.problem_began_ns = 0
        self._selection = selection
        self._moments = moments
        self._connection = connection
        self._discovery = discovery
        self._version = ""
        self._wait_s = 0.0

    @abc.abstractmethod
    def _on_page(self, page: Leaf, at_ns: int) -> None:
        """Take a page of a list; `page.is_first` begins it, maybe once more."""

    @abc.abstractmethod
    def _on_listed(self, version: str, at_ns: int) -> None:
        """The list is complete, as of a version."""

    @abc.abstractmethod
    def _on_event(self, type_: str, identity: Identity, raw: bytes, obj: Json, at_ns: int) -> None:
        """Take a change: ADDED, MODIFIED or DELETED."""

    @abc.abstractmethod
    def _on_lost(self) -> None:
        """The server has forgotten what came after the last version: a list follows."""

    def _pause_s(self, problem: ApiError) -> float:
        """How long to wait after a failure."""
        return max(self._wait_s, refusals.wait_s(problem))

    async def _run(self) -> None:
        while True:
            try:
                if not self._version:
                    await self._list()
                await self._follow()
            except ApiError as problem:
                await self._failed(problem)

    async def _failed(self, problem: ApiError) -> None:
        if isinstance(problem, _LOST) and self._version:
            self._version = ""
            self._on_lost()
        if not self.problem:
            self.problem_began_ns = self._moments.now_ns
        self.problem = problem.message
        await asyncio.sleep(self._pause_s(problem))
        # The first time it is tried again at once; an event makes it a first time again.
        self._wait_s = min(max(2 * self._wait_s, _FIRST_WAIT_S), _LONGEST_WAIT_S)

    async def _list(self) -> None:
        """Read all objects."""
        place = await self._discovery.find(self._selection.resource)
        path = place.path(self._selection.namespace)
        version = ""
        async for leaf in listing.leaves(self._connection, path, self._selection):
            self._on_page(leaf, self._moments.now_ns)
            version = leaf.version
        self._version = version
        self._on_listed(version, self._moments.now_ns)

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
        identity = identity_of(obj)
        self._version = identity.version or self._version
        if event.type != "BOOKMARK":
            self._on_event(event.type, identity, bytes(event.object), obj, at_ns)


def identity_of(obj: Json) -> Identity:
    """Which object this is."""
    meta = obj.get("metadata") or {}
    key = f"{meta.get('namespace', '')}/{meta.get('name', '')}"
    return Identity(key, str(meta.get("uid", "")), str(meta.get("resourceVersion", "")))
