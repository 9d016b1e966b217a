"""Scenarios that are created through the API run while clients are served."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.server.pacing import Mode
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import create, done, scenario
from tests.server import calling
from tests.server.live_stage import NODES, PODS, SCENARIOS, Served, served
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    from kubestage.aliases import Json

TABLE = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
MERGE = {"content-type": "application/merge-patch+json"}


def _many(count: int = 200, step: int = 0) -> list[Json]:
    """Events that take many pieces."""
    return [create(make_pod(f"p{step}-{i}", cpu="10m"), step) for i in range(count)]


async def _add(stage: Served, *events: Json, name: str = "it") -> None:
    known = (await stage.call("GET", f"{SCENARIOS}/{name}"))["spec"]["events"]
    change = {"spec": {"events": [*known, *events]}}
    await stage.call("PATCH", f"{SCENARIOS}/{name}", change, headers=MERGE)


def test_a_scenario_runs_once_it_is_created_and_as_it_would_without_a_server() -> None:
    events = [create(make_node("n1")), *_many(20), create(make_pod("big", cpu="99"), 1), done(2)]
    plain = building.run(*events, alive=True)

    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(*events))
            status = await stage.scenario()
            assert status["phase"] == "Succeeded"
            assert building.summary(stage.stage) == building.summary(plain)
            assert building.placements(stage.stage) == building.placements(plain)
            assert stage.pacer.state()["scenario"] is None

    tell(story())


def test_a_watch_of_scenarios_tells_the_story() -> None:
    async def story() -> None:
        async with served() as stage:
            watch = await calling.watch(stage.app, SCENARIOS, TABLE)
            events = [
                create(make_node("n1")),
                create(make_pod("p")),
                create(make_pod("q", cpu="99"), 1),
            ]
            await stage.call("POST", SCENARIOS, scenario(*events, done(2)))
            rows: list[list[Any]] = []
            while not rows or rows[-1][1] != "Succeeded":
                event = await watch.next()
                row = event["object"]["rows"][0]["cells"][:6]
                rows += [] if rows and rows[-1] == row else [row]
            await watch.leave()
            assert rows == [
                ["it", None, None, None, None, None],
                ["it", "Pending", None, None, None, None],
                ["it", "Running", None, None, None, None],
                ["it", "Running", 0, 0, 0, 0],
                ["it", "Running", 0, 0, 1, 0],
                ["it", "Running", 0, 1, 0, 0],
                ["it", "Running", 1, 1, 0, 0],
                ["it", "Running", 1, 1, 1, 0],
                ["it", "Running", 2, 1, 1, 0],
                ["it", "Succeeded", 2, 1, 1, 0],
            ]

    tell(story())


def test_what_a_client_changes_meanwhile_fails_the_scenario_and_the_next_one_runs() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), *_many()))
            await stage.call("POST", SCENARIOS, scenario(done(), name="next"))
            await stage.scenario(phases=("Running",))
            await stage.call("POST", NODES, make_node("foreign"))
            assert building.message(stage.stage) == (
                "Node foreign was created by somebody else while the Scenario was running"
            )
            assert building.phase(stage.stage) == "Failed"
            assert (await stage.scenario("next"))["phase"] == "Succeeded"
            assert not stage.live.fanout.is_held
            assert not stage.stage.store.list(building.POD).items

    tell(story())


def test_a_paused_scenario_goes_on_when_events_are_added() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1"))))
            await stage.scenario(phases=("Paused",))
            assert stage.pacer.state()["scenario"] == "it"
            await _add(stage, create(make_pod("p"), 1), done(2))
            assert (await stage.scenario(phases=("Succeeded", "Failed")))["phase"] == "Succeeded"
            assert building.node_of(stage.stage, "p") == "n1"

    tell(story())


def test_events_may_be_added_while_a_step_is_under_way() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), *_many()))
            await stage.scenario(phases=("Running",))
            await _add(stage, create(make_node("n2"), 1), done(2))
            assert building.phase(stage.stage) == "Running"
            assert (await stage.scenario())["phase"] == "Succeeded"
            assert sorted(stage.stage.store.read(building.NODE)) == ["n1", "n2"]

    tell(story())


def test_a_scenario_that_is_deleted_meanwhile_makes_way() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), *_many()))
            await stage.scenario(phases=("Running",))
            await stage.call("DELETE", f"{SCENARIOS}/it")
            await stage.call("POST", SCENARIOS, scenario(done(), name="next"))
            assert (await stage.scenario("next"))["phase"] == "Succeeded"

    tell(story())


def test_no_watch_sees_a_step_that_is_half_done() -> None:
    async def story() -> None:
        async with served() as stage:
            watch = await calling.watch(stage.app, PODS)
            events = [create(make_node("n1")), *_many(150)]
            await stage.call("POST", SCENARIOS, scenario(*events, *_many(150, 1)))
            controller = stage.stage.scenarios
            assert controller is not None
            first = await watch.next()
            assert first["type"] == "ADDED"
            assert len(stage.stage.store.read(building.POD)) in (150, 300)
            seen = 1
            while seen < 300:
                assert not controller.is_preparing or watch.waiting()
                event = await watch.next()
                seen += event["type"] == "ADDED"
            await watch.leave()
            await stage.scenario(phases=("Paused",))
            assert not stage.live.fanout.is_held

    tell(story())


def test_watches_are_held_back_exactly_while_a_step_is_prepared() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), *_many(300)))
            controller, fanout = stage.stage.scenarios, stage.live.fanout
            assert controller is not None
            held = set()
            while building.phase(stage.stage) != "Paused":
                assert fanout.is_held == controller.is_preparing
                held.add(fanout.is_held)
                await asyncio.sleep(0)
            assert held == {False, True}

    tell(story())


def test_a_clock_that_is_paused_stops_a_scenario_until_it_is_resumed() -> None:
    async def story() -> None:
        async with served() as stage:
            stage.pacer.pause()
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), done()))
            await asyncio.sleep(0.01)
            assert building.status(stage.stage) == {}
            stage.pacer.resume()
            assert (await stage.scenario())["phase"] == "Succeeded"

    tell(story())


def test_a_clock_that_is_paused_in_the_middle_of_a_step_lets_it_be_prepared() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), *_many(300)))
            pods = stage.stage.store.read(building.POD)
            while len(pods) < 10:
                await asyncio.sleep(0)
            stage.pacer.pause()
            while stage.live.fanout.is_held:
                await asyncio.sleep(0)
            assert len(pods) == 300
            before = building.status(stage.stage)
            await asyncio.sleep(0.01)
            assert building.status(stage.stage) == before
            assert before["stepStatus"]["phase"] == "Scheduling"
            stage.pacer.resume()
            assert (await stage.scenario())["phase"] == "Paused"

    tell(story())


@pytest.mark.parametrize("speed", [1000.0, 1_000_000.0])
def test_a_scenario_keeps_to_a_clock_that_runs_at_a_speed(speed: float) -> None:
    async def story() -> None:
        async with served(mode=Mode.SPEED, speed=speed) as stage:
            body = scenario(create(make_node("n1")), done(1), step_duration="10s")
            await stage.call("POST", SCENARIOS, body)
            assert (await stage.scenario(phases=("Succeeded", "Failed")))["phase"] == "Succeeded"

    tell(story())


def test_another_scheduler_configuration_fails_a_scenario_in_the_middle_of_a_step() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), *_many()))
            await stage.scenario(phases=("Running",))
            stage.stage.configure_scheduler()
            assert building.phase(stage.stage) == "Failed"
            stage.pacer.wake()
            await stage.call("POST", SCENARIOS, scenario(done(), name="next"))
            assert (await stage.scenario("next"))["phase"] == "Succeeded"
            assert not stage.live.fanout.is_held

    tell(story())


def test_a_server_that_ends_breaks_off_what_is_under_way() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), *_many()))
            await stage.scenario(phases=("Running",))
            while "stepStatus" not in building.status(stage.stage):
                await asyncio.sleep(0)
        assert building.phase(stage.stage) == "Failed"
        assert building.message(stage.stage) == (
            "step 0 was broken off by an error or an interruption"
        )

    tell(story())


def test_nobody_else_says_how_far_a_scenario_is() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), name="first"))
            before = await stage.scenario("first")
            told = {"status": {"phase": "Succeeded"}}
            await stage.call("PATCH", f"{SCENARIOS}/first/status", told, headers=MERGE)
            changed = {
                "phase": "Failed",
                "message": "the status of the Scenario was changed by somebody else",
            }
            assert await stage.scenario("first") == {**before, **changed}
            await stage.call("POST", SCENARIOS, scenario(done(), name="next"))
            assert (await stage.scenario("next"))["phase"] == "Succeeded"

    tell(story())
