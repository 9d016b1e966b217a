"""Virtual time on a stage that is being served."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest

from kubestage import Stage
from kubestage.errors import BadRequest, Conflict
from kubestage.server.pacing import Mode
from kubestage.testing import make_deployment, make_node, make_pod
from tests.deadlines import HANG_S
from tests.scenario.building import create, scenario
from tests.server.live_stage import NODES, PODS, SCENARIOS, Served, served

if TYPE_CHECKING:
    from collections.abc import Coroutine

SECOND_NS = 1_000_000_000
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def tell(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(story, HANG_S))


async def _idle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


def test_a_clock_that_jumps_goes_on_until_pods_are_up_and_then_stands_still() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1"))
            await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=3))
            await stage.quiet()
            web = await stage.call("GET", f"{DEPLOYMENTS}/web")
            assert web["status"]["availableReplicas"] == 3
            before = stage.pacer.state()
            assert 0 < before["nowNs"] < 60 * SECOND_NS
            await _idle()
            assert stage.pacer.state() == before
            await stage.call("DELETE", f"{DEPLOYMENTS}/web")
            await stage.quiet()
            assert not stage.stage.store.list(("v1", "Pod")).items
            assert stage.pacer.state()["nowNs"] > before["nowNs"]

    tell(story())


def test_a_clock_that_is_paused_stands_still_until_it_is_resumed() -> None:
    async def story() -> None:
        async with served(mode=Mode.PAUSED) as stage:
            await stage.call("POST", NODES, make_node("n1"))
            await stage.call("POST", PODS, make_pod("p"))
            await _idle()
            pod = await stage.call("GET", f"{PODS}/p")
            assert "nodeName" not in pod["spec"]
            assert not stage.pacer.is_quiet
            stage.pacer.resume()
            assert stage.pacer.mode is Mode.JUMP
            await stage.quiet()
            pod = await stage.call("GET", f"{PODS}/p")
            assert pod["status"]["phase"] == "Running"

    tell(story())


def test_a_clock_is_resumed_as_it_was() -> None:
    async def story() -> None:
        async with served() as stage:
            stage.pacer.set_mode(Mode.SPEED, 20)
            stage.pacer.pause()
            assert stage.pacer.state()["mode"] == "paused"
            stage.pacer.resume()
            assert (stage.pacer.mode, stage.pacer.speed) == (Mode.SPEED, 20)
            stage.pacer.set_mode(Mode.JUMP)
            assert stage.pacer.state()["mode"] == "jump"

    tell(story())


def test_a_clock_that_is_paused_can_be_advanced_to_the_nanosecond() -> None:
    async def story() -> None:
        async with served(mode=Mode.PAUSED) as stage:
            await stage.pacer.advance(90 * SECOND_NS)
            assert stage.pacer.state()["nowNs"] == 90 * SECOND_NS
            assert stage.pacer.state()["now"] == "2026-01-01T00:01:30Z"
            await asyncio.gather(stage.pacer.advance(5), stage.pacer.advance(7))
            assert stage.pacer.state()["nowNs"] == 90 * SECOND_NS + 12
            await stage.pacer.run_until(0)
            assert stage.pacer.state()["nowNs"] == 90 * SECOND_NS + 12
            assert stage.pacer.mode is Mode.PAUSED

    tell(story())


def test_pacing_chooses_when_to_step_and_never_what() -> None:
    def _load(stage: Stage) -> None:
        stage.load([make_node(f"n{i}") for i in range(3)])
        stage.apply([make_deployment("web", replicas=7), make_pod("big", cpu="99")])

    def _seen(stage: Stage) -> dict[Any, Any]:
        return {each.kind: each.objects for each in stage.store.collections()}

    plain = Stage()
    plain.add_scheduler()
    plain.add_controllers()
    plain.add_scenarios()
    _load(plain)
    plain.run("10m")

    async def story() -> None:
        async with served(mode=Mode.PAUSED) as stage:
            _load(stage.stage)
            for _ in range(10):
                await stage.pacer.advance(60 * SECOND_NS)
            assert _seen(stage.stage) == _seen(plain)
            assert stage.stage.store.resource_version == plain.store.resource_version

    tell(story())


def test_a_clock_at_a_speed_moves_on_before_each_request() -> None:
    async def story() -> None:
        async with served(mode=Mode.SPEED, speed=1000.0) as stage:
            times = []
            for name in ("a", "b", "c"):
                await asyncio.sleep(0.01)
                made = await stage.call("POST", NODES, make_node(name))
                times.append(made["metadata"]["creationTimestamp"])
            assert times == sorted(set(times))
            assert stage.pacer.state()["mode"] == "speed"

    tell(story())


def test_a_clock_at_a_speed_moves_on_even_if_nothing_is_to_happen() -> None:
    async def story() -> None:
        async with served(mode=Mode.SPEED, speed=1000.0) as stage:
            before_ns = -1
            for _ in range(3):
                await asyncio.sleep(0.005)
                await stage.call("GET", NODES)
                now_ns = stage.stage.clock.now_ns
                assert now_ns > before_ns
                before_ns = now_ns

    tell(story())


def test_a_clock_at_a_speed_brings_about_what_is_due_without_any_request() -> None:
    async def story() -> None:
        async with served(mode=Mode.SPEED, speed=500.0) as stage:
            await stage.call("POST", NODES, make_node("n1"))
            await stage.call("POST", PODS, make_pod("p"))
            while stage.stage.store.get(("v1", "Pod"), "p")["status"]["phase"] != "Running":
                await asyncio.sleep(0.001)

    tell(story())


def test_requests_are_served_while_much_is_to_be_done() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1", cpu="99", pods=300))
            await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=250))
            served_meanwhile = 0
            while not stage.pacer.is_quiet:
                await stage.call("GET", NODES)
                served_meanwhile += 1
                await asyncio.sleep(0)
            web = await stage.call("GET", f"{DEPLOYMENTS}/web")
            assert web["status"]["readyReplicas"] == 250
            assert served_meanwhile > 5

    tell(story())


def test_to_pause_the_clock_ends_an_advance_that_is_under_way() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1"))
            crash = make_pod("p", annotations={"kubestage.dev/run-duration": "1s"})
            await stage.call("POST", PODS, crash)
            years_ns = 10**9 * SECOND_NS
            advancing = asyncio.ensure_future(stage.pacer.advance(years_ns))
            await _idle()
            assert not stage.pacer.is_quiet
            stage.pacer.pause()
            await advancing
            assert 0 < stage.pacer.state()["nowNs"] < years_ns

    tell(story())


def test_time_is_a_scenarios_own_while_it_is_running() -> None:
    async def story() -> None:
        async with served() as stage:
            pods = [create(make_pod(f"p{i}", cpu="10m")) for i in range(100)]
            ends = make_pod("ends", annotations={"kubestage.dev/run-duration": "2m"})
            ends["spec"]["restartPolicy"] = "Never"
            pods.append(create(ends, 1))
            await stage.call("POST", SCENARIOS, scenario(create(make_node("n1")), *pods))
            await stage.scenario(phases=("Running",))
            with pytest.raises(Conflict, match=r'Scenario "it" is running, and until it ends'):
                await stage.pacer.advance(1)
            await stage.scenario(phases=("Paused",))
            before_ns = stage.pacer.state()["nowNs"]
            await _idle()
            assert stage.pacer.state()["nowNs"] == before_ns
            assert stage.stage.store.get(("v1", "Pod"), "ends")["status"]["phase"] == "Running"
            await stage.pacer.advance(SECOND_NS)
            assert stage.pacer.state()["nowNs"] == before_ns + SECOND_NS

    tell(story())


def test_an_error_of_the_stage_stops_the_clock_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def _break() -> None:
        raise ZeroDivisionError("a plugin of one's own")

    async def story() -> None:
        async with served() as stage:
            await stage.quiet()
            stage.stage.environment.timer("ControllerTurn", _break).set(SECOND_NS)
            advancing = stage.pacer.advance(5 * SECOND_NS)
            with caplog.at_level(logging.CRITICAL, "kubestage.server.pacing"):
                await advancing
            told = "time stands still after an error: ZeroDivisionError: a plugin of one's own"
            assert stage.pacer.state()["message"] == told
            assert stage.pacer.mode is Mode.PAUSED
            await stage.call("POST", NODES, make_node("n1"))
            with pytest.raises(Conflict, match="ZeroDivisionError"):
                await stage.pacer.advance(1)
            stage.pacer.resume()
            await stage.quiet()
            assert stage.pacer.state()["message"] == ""
            await stage.pacer.advance(SECOND_NS)

    tell(story())


@pytest.mark.parametrize(
    ("mode", "speed", "told"),
    [
        ("fast", None, 'no mode "fast": use one of paused, speed, jump'),
        ("speed", 0, "speed must be more than 0 and at most 1e+06: 0"),
        ("speed", float("nan"), "speed must be more than 0"),
        ("speed", 1e9, "speed must be more than 0"),
    ],
)
def test_what_makes_no_sense_for_a_clock_is_refused(mode: str, speed: float, told: str) -> None:
    async def story() -> None:
        stage = Served()
        with pytest.raises(BadRequest, match="^" + told.replace("+", r"\+")):
            stage.pacer.set_mode(mode, speed)
        with pytest.raises(BadRequest, match="time does not pass backwards"):
            await stage.pacer.advance(-1)
        assert stage.pacer.mode is Mode.JUMP
        await stage.pacer.close()

    tell(story())


def test_an_error_of_the_stage_is_not_one_of_the_request_that_came_upon_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def _break() -> None:
        raise ZeroDivisionError("a plugin of one's own")

    async def story() -> None:
        async with served(mode=Mode.SPEED, speed=1e6) as stage:
            stage.stage.environment.timer("ControllerTurn", _break).set(SECOND_NS)
            with caplog.at_level(logging.CRITICAL, "kubestage.server.pacing"):
                while not stage.pacer.failure:
                    # Asked before the clock itself has a turn.
                    stage.pacer.catch_up()
            assert "ZeroDivisionError" in stage.pacer.state()["message"]
            assert stage.pacer.mode is Mode.PAUSED
            await stage.call("GET", NODES)
            stage.pacer.resume()
            assert (stage.pacer.mode, stage.pacer.state()["message"]) == (Mode.SPEED, "")
            before = stage.stage.clock.now_ns
            await stage.pacer.advance(SECOND_NS)
            assert stage.stage.clock.now_ns >= before + SECOND_NS

    tell(story())
