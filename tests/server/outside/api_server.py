"""An API server of its own on loopback, in the process: fruits, in memory."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator

    from kubestage.aliases import Json

GROUP, VERSION = "fruit.example.com", "v1"
API = f"/apis/{GROUP}/{VERSION}"
FRUITS = f"{API}/namespaces/default/fruits"
_RESOURCES: list[Json] = [
    {
        "name": "fruits",
        "singularName": "fruit",
        "namespaced": True,
        "kind": "Fruit",
        "verbs": ["create", "get", "list", "watch"],
        "shortNames": ["fr"],
    },
    {
        "name": "fruits/status",
        "singularName": "",
        "namespaced": True,
        "kind": "Fruit",
        "verbs": ["get"],
    },
]
_NAMED = [{"group": GROUP, "version": VERSION, "kind": "Fruit"}]
_SCHEMA: Json = {
    "type": "object",
    "x-kubernetes-group-version-kind": _NAMED,
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        "colour": {"type": "string", "description": "How it looks."},
    },
}


class Fruits:
    """The server: what it holds, which requests it had, and how it misbehaves."""

    def __init__(self, *, aggregated: bool = False) -> None:
        self.objects: dict[str, Json] = {}
        self.requests: list[web.BaseRequest] = []
        self.bodies: list[bytes] = []
        self.aggregated = aggregated
        # Nothing is answered before this is set.
        self.goes_on = asyncio.Event()
        self.goes_on.set()
        self.status = 200
        self.location = ""
        self.url = ""
        self.port = 0
        self._watchers: list[asyncio.Queue[Json | None]] = []

    def end_watches(self) -> None:
        """Close all watches."""
        for queue in self._watchers:
            queue.put_nowait(None)

    @contextlib.asynccontextmanager
    async def listening(self, context: ssl.SSLContext | None = None) -> AsyncIterator[str]:
        """Serve while the block lasts; its URL. The port stays the same the next time."""
        runner = web.ServerRunner(web.Server(self._handle), shutdown_timeout=0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port, ssl_context=context)
        await site.start()
        self.port = runner.addresses[0][1]
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.port}"
        try:
            yield self.url
        finally:
            self.goes_on.set()
            self.end_watches()
            await runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests.append(request)
        self.bodies.append(await request.read())
        await self.goes_on.wait()
        if self.location:
            return web.Response(status=302, headers={"location": self.location})
        if self.status != 200:
            return web.Response(status=self.status, text="broken")
        if "watch" in request.query:
            return await self._watch(request)
        found = self._answer(request)
        if found is None:
            return web.Response(status=404, text="404 page not found\n")
        return found

    def _answer(self, request: web.BaseRequest) -> web.Response | None:
        name = request.path.removeprefix(f"{FRUITS}/")
        if request.path == "/apis" and self.aggregated:
            return self._discovery()
        if request.path == API:
            own = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": API[6:]}
            return web.json_response({**own, "resources": _RESOURCES})
        if request.path == "/openapi/v3":
            where = {"serverRelativeURL": f"/openapi/v3{API}?hash=A1"}
            return web.json_response({"paths": {API.strip("/"): where}})
        if request.path == f"/openapi/v3{API}":
            return web.json_response(_openapi())
        if request.path in (FRUITS, f"{API}/fruits"):
            if request.method == "POST":
                return web.json_response(self._create(self.bodies[-1]), status=201)
            items = list(self.objects.values())
            return web.json_response({**_typed("FruitList"), "metadata": {}, "items": items})
        if name in self.objects:
            return web.json_response(self.objects[name])
        return None

    def _create(self, body: bytes) -> Json:
        obj: Json = msgspec.json.decode(body)
        obj["metadata"] = {"namespace": "default", "uid": "u", **obj["metadata"]}
        self.objects[obj["metadata"]["name"]] = obj
        for queue in self._watchers:
            queue.put_nowait({"type": "ADDED", "object": obj})
        return obj

    async def _watch(self, request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "application/json"})
        await response.prepare(request)
        queue: asyncio.Queue[Json | None] = asyncio.Queue()
        self._watchers.append(queue)
        while (event := await queue.get()) is not None:
            await response.write(msgspec.json.encode(event) + b"\n")
        return response

    def _discovery(self) -> web.Response:
        kind = {"group": GROUP, "version": VERSION, "kind": "Fruit"}
        resource = {
            "resource": "fruits",
            "responseKind": kind,
            "scope": "Namespaced",
            "singularResource": "fruit",
            "verbs": ["list"],
        }
        versions = [{"version": VERSION, "resources": [resource], "freshness": "Current"}]
        document = {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": "apidiscovery.k8s.io/v2",
            "items": [{"metadata": {"name": GROUP}, "versions": versions}],
        }
        form = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        return web.Response(body=msgspec.json.encode(document), headers={"content-type": form})


def _typed(kind: str) -> Json:
    return {"apiVersion": API[6:], "kind": kind}


def _openapi() -> Json:
    return {
        "openapi": "3.0.0",
        "info": {"title": "fruits", "version": "v1"},
        "paths": {
            FRUITS.replace("default", "{namespace}"): {
                "get": {
                    "operationId": "listFruits",
                    "responses": {"200": {"description": "OK"}},
                    "x-kubernetes-action": "list",
                    "x-kubernetes-group-version-kind": _NAMED[0],
                }
            }
        },
        "components": {"schemas": {"com.example.fruit.v1.Fruit": _SCHEMA}},
    }


def fruit(name: str, **fields: Any) -> Json:
    """A fruit."""
    return {**_typed("Fruit"), "metadata": {"name": name}, **fields}


def api_service(name: str = f"{VERSION}.{GROUP}", **spec: Any) -> Json:
    """The APIService of the fruits, behind the Service ``shop/fruits``."""
    version, _, group = name.partition(".")
    own = {"group": group, "version": version, "groupPriorityMinimum": 2000, "versionPriority": 15}
    service = {"namespace": "shop", "name": "fruits"}
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": name},
        "spec": {**own, "service": service, **spec},
    }
