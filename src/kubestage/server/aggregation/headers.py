"""The headers of what is passed on: who sends it, and nothing that is about one connection."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.server.request import Request

AGGREGATOR: Final[Json] = {"username": "system:kube-aggregator", "groups": ["system:masters"]}
"""Who asks on behalf of the server itself."""

_OF_ONE_CONNECTION: Final = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
        "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
_REPLACED: Final = frozenset(
    {"authorization", "content-length", "host", "x-forwarded-host", "x-forwarded-uri"}
)
_IDENTITY: Final = ("x-remote-user", "x-remote-uid", "x-remote-group", "x-remote-extra-")
_IMPERSONATION: Final = "impersonate-"
# What an answer has of the server that sends it on.
_OF_SERVER: Final = frozenset({"content-length", "date", "server"})


def identity(user: Json) -> Iterator[tuple[str, str]]:
    """Who sends a request, for a server that trusts this one."""
    yield "X-Remote-User", user["username"]
    if user.get("uid"):
        yield "X-Remote-Uid", user["uid"]
    for group in user.get("groups") or ():
        yield "X-Remote-Group", group
    for key, values in (user.get("extra") or {}).items():
        for value in values:
            yield f"X-Remote-Extra-{urllib.parse.quote(key, safe='')}", value


def of_request(request: Request, user: Json) -> list[tuple[str, str]]:
    """The headers of a request, as they are passed on."""
    sent = [(name.decode("latin-1"), value) for name, value in request.headers.items()]
    dropped = _dropped(request.header(b"connection")) | _REPLACED
    found = [
        (name, value.decode("latin-1"))
        for name, value in sent
        if name not in dropped and not name.startswith((_IMPERSONATION, *_IDENTITY))
    ]
    forwarded = [
        ("X-Forwarded-Host", request.header(b"host")),
        ("X-Forwarded-Uri", urllib.parse.quote(request.path)),
    ]
    return [*found, *forwarded, *identity(user)]


def of_answer(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, as they are passed on, without its length."""
    named = [(name.lower(), value) for name, value in headers]
    connection = ",".join(value for name, value in named if name == "connection")
    dropped = _dropped(connection) | _OF_SERVER
    return [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, value in named
        if name not in dropped
    ]


def is_upgrade(request: Request) -> bool:
    """Whether a request asks for another protocol than HTTP."""
    words = request.header(b"connection").lower().split(",")
    return "upgrade" in [word.strip() for word in words]


def _dropped(connection: str) -> frozenset[str]:
    named = {word.strip().lower() for word in connection.split(",")}
    return _OF_ONE_CONNECTION | named
