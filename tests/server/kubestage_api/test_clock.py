"""The clock over our own API."""

from __future__ import annotations

import asyncio

from kubestage.server.app import Application
from kubestage.server.live import Live
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from tests.scenario.building import create, scenario
from tests.server import calling
from tests.server.kubestage_api.asking import ROOT, ask, refused, served, told
from tests.server.live_stage import NODES, PODS, SCENARIOS
from tests.server.test_pacing import tell


def test_pausing_and_resuming_goes_back_to_the_mode_before() -> None:
    async def story() -> None:
        async with served() as stage:
            assert (await told(stage, "PUT", "/clock", {"speed": 10}))["mode"] == "speed"
            assert (await told(stage, "POST", "/clock/pause"))["mode"] == "paused"
            found = await told(stage, "POST", "/clock/resume", {})
            assert (found["mode"], found["speed"]) == ("speed", 10)
            assert (await told(stage, "PUT", "/clock", {"mode": "still"}))["mode"] == "paused"
            assert (await told(stage, "GET", "/clock"))["mode"] == "paused"

    tell(story())


def test_to_advance_answers_when_that_time_has_come() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1"))
            await told(stage, "POST", "/clock/pause")
            before = (await told(stage, "GET", "/clock"))["nowNs"]
            found = await told(stage, "POST", "/clock/advance", {"duration": "10m"})
            assert found["nowNs"] - before == 600 * 10**9
            until = {"until": "2026-01-01T01:00:00Z"}
            found = await told(stage, "POST", "/clock/advance", until)
            assert found["now"] == "2026-01-01T01:00:00Z"

    tell(story())


def test_who_does_not_wait_is_answered_before_that_time_has_come() -> None:
    async def story() -> None:
        async with served() as stage:
            # A pod that fits nowhere is tried again and again.
            await stage.call("POST", PODS, make_pod("big", cpu="99"))
            asked = {"duration": "30000h"}
            answer = await ask(stage, "POST", "/clock/advance", asked, wait="false")
            assert answer.status == 202
            assert not answer.json["isQuiet"]
            # Others are served meanwhile, and may end it.
            await stage.call("GET", NODES)
            await told(stage, "POST", "/clock/pause")
            now = (await told(stage, "GET", "/clock"))["nowNs"]
            await asyncio.sleep(0.01)
            assert (await told(stage, "GET", "/clock"))["nowNs"] == now < 30_000 * 3600 * 10**9

    tell(story())


def test_what_makes_no_sense_is_refused() -> None:
    async def story() -> None:
        async with served() as stage:
            path = "/clock/advance"
            assert "give one of" in await refused(stage, 400, "POST", path, {})
            said = await refused(stage, 400, "POST", path, {"duration": "10x"})
            assert said.startswith("duration: ")
            assert said.endswith("write it as 90s, 10m or 1h30m")
            past = {"until": "2020-01-01T00:00:00Z"}
            assert "backwards" in await refused(stage, 400, "POST", path, past)
            assert "backwards" in await refused(stage, 400, "POST", path, {"duration": "-1s"})
            short = {"duration": "1s"}
            assert "at most 50s" in await refused(stage, 400, "POST", path, short, timeout="2m")
            assert "the request sets nothing" in await refused(stage, 400, "PUT", "/clock", {})
            both = {"mode": "jump", "speed": 3}
            assert "leave one of them out" in await refused(stage, 400, "PUT", "/clock", both)
            assert "speed:" in await refused(stage, 400, "PUT", "/clock", {"speed": -1})

    tell(story())


def test_while_a_scenario_is_running_time_is_its_own() -> None:
    async def story() -> None:
        async with served() as stage:
            await told(stage, "POST", "/clock/pause")
            pods = (create(make_pod(f"p{i}")) for i in range(300))
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), *pods))
            await told(stage, "POST", "/clock/resume")
            while not stage.pacer.state()["scenario"]:
                await asyncio.sleep(0)
            said = await refused(stage, 409, "POST", "/clock/advance", {"duration": "1s"})
            assert "time is its own" in said

    tell(story())


def test_a_server_without_a_clock_says_so() -> None:
    async def story() -> None:
        app = Application(Live(Stage()))
        answer = await calling.call(app, "GET", f"{ROOT}/clock")
        assert answer.status == 409

    tell(story())
