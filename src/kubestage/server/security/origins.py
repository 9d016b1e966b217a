"""Which web pages may use a server.

A browser sends requests of any page that a user has open, and names the page's origin in them.
What such a page may read, the browser decides by the headers of the response; what it may change is
decided here: only pages of the server itself, and of origins that the user has named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from kubestage.errors import InputError
from kubestage.server.security import hosts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.server.security.hosts import HostCheck

    Headers = list[tuple[bytes, bytes]]

_PORTS: Final = {"http": 80, "https": 443}
_SHARED: Final = (b"vary", b"origin")
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, PUT, PATCH, DELETE"),
    (b"access-control-allow-headers", b"accept, authorization, content-type"),
    (b"access-control-max-age", b"600"),
    (b"content-length", b"0"),
)


class Origin(NamedTuple):
    """Where a page comes from."""

    scheme: str
    name: str
    port: int


def parse(text: str) -> Origin | None:
    """An origin as browsers write it; None if it is none, or one that is kept secret."""
    scheme, separator, host = text.partition("://")
    if not separator or scheme not in _PORTS:
        return None
    name, port = hosts.split(host)
    return Origin(scheme, name, port or _PORTS[scheme]) if name else None


def named(texts: Iterable[str]) -> frozenset[Origin]:
    """The origins that a user named; InputError if one is none."""
    found = set()
    for text in texts:
        origin = parse(text)
        if origin is None or urlsplit(text).path:
            fix = "write it as http://localhost:3000: scheme, host and port, and nothing after them"
            raise InputError(f'"{text}" is no origin', path="--allow-origin", fix=fix)
        found.add(origin)
    return frozenset(found)


class OriginCheck:
    """What pages of an origin may do."""

    def __init__(self, own: HostCheck, allowed: frozenset[Origin]) -> None:
        self._own = own
        self._allowed = allowed

    def is_named(self, origin: bytes) -> bool:
        """Whether the user has named an origin."""
        return bool(self._allowed) and parse(origin.decode("latin-1")) in self._allowed

    def may_read(self, origin: bytes) -> bool:
        """Whether requests that change nothing are served to a page of this origin."""
        return self._own.admits_origin(origin) or self.is_named(origin)

    def may_write(self, origin: bytes, host: bytes) -> bool:
        """Whether others are: those of the page that this server itself has sent."""
        if self.is_named(origin):
            return True
        found = parse(origin.decode("latin-1"))
        if found is None or not self._own.admits_origin(origin):
            return False
        name, port = hosts.split(host.decode("latin-1"))
        is_known = self._own.has_names or found.name == name
        return is_known and found.port == (port or _PORTS[found.scheme])


def shared_with(origin: bytes) -> Headers:
    """The headers by which a browser lets a page of a named origin read a response."""
    return [(b"access-control-allow-origin", origin), _SHARED]


def preflight(origin: bytes) -> Headers:
    """The headers that answer a browser's question whether a page may send a request."""
    return [*shared_with(origin), *_PREFLIGHT]
