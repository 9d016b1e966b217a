"""The page for browsers: its files below ``/ui/``, and the way there from ``/``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import MethodNotAllowed
from kubestage.server import background, routing
from kubestage.server.response import TEXT, Response
from kubestage.ui import asset_table

if TYPE_CHECKING:
    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.ui.asset_table import Asset

ROOT: Final = "/ui/"
_READING: Final = ("GET", "HEAD")
_HTML: Final = "text/html"
_GUARDED: Final = (
    (b"content-security-policy", asset_table.POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def is_public(method: str, path: str, accept: str) -> bool:
    """Whether a request is for the page and nothing else, which needs no token."""
    is_file = method in _READING and (path == "/ui" or path.startswith(ROOT))
    return is_file or is_visit(method, path, accept)


def is_visit(method: str, path: str, accept: str) -> bool:
    """Whether a browser opens ``/``; clients of the API do not accept HTML."""
    return path == "/" and method in _READING and _HTML in accept


async def redirect(_live: Live, _request: Request) -> Response:
    """Lead a browser to the page. What is at ``/`` depends on the header, so nothing is cached."""
    headers = [(b"location", ROOT.encode()), (b"vary", b"Accept"), (b"cache-control", b"no-store")]
    return Response(302, b"", TEXT, headers)


async def handle(live: Live, request: Request) -> Response:
    """A file of the page."""
    if request.method not in _READING:
        raise MethodNotAllowed(f"{request.method} is not served at {request.path}: use GET")
    if request.path == "/ui":
        return await redirect(live, request)
    asset = asset_table.find(request.path.removeprefix(ROOT))
    if asset is None:
        raise routing.no_such_page()
    return await _response(asset, request)


async def _response(asset: Asset, request: Request) -> Response:
    """The file, compressed if the browser can read that; nothing if it has the file already."""
    is_compressed = "gzip" in request.header(b"accept-encoding")
    etag = f'"{asset.etag}-gzip"' if is_compressed else f'"{asset.etag}"'
    headers = [
        *_GUARDED,
        (b"etag", etag.encode()),
        (b"vary", b"Accept-Encoding"),
        (b"cache-control", b"no-cache"),
    ]
    content_type = asset.content_type.encode()
    if etag in request.header(b"if-none-match"):
        return Response(304, b"", content_type, headers)
    if is_compressed:
        headers.append((b"content-encoding", b"gzip"))
        return Response(200, await background.run(_compressed, asset), content_type, headers)
    return Response(200, asset.body, content_type, headers)


def _compressed(asset: Asset) -> bytes:
    return asset.compressed
