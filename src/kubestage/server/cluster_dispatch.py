"""Finds the cluster, and the moment, that a request is for, and has it answered there."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from kubestage.errors import Conflict
from kubestage.server import cluster_paths, page
from kubestage.server.timeline import UNRECORDED

if TYPE_CHECKING:
    from kubestage.server.cluster_paths import ClusterPath
    from kubestage.server.clusters import Clusters
    from kubestage.server.security.guard import Asgi, Receive, Scope, Send


class ClusterDispatch:
    """An ASGI application: those of all clusters, each below its prefix."""

    def __init__(self, clusters: Clusters) -> None:
        self._clusters = clusters
        self._first = clusters.first.application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered."""
        path = scope.get("path", "")
        if not path.startswith(cluster_paths.PREFIXES):
            await self._first(scope, receive, send)
            return
        target = cluster_paths.split(path)
        if _is_visit(scope, target):
            await _redirect(target, send)
            return
        # An ApiError is the answer of the guard.
        application = await self._application(target)
        await application({**scope, "path": target.path}, receive, send)

    async def _application(self, target: ClusterPath) -> Asgi:
        service = self._clusters.find(target.cluster)
        if not target.at:
            return service.application
        if service.past is None:
            raise Conflict(UNRECORDED)
        return await service.past.at(target.at)


def _is_visit(scope: Scope, target: ClusterPath) -> bool:
    """Whether a browser opens a cluster by its address: the page is elsewhere."""
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    accept = next((value for name, value in scope["headers"] if name == b"accept"), b"")
    is_page = target.path == "/ui" or target.path.startswith(page.ROOT)
    return is_page or page.is_visit(scope["method"], target.path, accept.decode("latin-1"))


async def _redirect(target: ClusterPath, send: Send) -> None:
    cluster = f"?cluster={quote(target.cluster)}" if target.cluster else ""
    moment = f"#/map?at={quote(target.at)}" if target.at else ""
    location = f"{page.ROOT}{cluster}{moment}".encode()
    headers = [(b"location", location), (b"vary", b"Accept"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 302, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
