"""A clock that jumps, and the clock on the wall."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from kubestage import Stage
from kubestage.server import wall_clock
from kubestage.server.pacing import Mode
from kubestage.server.wall_clock import LAG_NS, WallClock, WatchingClients
from kubestage.sim.clock import Clock
from kubestage.testing import (
    make_deployment,
    make_horizontal_pod_autoscaler,
    make_node,
    make_pod,
)
from kubestage.units import SECOND_NS
from tests.controllers.worlds.manifests import cron_job
from tests.deadlines import HANG_S
from tests.server import live_stage
from tests.server.live_stage import NODES, PODS, Served

if TYPE_CHECKING:
    from collections.abc import Coroutine

    import pytest

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
HPAS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs"
WATCHER = ("", "Pod", "kubectl")


def tell(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(story, HANG_S))


class Wall:
    """A clock on the wall that stands still until a test moves it."""

    def __init__(self, stage: Stage) -> None:
        self.now_ns = stage.clock.unix_ns + LAG_NS
        self.clock = WallClock(stage.clock, self.read)

    def read(self) -> int:
        return self.now_ns

    def pass_by(self, seconds: float) -> None:
        self.now_ns += round(seconds * SECOND_NS)


def _beside(**more: Any) -> tuple[Wall, Served]:
    stage = Stage()
    wall = Wall(stage)
    return wall, Served(stage=stage, wall=wall.clock, **more)


async def _keeps_up(wall: Wall, stage: Served) -> None:
    """Until the clock is where the wall is; each request works a moment towards that."""
    while stage.stage.clock.unix_ns != wall.now_ns:
        await stage.call("GET", NODES)


async def _idle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


def test_virtual_time_is_not_behind_when_a_request_comes() -> None:
    async def story() -> None:
        wall, stage = _beside()
        stage.pacer.start()
        await stage.quiet()
        before_ns = stage.stage.clock.now_ns
        wall.pass_by(3600)
        await _idle()
        # Nobody is there: nothing passes.
        assert stage.stage.clock.now_ns == before_ns
        made = await stage.call("POST", NODES, make_node("n1"))
        assert made["metadata"]["creationTimestamp"] == "2026-01-01T01:00:00Z"
        assert stage.pacer.state()["aheadOfWallSeconds"] >= -LAG_NS / SECOND_NS
        await stage.pacer.close()

    tell(story())


def test_what_was_due_meanwhile_has_happened() -> None:
    async def story() -> None:
        wall, stage = _beside()
        stage.pacer.start()
        await stage.call("POST", NODES, make_node("n1"))
        await stage.call("POST", CRON_JOBS, cron_job("nightly", "*/10 * * * *"))
        await stage.quiet()
        wall.pass_by(3060)
        while not stage.pacer.is_quiet or stage.stage.clock.now_ns < 3060 * SECOND_NS:
            await stage.call("GET", NODES)
            await asyncio.sleep(0.001)
        found = await stage.call("GET", f"{CRON_JOBS}/nightly")
        assert found["status"]["lastScheduleTime"] == "2026-01-01T00:50:00Z"
        await stage.pacer.close()

    tell(story())


def test_a_clock_that_jumped_ahead_waits_for_the_wall() -> None:
    async def story() -> None:
        wall, stage = _beside()
        stage.pacer.start()
        await stage.call("POST", NODES, make_node("n1"))
        await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=3))
        await stage.quiet()
        ahead_ns = stage.stage.clock.now_ns
        assert SECOND_NS < ahead_ns < LAG_NS
        # What a pod takes to come up does not lie in the future for kubectl.
        assert stage.pacer.state()["aheadOfWallSeconds"] < 0
        wall.pass_by(0.5)
        await stage.call("GET", NODES)
        assert stage.stage.clock.now_ns == ahead_ns
        wall.pass_by(60)
        await stage.call("GET", NODES)
        assert stage.stage.clock.now_ns == round(60.5 * SECOND_NS)
        await stage.pacer.close()

    tell(story())


def test_a_clock_ahead_of_the_wall_goes_on_half_as_fast_for_clients_that_poll() -> None:
    async def story() -> None:
        wall, stage = _beside()
        stage.pacer.start()
        await stage.call("GET", NODES)
        await stage.pacer.advance(3600 * SECOND_NS)
        ahead_ns = stage.stage.clock.now_ns
        for _ in range(4):
            wall.pass_by(2)
            await stage.call("GET", NODES)
        assert stage.stage.clock.now_ns == ahead_ns + 4 * SECOND_NS
        # Nobody asked for a long time: no more than a moment passed.
        wall.pass_by(600)
        await stage.call("GET", NODES)
        assert stage.stage.clock.now_ns == ahead_ns + 9 * SECOND_NS
        await stage.pacer.close()

    tell(story())


def test_virtual_time_never_goes_back_with_the_wall() -> None:
    async def story() -> None:
        wall, stage = _beside()
        stage.pacer.start()
        await stage.call("POST", NODES, make_node("n1"))
        wall.pass_by(100)
        await stage.call("GET", NODES)
        before_ns = stage.stage.clock.now_ns
        wall.pass_by(-50)
        await stage.call("POST", NODES, make_node("n2"))
        await stage.quiet()
        assert stage.stage.clock.now_ns >= before_ns
        await stage.pacer.close()

    tell(story())


def test_time_passes_while_somebody_watches() -> None:
    async def story() -> None:
        wall, stage = _beside()
        stage.pacer.start()
        await stage.quiet()
        assert not stage.pacer.state()["isPassing"]
        stage.live.fanout.enter(WATCHER)
        assert stage.pacer.state()["isPassing"]
        wall.pass_by(500)
        while stage.stage.clock.now_ns < 500 * SECOND_NS:
            await asyncio.sleep(0.001)
        stage.live.fanout.leave(WATCHER)
        await _idle()
        before_ns = stage.stage.clock.now_ns
        wall.pass_by(500)
        await _idle()
        assert stage.stage.clock.now_ns == before_ns
        await stage.pacer.close()

    tell(story())


def test_a_clock_that_is_ahead_passes_half_as_fast_for_those_who_watch() -> None:
    now_ns = 100 * SECOND_NS
    clock = Clock(now_ns=now_ns)
    wall = WallClock(clock, lambda: clock.epoch_ns + now_ns)
    assert wall.speed() == 0.5
    clock.now_ns = now_ns - LAG_NS
    assert wall.speed() == 1.0
    assert wall.ahead_ns() == -LAG_NS


def test_without_a_wall_time_goes_on_for_those_who_watch_what_has_no_end() -> None:
    """A stage that begins at a moment of its own stays reproducible, unless it has such work."""

    async def story() -> None:
        stage = Served()
        stage.pacer.start()
        stage.live.fanout.enter(WATCHER)
        await stage.call("POST", NODES, make_node("n1"))
        await stage.call("POST", DEPLOYMENTS, make_deployment("web", cpu="100m"))
        await stage.quiet()
        before = stage.pacer.state()
        await _idle()
        assert stage.pacer.state() == before
        assert not before["isPassing"]
        assert before["aheadOfWallSeconds"] is None
        await stage.call("POST", HPAS, make_horizontal_pod_autoscaler("web"))
        await stage.quiet()
        assert stage.pacer.state()["isPassing"]
        now_ns = stage.stage.clock.now_ns
        while stage.stage.clock.now_ns == now_ns:
            await asyncio.sleep(0.001)
        await stage.pacer.close()

    tell(story())


def test_the_clock_says_what_waits_for_somebody_to_watch() -> None:
    async def story() -> None:
        stage = Served()
        stage.pacer.start()
        await stage.call("POST", CRON_JOBS, cron_job("nightly"))
        await stage.quiet()
        assert "while a client watches" in stage.pacer.state()["message"]
        stage.live.fanout.enter(WATCHER)
        assert stage.pacer.state()["message"] == ""
        await stage.pacer.close()

    tell(story())


def test_a_log_that_is_followed_counts_as_watched() -> None:
    async def story() -> None:
        _, stage = _beside()
        stage.pacer.start()
        await stage.call("POST", NODES, make_node("n1"))
        await stage.call("POST", PODS, make_pod("p"))
        await stage.quiet()
        async with live_stage.listening(stage) as address:
            host, _, port = address.removeprefix("http://").partition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(f"GET {PODS}/p/log?follow=true HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await reader.readuntil(b"Ready")
            assert stage.pacer.state()["isPassing"]
            writer.close()
            await writer.wait_closed()
            while stage.pacer.state()["isPassing"]:
                await asyncio.sleep(0.001)
        await stage.pacer.close()

    tell(story())


def test_a_clock_that_is_paused_does_not_follow_anybody() -> None:
    async def story() -> None:
        wall, stage = _beside(mode=Mode.PAUSED)
        stage.pacer.start()
        stage.live.fanout.enter(WATCHER)
        wall.pass_by(100)
        await stage.call("GET", NODES)
        await _idle()
        assert stage.stage.clock.now_ns == 0
        assert not stage.pacer.state()["isPassing"]
        await stage.pacer.close()

    tell(story())


def test_what_takes_too_long_to_make_good_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wall_clock, "_PATIENCE_S", 0.0)

    async def story() -> None:
        wall, stage = _beside()
        stage.pacer.start()
        await stage.call("POST", NODES, make_node("n1"))
        await stage.call("POST", CRON_JOBS, cron_job("often", "* * * * *"))
        await stage.quiet()
        wall.pass_by(86_400)
        await stage.call("GET", NODES)
        await stage.quiet()
        now_ns = stage.stage.clock.now_ns
        assert now_ns < 80_000 * SECOND_NS
        # From here on it keeps up again, so far behind.
        wall.pass_by(40)
        await stage.call("GET", NODES)
        assert now_ns < stage.stage.clock.now_ns < now_ns + 80 * SECOND_NS
        await stage.pacer.close()

    tell(story())


def test_real_time_is_the_time_of_the_wall() -> None:
    async def story() -> None:
        wall, stage = _beside(mode=Mode.SPEED)
        # So long the server took to start.
        wall.pass_by(9)
        stage.pacer.start()
        await _keeps_up(wall, stage)
        made = await stage.call("POST", NODES, make_node("n1"))
        assert made["metadata"]["creationTimestamp"] == "2026-01-01T00:00:24Z"
        wall.pass_by(0.5)
        await _keeps_up(wall, stage)
        await stage.pacer.close()

    tell(story())


def test_real_time_that_is_ahead_of_the_wall_passes_half_as_fast() -> None:
    stage = Stage()
    wall = Wall(stage)
    wall.pass_by(-20)
    assert wall.clock.speed(lag_ns=0) == 0.5
    wall.pass_by(6)
    assert wall.clock.speed(lag_ns=0) == 1.0


def test_an_audience_is_whoever_has_a_watch_open() -> None:
    async def story() -> None:
        stage = Served()
        audience = WatchingClients(stage.stage, stage.live.fanout, WallClock(stage.stage.clock))
        was_there = audience.is_there
        stage.live.fanout.enter(WATCHER)
        assert (was_there, audience.is_there) == (False, True)
        await stage.pacer.close()

    tell(story())
