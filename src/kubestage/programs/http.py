"""Requests to modelled servers, and what they answer."""

from __future__ import annotations

import re
import urllib.parse
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


_SNIFFED: Final = 512
_TAGS: Final = b"!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p"
_HTML: Final = re.compile(rb"[\t\n\x0c\r ]*<(?:(?:" + _TAGS + rb")[ >]|!--)", re.IGNORECASE)
_XML: Final = re.compile(rb"[\t\n\x0c\r ]*<\?xml")
_BINARY: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


class HttpRequest(NamedTuple):
    """A request."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = _NONE
    body: bytes = b""
    client: str = "127.0.0.1:40000"
    is_tls: bool = False

    @property
    def uri(self) -> str:
        """The path with its query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def value(self, name: str) -> str:
        """A parameter of the query."""
        found = urllib.parse.parse_qs(self.query, keep_blank_values=True).get(name)
        return found[0] if found else ""

    def values(self, name: str) -> list[str]:
        """All values of a parameter."""
        return urllib.parse.parse_qs(self.query, keep_blank_values=True).get(name, [])


BAD_REQUEST: Final = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Connection: close\r\n\r\n400 Bad Request"
)
"""What Go's server answers to bytes that are no request."""
NO_TLS: Final = "http: server gave HTTP response to HTTPS client"
"""What Go's clients say of a server that does not speak TLS."""
RAW: Final = "RAW"
"""The method of bytes that are sent as they are over TCP, without HTTP."""
DATAGRAM: Final = "DATAGRAM"
"""The method of bytes that are sent over UDP."""


class HttpAnswer(NamedTuple):
    """An answer."""

    code: int
    body: bytes = b""
    headers: Mapping[str, str] = _NONE


def text(body: str, code: int = 200) -> HttpAnswer:
    """An answer in plain text."""
    return HttpAnswer(code, body.encode(), {"Content-Type": "text/plain; charset=utf-8"})


def page(body: bytes, code: int = 200) -> HttpAnswer:
    """An answer whose type follows from how it begins, as Go's servers find it."""
    return HttpAnswer(code, body, {"Content-Type": _type_of(body[:_SNIFFED])})


def _type_of(data: bytes) -> str:
    if _HTML.match(data):
        return "text/html; charset=utf-8"
    if _XML.match(data):
        return "text/xml; charset=utf-8"
    if _BINARY.search(data):
        return "application/octet-stream"
    return "text/plain; charset=utf-8"


def split(url: str, scheme: str = "http") -> tuple[str, int, str, str] | None:
    """Host, port, path and query of a URL; None if it has another scheme."""
    if "://" not in url:
        url = f"http://{url}"
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme != scheme or not parts.hostname:
        return None
    port = port or (443 if scheme == "https" else 80)
    return parts.hostname, port, parts.path or "/", parts.query
