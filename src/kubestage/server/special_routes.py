"""Paths that are no objects: discovery, documents, health, reviews, and what is our own.

NOTE: the rooms behind them are loaded when they are first asked for, so that the first answer of a
server comes soon.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.server import routing

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.response import Response, Stream

# The first part of a path, and who serves all below it: a module and its function.
_ROOTS: Final = {
    "version": "documents:version_document",
    "openapi": "documents:openapi_document",
    "healthz": "health:handle",
    "livez": "health:handle",
    "readyz": "health:handle",
    "metrics": "exposition:handle",
    "kubestage": "kubestage_api:handle",
}
# Groups whose objects are made up when they are asked for.
_GROUPS: Final = {
    "metrics.k8s.io": "metrics_api:handle",
    "authorization.k8s.io": "reviews:handle",
    "authentication.k8s.io": "reviews:handle",
}
_DISCOVERY: Final = "documents:discovery_document"
_COMPONENTS: Final = "/api/v1/componentstatuses"
_GROUP_DEPTH: Final = 3


def find(live: Live, request: Request) -> Awaitable[Response | Stream] | None:
    """What serves a path that is not an object's; None if the kind table should look."""
    path = request.path
    if path.startswith("/api/v1/"):
        if path.startswith(_COMPONENTS):
            return _call("component_statuses:handle", live, request)
        return None if len(path) > len("/api/v1/") else _call(_DISCOVERY, live, request)
    parts = path.rstrip("/").split("/")
    root = parts[1] if len(parts) > 1 else ""
    if root == "apis" and len(parts) > _GROUP_DEPTH + 1:
        served = _GROUPS.get(parts[2])
        return None if served is None else _call(served, live, request)
    if root in ("api", "apis"):
        return _call(_DISCOVERY, live, request)
    if root in _ROOTS:
        return _call(_ROOTS[root], live, request)
    if path == "/":
        return _call("documents:root_document", live, request)
    raise routing.no_such_page()


def _call(name: str, live: Live, request: Request) -> Awaitable[Response | Stream]:
    module, _, function = name.partition(":")
    handler: Any = getattr(importlib.import_module(f"kubestage.server.{module}"), function)
    served: Awaitable[Response | Stream] = handler(live, request)
    return served
