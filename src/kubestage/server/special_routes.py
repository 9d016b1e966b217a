"""Paths that are no objects: discovery, health, reviews, the page, the kubestage API.

NOTE: the modules behind them are loaded at their first request, so that a server answers its first
one soon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.server import routing

with lazy.imports():
    from kubestage.server import (
        component_statuses,
        documents,
        exposition,
        health,
        metrics_api,
        page,
        reviews,
    )
    from kubestage.server.aggregation import proxying
    from kubestage.server.identity import discovery as openid
    from kubestage.server.kubestage_api import dispatch as kubestage_api

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.response import Response, StreamingResponse

    Handler = Callable[[Live, Request], Awaitable[Response | StreamingResponse]]

# The first part of a path, and the handler of all paths below it.
_ROOTS: Final[dict[str, Callable[[], Handler]]] = {
    "version": lambda: documents.version_document,
    ".well-known": lambda: openid.handle,
    "openid": lambda: openid.handle,
    "openapi": lambda: documents.openapi_document,
    "healthz": lambda: health.handle,
    "livez": lambda: health.handle,
    "readyz": lambda: health.handle,
    "metrics": lambda: exposition.handle,
    "kubestage": lambda: kubestage_api.handle,
    "ui": lambda: page.handle,
}
# Groups whose objects are computed for each request, and not stored.
_GROUPS: Final[dict[str, Callable[[], Handler]]] = {
    "metrics.k8s.io": lambda: metrics_api.handle,
    "authorization.k8s.io": lambda: reviews.handle,
    "authentication.k8s.io": lambda: reviews.handle,
}
_COMPONENTS: Final = "/api/v1/componentstatuses"
_GROUP_DEPTH: Final = 3


def find(live: Live, request: Request) -> Awaitable[Response | StreamingResponse] | None:
    """The response to a path that is not an object's; None for the paths of kinds."""
    path = request.path
    if path == "/" and page.is_visit(request.method, path, request.header(b"accept")):
        return page.redirect(live, request)
    if live.aggregator is not None and live.aggregator.remotes:
        remote = live.aggregator.find(path)
        if remote is not None:
            return proxying.serve(live, request, remote)
    handler = _handler(path)
    return None if handler is None else handler(live, request)


def _handler(path: str) -> Handler | None:
    if path.startswith("/api/v1/"):
        if path.startswith(_COMPONENTS):
            return component_statuses.handle
        return None if len(path) > len("/api/v1/") else documents.discovery_document
    parts = path.rstrip("/").split("/")
    root = parts[1] if len(parts) > 1 else ""
    if root == "apis" and len(parts) > _GROUP_DEPTH + 1:
        found = _GROUPS.get(parts[2])
        return None if found is None else found()
    if root in ("api", "apis"):
        return documents.discovery_document
    if root in _ROOTS:
        return _ROOTS[root]()
    if path == "/":
        return documents.root_document
    raise routing.no_such_page()
