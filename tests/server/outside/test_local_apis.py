"""The APIServices of what the server itself serves, and those of definitions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kubestage.server.bootstrap import installing, membership
from kubestage.server.bootstrap.local_apis import API_SERVICE, MANAGED
from kubestage.stage import Stage
from tests.scenario.building import create, done, scenario
from tests.server import calling
from tests.server.live_stage import SCENARIOS, served
from tests.server.outside.aggregating import SERVER, SERVICES, serving
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.app import Application

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "widgets.shop.example.com"


def definition(*versions: str) -> Json:
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {
        "metadata": {"name": WIDGETS},
        "spec": {
            "group": "shop.example.com",
            "names": {"plural": "widgets", "kind": "Widget"},
            "scope": "Namespaced",
            "versions": [
                {"name": name, "served": True, "storage": name == versions[0], "schema": schema}
                for name in versions
            ],
        },
    }


async def registered(app: Application, group: str) -> list[str]:
    found = (await calling.call(app, "GET", SERVICES)).json["items"]
    return [each["metadata"]["name"] for each in found if each["spec"].get("group") == group]


def test_built_in_groups_are_registered_as_local() -> None:
    async def story() -> None:
        async with serving() as app:
            found = (await calling.call(app, "GET", f"{SERVICES}/v1.apps")).json
            assert found["spec"] == {
                "group": "apps",
                "version": "v1",
                "groupPriorityMinimum": 17800,
                "versionPriority": 15,
            }
            assert found["metadata"]["labels"] == {MANAGED: "onstart"}
            (condition,) = found["status"]["conditions"]
            assert (condition["status"], condition["reason"]) == ("True", "Local")
            assert membership.is_own(found)
            core = (await calling.call(app, "GET", f"{SERVICES}/v1.")).json["spec"]
            assert core == {"version": "v1", "groupPriorityMinimum": 18000, "versionPriority": 1}
            groups = (await calling.call(app, "GET", "/apis")).json["groups"]
            for group in groups:
                if group["name"] not in ("apiregistration.k8s.io", "metrics.k8s.io"):
                    versions = {each["version"] for each in group["versions"]}
                    names = {f"{each}.{group['name']}" for each in versions}
                    assert set(await registered(app, group["name"])) == names

    asyncio.run(story())


def test_those_of_definitions_come_and_go_with_them() -> None:
    async def story() -> None:
        async with serving() as app:
            await calling.call(app, "POST", DEFINITIONS, definition("v1"))
            assert await registered(app, "shop.example.com") == ["v1.shop.example.com"]
            found = (await calling.call(app, "GET", f"{SERVICES}/v1.shop.example.com")).json
            assert found["metadata"]["labels"] == {MANAGED: "true"}
            assert found["spec"]["groupPriorityMinimum"] == 1000
            path = f"{DEFINITIONS}/{WIDGETS}"
            present = (await calling.call(app, "GET", path)).json
            versions = definition("v1", "v2")["spec"]["versions"]
            changed = {**present, "spec": {**present["spec"], "versions": versions}}
            assert (await calling.call(app, "PUT", path, changed)).status == 200
            both = ["v1.shop.example.com", "v2.shop.example.com"]
            assert await registered(app, "shop.example.com") == both
            await calling.call(app, "DELETE", f"{SERVICES}/v1.shop.example.com")
            app.live.stage.run("1s")
            assert await registered(app, "shop.example.com") == both
            await calling.call(app, "DELETE", path)
            app.live.stage.run("1s")
            assert await registered(app, "shop.example.com") == []

    asyncio.run(story())


def test_a_built_in_one_that_is_deleted_stays_away_until_the_next_start() -> None:
    async def story() -> None:
        async with serving() as app:
            await calling.call(app, "DELETE", f"{SERVICES}/v1.apps")
            app.live.stage.run("1m")
            assert await registered(app, "apps") == []
            assert (await calling.call(app, "GET", "/apis/apps/v1/deployments")).status == 200
            installing.install(app.live.stage, SERVER)
            assert await registered(app, "apps") == ["v1.apps"]

    asyncio.run(story())


def test_a_scenario_has_none_and_they_come_back_when_it_has_ended() -> None:
    async def story() -> None:
        stage = Stage()
        stage.add_scheduler()
        stage.add_controllers()
        installing.install(stage, SERVER)
        before = set(stage.store.read(API_SERVICE))
        seen: list[int] = []
        async with served(stage=stage) as live:
            stage.store.subscribe(
                lambda _: seen.append(len(stage.store.read(API_SERVICE))), {("", "ConfigMap")}
            )
            marker = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "now"}}
            await live.call("POST", SCENARIOS, scenario(create(marker), done(1)))
            assert (await live.scenario())["phase"] == "Succeeded"
            await live.quiet()
            assert 0 in seen
            assert set(stage.store.read(API_SERVICE)) == before

    tell(story())


def test_a_simulation_has_none() -> None:
    stage = Stage()
    stage.add_controllers()
    stage.run("1m")
    assert not stage.store.read(API_SERVICE)
