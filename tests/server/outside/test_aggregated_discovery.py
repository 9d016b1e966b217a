"""What clients discover of API servers behind APIServices."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from tests.server import calling
from tests.server.outside.aggregating import aggregated, condition, create, serving, touch
from tests.server.outside.api_server import API, GROUP, Fruits

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.app import Application

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def test_discovery_has_the_group_by_its_priority() -> None:
    async def story() -> None:
        async with aggregated() as (app, _):
            groups = (await calling.call(app, "GET", "/apis")).json["groups"]
            names = [each["name"] for each in groups]
            assert names.index("storage.k8s.io") < names.index(GROUP) < names.index("kubestage.dev")
            version = {"groupVersion": f"{GROUP}/v1", "version": "v1"}
            group = (await calling.call(app, "GET", f"/apis/{GROUP}")).json
            assert (group["kind"], group["versions"]) == ("APIGroup", [version])
            resources = (await calling.call(app, "GET", API)).json["resources"]
            assert [each["name"] for each in resources] == ["fruits", "fruits/status"]
            paths = (await calling.call(app, "GET", "/")).json["paths"]
            assert {f"/apis/{GROUP}", API} <= set(paths)
            found = await discovered(app)
            assert found["freshness"] == "Current"
            (resource,) = found["resources"]
            assert resource["responseKind"]["kind"] == "Fruit"
            assert (resource["scope"], resource["shortNames"]) == ("Namespaced", ["fr"])
            assert [each["subresource"] for each in resource["subresources"]] == ["status"]

    asyncio.run(story())


async def discovered(app: Application) -> Json:
    """The version of the fruits in aggregated discovery."""
    answer = await calling.call(app, "GET", "/apis", headers={"accept": AGGREGATED})
    groups = {each["metadata"]["name"]: each for each in answer.json["items"]}
    (version,) = groups[GROUP]["versions"]
    found: Json = version
    return found


def test_an_aggregated_document_is_taken_as_it_is_and_stale_when_the_server_is_gone() -> None:
    async def story() -> None:
        fruits = Fruits(aggregated=True)
        async with contextlib.AsyncExitStack() as stack:
            url = await stack.enter_async_context(fruits.listening())
            async with serving(fruits=url) as app:
                await create(app)
                await condition(app, "Passed")
                assert (await discovered(app))["resources"][0]["verbs"] == ["list"]
                await stack.aclose()
                await touch(app)
                await condition(app, "FailedDiscoveryCheck")
                assert await discovered(app) == {"version": "v1", "freshness": "Stale"}

    asyncio.run(story())


def test_openapi_passes_through() -> None:
    async def story() -> None:
        async with aggregated() as (app, _):
            index = (await calling.call(app, "GET", "/openapi/v3")).json["paths"]
            where = index[API.strip("/")]["serverRelativeURL"]
            assert where == f"/openapi/v3{API}?hash=A1"
            document = (await calling.call(app, "GET", f"/openapi/v3{API}", hash="A1")).json
            assert list(document["components"]["schemas"]) == ["com.example.fruit.v1.Fruit"]

    asyncio.run(story())
