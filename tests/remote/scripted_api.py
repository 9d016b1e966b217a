"""A small API server that does what a test tells it to: refuses, forgets, goes silent.

It listens on loopback, on the loop of the cluster that is under test. What goes on between the
two is real HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from typing import TYPE_CHECKING, Any

from aiohttp import web

from kubestage.remote.access import Access, Origin
from kubestage.remote.cluster import RemoteCluster
from kubestage.remote.kubeconfig_schema import ClusterEntry, UserEntry

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable, Iterator

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

RESOURCES = {
    "kind": "APIResourceList",
    "resources": [
        {"name": "pods/status", "kind": "Pod", "namespaced": True},
        {"name": "pods", "kind": "Pod", "namespaced": True},
        {"name": "configmaps", "kind": "ConfigMap", "namespaced": True},
    ],
}


class ScriptedApi:
    """Answers each request with what was scripted for its path, the last of it again and again."""

    def __init__(self) -> None:
        self.requests: list[web.Request] = []
        self._answers: dict[str, list[Handler]] = {}
        self.on("/api/v1", answer(RESOURCES))

    def on(self, path: str, *handlers: Handler) -> None:
        """What to do when a path is asked for; ``watch`` in its query makes it another path."""
        self._answers[path] = list(handlers)

    def asked(self, path: str) -> list[web.Request]:
        """The requests for a path so far."""
        return [each for each in self.requests if _path(each) == path]

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        await request.read()
        handlers = self._answers.get(_path(request))
        if handlers is None:
            return web.Response(status=404, text="404 page not found")
        handler = handlers.pop(0) if len(handlers) > 1 else handlers[0]
        return await handler(request)

    async def listen(self, context: ssl.SSLContext | None = None, port: int = 0) -> int:
        """Begin to answer; at which port."""
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, ssl_context=context)
        await site.start()
        found: int = self._runner.addresses[0][1]
        return found

    async def end(self) -> None:
        """Close all connections and answer no more."""
        await self._runner.cleanup()


def _path(request: web.Request) -> str:
    return request.path + ("?watch" if "watch" in request.query else "")


def answer(body: Any, code: int = 200, **headers: str) -> Handler:
    """An answer of JSON, or of text."""

    async def handle(_: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, str):
            return web.Response(status=code, text=body, headers=named)
        return web.json_response(body, status=code, headers=named)

    return handle


def refusal(code: int, reason: str, **headers: str) -> Handler:
    """An answer that is a Status."""
    body = {"kind": "Status", "status": "Failure", "code": code, "reason": reason}
    return answer({**body, "message": f"{reason} it is"}, code, **headers)


def stream(*lines: dict[str, Any] | str, stay: bool = True) -> Handler:
    """An answer of lines; it stays open unless told otherwise."""

    async def handle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for line in lines:
            text = line if isinstance(line, str) else json.dumps(line) + "\n"
            await response.write(text.encode())
        if stay:
            await asyncio.sleep(3600)
        return response

    return handle


def items(version: str, *objects: dict[str, Any], following: str = "") -> Handler:
    """A list, or a page of one."""
    meta = {"resourceVersion": version, "continue": following}
    return answer({"kind": "PodList", "metadata": meta, "items": list(objects)})


def pod(name: str, version: str = "1", uid: str = "") -> dict[str, Any]:
    """A pod as a list has it."""
    meta = {"namespace": "a", "name": name, "uid": uid or name, "resourceVersion": version}
    return {"metadata": meta}


def event(kind: str, obj: dict[str, Any]) -> dict[str, Any]:
    """A line of a watch."""
    return {"type": kind, "object": {"apiVersion": "v1", "kind": "Pod", **obj}}


def bookmark(version: str) -> dict[str, Any]:
    """A line that says how far a watch has come."""
    return event("BOOKMARK", {"metadata": {"resourceVersion": version}})


@contextlib.contextmanager
def scripted(
    cluster: ClusterEntry | None = None,
    user: UserEntry | None = None,
    context: ssl.SSLContext | None = None,
    *,
    port: int = 0,
    server: str = "",
    **more: Any,
) -> Iterator[tuple[ScriptedApi, RemoteCluster]]:
    """An API that does as it is told, and a cluster that asks it, or thinks it asks `server`."""
    api, port = ScriptedApi(), port or free_port()
    access = Access(
        server=server or f"{'https' if context else 'http'}://127.0.0.1:{port}",
        cluster=cluster or ClusterEntry(),
        user=user or UserEntry(),
        origin=Origin("config", "clusters[0].cluster", "users[0].user"),
    )
    with RemoteCluster(access, **more) as opened:
        opened.loop.complete(api.listen(context, port))
        try:
            yield api, opened
        finally:
            opened.loop.end_work()
            opened.loop.complete(api.end())


def free_port() -> int:
    """A port that is free now: the server listens on the loop of a cluster that knows it."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
