"""A conversion webhook on loopback, and a server with a definition that uses it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

from tests.server import calling

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Callable

    from kubestage.aliases import Json
    from kubestage.server.app import Application

GROUP = "shop.example.com"
V1 = f"/apis/{GROUP}/v1/namespaces/default/hosts"
V2 = f"/apis/{GROUP}/v2/namespaces/default/hosts"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEFINITION = f"{DEFINITIONS}/hosts.{GROUP}"
SERVICE = {"service": {"namespace": "shop", "name": "convert", "path": "/convert", "port": 443}}


class Webhook:
    """Converts ``hostPort`` of v1 to ``host`` and ``port`` of v2, and back.

    `reviews` are those that it was sent. `spoil` changes an answer before it is sent; `wait` is
    awaited before.
    """

    def __init__(self) -> None:
        self.reviews: list[Json] = []
        self.spoil: Callable[[Json], Any] = lambda answer: answer
        self.wait: Callable[[], Any] | None = None
        self.url = ""

    def sent(self) -> list[list[str]]:
        """The names of the objects of each review; they are then forgotten."""
        found = [
            [each["metadata"]["name"] for each in review["request"]["objects"]]
            for review in self.reviews
        ]
        self.reviews.clear()
        return found

    async def handle(self, request: web.Request) -> web.Response:
        review = msgspec.json.decode(await request.read())
        self.reviews.append(review)
        if self.wait is not None:
            await self.wait()
        asked = review["request"]
        objects = [converted(each, asked["desiredAPIVersion"]) for each in asked["objects"]]
        response = {
            "uid": asked["uid"],
            "convertedObjects": objects,
            "result": {"status": "Success"},
        }
        own = {"kind": review["kind"], "apiVersion": review["apiVersion"], "response": response}
        answer = self.spoil(own)
        if isinstance(answer, web.Response):
            return answer
        return web.json_response(answer)


def converted(obj: Json, api_version: str) -> Json:
    """An object in the other version."""
    found = {**obj, "apiVersion": api_version}
    if api_version.endswith("/v2") and "hostPort" in found:
        found["host"], _, found["port"] = found.pop("hostPort").partition(":")
    elif "host" in found:
        found["hostPort"] = f"{found.pop('host')}:{found.pop('port', '')}"
    return found


@contextlib.asynccontextmanager
async def listening(tls: ssl.SSLContext | None = None) -> AsyncIterator[Webhook]:
    """The webhook, on a port of its own."""
    hook = Webhook()
    app = web.Application()
    app.router.add_post("/convert", hook.handle)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    host, port = runner.addresses[0][:2]
    hook.url = f"{'http' if tls is None else 'https'}://{host}:{port}"
    try:
        yield hook
    finally:
        await runner.cleanup()


def versions(stored: str = "v1", **more: Json) -> list[Json]:
    """The versions of the definition, of which one is stored."""
    text = {"type": "string"}
    fields = {"v1": {"hostPort": text}, "v2": {"host": text, "port": text}}
    return [
        {
            "name": name,
            "served": True,
            "storage": name == stored,
            "selectableFields": [{"jsonPath": f".{field}"} for field in own],
            "schema": {
                "openAPIV3Schema": {"type": "object", "properties": {**own, **more.get(name, {})}}
            },
        }
        for name, own in fields.items()
    ]


def definition(conversion: Json, stored: str = "v1", **more: Json) -> Json:
    """The definition of hosts."""
    names = {"plural": "hosts", "singular": "host", "kind": "Host", "listKind": "HostList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"hosts.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": names,
            "scope": "Namespaced",
            "versions": versions(stored, **more),
            "conversion": conversion,
        },
    }


def by_webhook(config: Json | None = None, *reviews: str) -> Json:
    """The conversion by a webhook that is found by a clientConfig."""
    webhook = {"clientConfig": config or SERVICE, "conversionReviewVersions": reviews or ["v1"]}
    return {"strategy": "Webhook", "webhook": webhook}


async def served(hook: Webhook, conversion: Json | None = None, **more: Json) -> Application:
    """A server with the definition; the Service of its webhook leads to the one that listens."""
    app = calling.application()
    app.live.outside.urls["shop/convert"] = hook.url
    body = definition(conversion or by_webhook(), "v1", **more)
    made = await calling.call(app, "POST", DEFINITIONS, body)
    assert made.status == 201, made.json
    return app


def host(name: str, version: str = "v1", **fields: Any) -> Json:
    """A custom resource."""
    own: Json = {"hostPort": "here:80"} if version == "v1" else {"host": "here", "port": "80"}
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "Host",
        "metadata": {"name": name},
        **(fields or own),
    }


async def store_version(app: Application, version: str) -> None:
    """Have the definition store another version."""
    patch = {"spec": {"versions": versions(version)}}
    headers = {"content-type": "application/merge-patch+json"}
    changed = await calling.call(app, "PATCH", DEFINITION, patch, headers)
    assert changed.status == 200, changed.json


def run(story: Callable[[], Any]) -> None:
    """Run a test's story."""
    asyncio.run(story())
