"""Objects as bytes, encoded once for each version and shared by all who ask.

NOTE: a list of 5,000 pods is joined from kept bytes in a few milliseconds; encoding it again takes
several times that (benchmarks/server.py).
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.server.security.pipe import framed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import WatchEvent

_encode: Final = msgspec.json.Encoder().encode
_HTML: Final = {
    b"<": rb"\u003c",
    b">": rb"\u003e",
    b"&": rb"\u0026",
    "\u2028".encode(): rb"\u2028",
    "\u2029".encode(): rb"\u2029",
}
_FRAMES_BYTES: Final = 8 << 20
_CACHED_BYTES: Final = 256 << 20


def head(kind: Kind) -> bytes:
    """How an object of a kind begins."""
    return _encode({"kind": kind.kind, "apiVersion": kind.api_version})[:-1]


class Encoder:
    """Keeps the encoded form of stored objects, by the identity of the stored dict.

    A stored dict never changes: a new version is a new dict. What is kept is the object without
    its kind and apiVersion, as lists of built-in kinds show it.
    """

    def __init__(self) -> None:
        # Each with its object, so that no other object can have the same identity meanwhile.
        self._cached: dict[int, tuple[Json, bytes]] = {}
        self._heads: dict[Kind, bytes] = {}
        self._cached_bytes = 0
        # The newest lines of watches, likewise.
        self._frames: dict[tuple[str, int], tuple[Json, bytes]] = {}
        self._frames_bytes = 0
        # How many lists are being encoded in pieces, and what was forgotten meanwhile: they may
        # have it still to come.
        self._lists = 0
        self._forgotten: set[int] = set()

    @contextlib.contextmanager
    def in_pieces(self) -> Iterator[None]:
        """Encode objects that are held, of which some may be forgotten before their turn."""
        self._lists += 1
        try:
            yield
        finally:
            self._lists -= 1
            if not self._lists:
                self._forgotten.clear()

    def bare(self, obj: Json, *, keeps: bool = True) -> bytes:
        """A stored object without its type."""
        found = self._cached.get(id(obj))
        if found is not None:
            return found[1]
        body = bare(obj)
        # When it is full, entries stay: a client that reads everything in turn hits some of them.
        is_kept = keeps and id(obj) not in self._forgotten
        if is_kept and self._cached_bytes < _CACHED_BYTES:
            self._cached[id(obj)] = obj, body
            self._cached_bytes += len(body)
        return body

    def all_bare(self, objects: list[Json], *, keeps: bool = True) -> list[bytes]:
        """Stored objects without their types.

        Versions of which some are old are not to be kept: nothing would remove them again.
        """
        cached, encode = self._cached.get, self.bare
        return [
            found[1] if (found := cached(id(obj))) else encode(obj, keeps=keeps) for obj in objects
        ]

    def whole(self, kind: Kind, obj: Json) -> bytes:
        """A stored object with its type."""
        return self.typed(kind, self.bare(obj))

    def typed(self, kind: Kind, body: bytes) -> bytes:
        """A bare object under its type."""
        start = self._heads.get(kind)
        if start is None:
            start = self._heads[kind] = head(kind)
        return start + b"," + body[1:] if len(body) > 2 else start + b"}"

    def frame(self, kind: Kind, event: WatchEvent) -> bytes:
        """A watch event as every watcher of whole objects is sent it: its line, framed."""
        obj = event.object
        key = event.type, id(obj)
        found = self._frames.get(key)
        if found is not None:
            return found[1]
        body = self.typed(kind, bare(obj))
        frame = framed(b'{"type":"' + event.type.encode() + b'","object":' + body + b"}\n")
        if self._frames_bytes >= _FRAMES_BYTES:
            self._frames.clear()
            self._frames_bytes = 0
        self._frames[key] = obj, frame
        self._frames_bytes += len(frame)
        return frame

    def line(self, kind: Kind, event: WatchEvent) -> bytes:
        """A watch event as the line that every watcher of whole objects reads."""
        frame = self.frame(kind, event)
        return frame[frame.index(b"\n") + 1 : -2]

    def clear(self) -> None:
        """Forget all objects."""
        self._cached.clear()
        self._cached_bytes = 0

    def forget(self, obj: Json) -> None:
        """An object is stored no more: it is gone, or there is a newer version."""
        found = self._cached.pop(id(obj), None)
        if self._lists:
            self._forgotten.add(id(obj))
        if found is not None:
            self._cached_bytes -= len(found[1])


def bare(obj: Json) -> bytes:
    """An object without its type."""
    rest = dict(obj)
    rest.pop("kind", None)
    rest.pop("apiVersion", None)
    body = _encode(rest)
    return _escaped(body) if "revision" in rest else body


def _escaped(body: bytes) -> bytes:
    """JSON in which characters of HTML are escaped, as Go does it.

    It makes a difference for what clients keep as bytes, and compare: the data of revisions.
    """
    for char, written in _HTML.items():
        body = body.replace(char, written)
    return body
