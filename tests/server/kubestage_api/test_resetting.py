"""Emptying a cluster that is being served."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kubestage.server.app import Application
from kubestage.server.journal.opening import open_directory
from kubestage.server.kubestage_api import resetting
from kubestage.server.live import Live
from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario.building import create, scenario
from tests.server import calling
from tests.server.kubestage_api.asking import DEPLOYMENTS, ROOT, names, refused, served, told
from tests.server.live_stage import NODES, PODS, SCENARIOS
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    import pathlib


def test_nothing_is_left_but_what_every_cluster_has_and_versions_go_on() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1"))
            await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=3))
            await stage.quiet()
            before, now = stage.live.store.revision, stage.stage.clock.now_ns
            found = await told(stage, "POST", "/reset", {})
            assert found["removed"] >= 6
            assert int(found["resourceVersion"]) >= before + found["removed"]
            await stage.quiet()
            assert names(stage) == {}
            assert stage.stage.clock.now_ns >= now
            spaces = await stage.call("GET", "/api/v1/namespaces")
            assert len(spaces["items"]) == 4
            classes = await stage.call("GET", "/apis/scheduling.k8s.io/v1/priorityclasses")
            assert len(classes["items"]) == 2

    tell(story())


def test_a_cluster_that_was_emptied_works_as_a_new_one() -> None:
    async def story() -> None:
        async with served() as stage:
            for _ in range(2):
                await stage.call("POST", NODES, make_node("n1"))
                await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=2))
                await stage.quiet()
                web = await stage.call("GET", f"{DEPLOYMENTS}/web")
                assert web["status"]["readyReplicas"] == 2
                await told(stage, "POST", "/reset")

    tell(story())


def test_open_watches_are_told_of_every_end() -> None:
    async def story() -> None:
        async with served() as stage:
            for name in ("a", "b"):
                await stage.call("POST", PODS, make_pod(name))
            await stage.quiet()
            version = (await stage.call("GET", PODS))["metadata"]["resourceVersion"]
            watch = await calling.watch(stage.app, PODS, resourceVersion=version)
            await told(stage, "POST", "/reset")
            ends = [await watch.next() for _ in range(2)]
            assert [each["type"] for each in ends] == ["DELETED", "DELETED"]
            assert {each["object"]["metadata"]["name"] for each in ends} == {"a", "b"}
            await watch.leave()

    tell(story())


def test_a_scenario_that_is_running_ends_and_is_gone_too() -> None:
    async def story() -> None:
        async with served() as stage:
            events = [create(make_node("n1")), *(create(make_pod(f"p{i}")) for i in range(300))]
            await stage.call("POST", SCENARIOS, scenario(*events))
            while not stage.pacer.state()["scenario"]:
                await asyncio.sleep(0)
            watch = await calling.watch(stage.app, SCENARIOS)
            await told(stage, "POST", "/reset")
            await stage.quiet()
            assert names(stage) == {}
            while (event := await watch.next())["type"] != "DELETED":
                pass
            status = event["object"]["status"]
            assert (status["phase"], status["message"]) == (
                "Failed",
                resetting.FAILED.format("running"),
            )
            await watch.leave()
            assert not stage.live.fanout.is_held
            assert stage.pacer.state()["scenario"] is None

    tell(story())


def test_two_do_not_change_the_whole_cluster_at_the_same_time() -> None:
    async def story() -> None:
        async with served() as stage:
            async with resetting.standstill(stage.live, "emptied"):
                assert stage.pacer.mode.value == "paused"
                assert "being emptied" in await refused(stage, 409, "POST", "/reset")
                assert "being emptied" in await refused(stage, 409, "POST", "/clock/resume")
                await told(stage, "GET", "/clock")
            assert stage.pacer.mode.value == "jump"
            await told(stage, "POST", "/reset")

    tell(story())


def test_what_was_emptied_stays_empty_after_a_restart(tmp_path: pathlib.Path) -> None:
    async def story() -> int:
        stage, journal = open_directory(tmp_path).stage()
        live = Live(stage)
        app = Application(live)
        journal.start(live)
        await calling.call(app, "POST", NODES, make_node("n1"))
        answer = await calling.call(app, "POST", f"{ROOT}/reset", {})
        assert answer.json["removed"] == 1
        journal.close()
        return int(answer.json["resourceVersion"])

    version = asyncio.run(story())
    stage, journal = open_directory(tmp_path).stage()
    try:
        assert not stage.store.read(("v1", "Node"))
        assert len(stage.store.read(("v1", "Namespace"))) == 4
        assert stage.store.revision >= version
    finally:
        journal.close()
