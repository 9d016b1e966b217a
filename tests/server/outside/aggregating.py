"""A server that follows APIServices, for tests, with an API server beside it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from kubestage.server.aggregation.aggregator import Aggregator
from kubestage.server.aggregation.registration import DefinedApis
from kubestage.server.app import Application
from kubestage.server.bootstrap import installing
from kubestage.server.live import Live
from kubestage.stage import Stage
from kubestage.store.bootstrap import Bootstrap
from tests.deadlines import HANG_S
from tests.server import calling
from tests.server.outside.api_server import GROUP, Fruits, api_service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.aliases import Json

SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
NAME = f"v1.{GROUP}"
SERVER = Bootstrap(address="172.18.0.1", port=6443, certificate="PEM")


@contextlib.asynccontextmanager
async def serving(timeout_s: float = HANG_S, **urls: str) -> AsyncIterator[Application]:
    """A server that follows APIServices; `urls` lead from Services of ``shop`` elsewhere."""
    stage = Stage(implicit_namespaces=False)
    stage.add_controllers()
    installing.install(stage, SERVER)
    stage.run("1s")
    live = Live(stage)
    app = Application(live)
    live.outside.urls.update({f"shop/{name}": url for name, url in urls.items()})
    aggregator, defined = Aggregator(live, timeout_s), DefinedApis(live)
    defined.start()
    aggregator.start()
    made = await calling.call(app, "POST", "/api/v1/namespaces", {"metadata": {"name": "shop"}})
    assert made.status == 201
    try:
        yield app
    finally:
        await aggregator.close()
        defined.close()


async def create(app: Application, obj: Json | None = None) -> None:
    """Register an API, by default that of the fruits."""
    made = await calling.call(app, "POST", SERVICES, obj or api_service())
    assert made.status == 201, made.json


async def condition(app: Application, reason: str) -> Json:
    """The condition Available, once it has a reason."""
    found: Json = {}
    async with asyncio.timeout(HANG_S):
        while found.get("reason") != reason:
            await asyncio.sleep(0.005)
            obj = (await calling.call(app, "GET", f"{SERVICES}/{NAME}")).json
            conditions = (obj.get("status") or {}).get("conditions") or [{}]
            found = conditions[0]
    return found


@contextlib.asynccontextmanager
async def aggregated(fruits: Fruits | None = None) -> AsyncIterator[tuple[Application, Fruits]]:
    """A server with an API server beside it that is available."""
    fruits = fruits or Fruits()
    async with fruits.listening() as url, serving(fruits=url) as app:
        await create(app)
        await condition(app, "Passed")
        yield app, fruits


async def touch(app: Application) -> None:
    """Have the server checked now, not in half a minute."""
    assert app.live.aggregator is not None
    for remote in app.live.aggregator.remotes.values():
        remote.changed.set()


def service(port: int = 443, **spec: Any) -> Json:
    """The Service of the fruits."""
    ports = [{"name": "https", "port": port, "protocol": "TCP"}]
    return {"metadata": {"name": "fruits"}, "spec": {"ports": ports, **spec}}


def endpoints(address: str, port: int) -> Json:
    """An EndpointSlice of one's own."""
    labels = {"kubernetes.io/service-name": "fruits"}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "mine", "namespace": "shop", "labels": labels},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
        "ports": [{"name": "https", "port": port, "protocol": "TCP"}],
    }
