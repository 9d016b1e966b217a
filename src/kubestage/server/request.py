"""A request as the handlers see it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from kubestage.server.security.pipe import EXTENSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.server.security.pipe import Pipe

_NO_QUERY: dict[str, list[str]] = {}


class Request:
    """One HTTP request; its body has been read, its path has no escapes any more.

    `pipe` is the straight way to the client, if there is one. `user` is who sends it, once that is
    known (see `callers`).
    """

    __slots__ = ("body", "headers", "method", "path", "pipe", "query", "user")

    def __init__(
        self,
        method: str,
        path: str,
        query: dict[str, list[str]],
        headers: dict[bytes, bytes],
        body: bytes = b"",
        pipe: Pipe | None = None,
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.pipe = pipe
        self.user: Json | None = None

    @property
    def user_agent(self) -> str:
        """The user agent of the client."""
        return self.headers.get(b"user-agent", b"").decode("latin-1")

    def header(self, name: bytes) -> str:
        """A header, or nothing; `name` is in small letters."""
        return self.headers.get(name, b"").decode("latin-1")

    def parameter(self, name: str) -> str:
        """The first value of a query parameter, or nothing."""
        values = self.query.get(name)
        return values[0] if values else ""


def parse(scope: Json, body: bytes = b"") -> Request:
    """The request behind an ASGI scope."""
    query_string: bytes = scope["query_string"]
    query = (
        parse_qs(query_string.decode("latin-1"), keep_blank_values=True)
        if query_string
        else _NO_QUERY
    )
    extensions = scope.get("extensions")
    pipe = extensions.get(EXTENSION) if extensions else None
    return Request(scope["method"], scope["path"], query, _joined(scope["headers"]), body, pipe)


def _joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name; one that is sent several times is one list."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        found[name] = found[name] + b"," + value if name in found else value
    return found
