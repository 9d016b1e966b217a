"""A real scheduler in Python, over HTTP, unchanged: Scenarios, and a cluster that just lives."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubestage.server.external_scheduler import WAITING, ExternalSchedulerSettings
from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import create, delete, done, important, scenario
from tests.server.live_stage import NODES, PODS, SCENARIOS, Served, listening, served
from tests.server.python_scheduler import PythonScheduler
from tests.server.test_pacing import DEPLOYMENTS, SECOND_NS, tell

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.aliases import Json


# Slow enough for a machine that is busy with other things.
QUICK = ExternalSchedulerSettings(grace_s=1.0, patience_s=20.0)
REPOSITORY = Path(__file__).parents[2]


@contextlib.asynccontextmanager
async def scheduling(url: str) -> AsyncIterator[PythonScheduler]:
    """The scheduler at work in a thread."""
    scheduler = PythonScheduler(url)
    thread = threading.Thread(target=scheduler.run)
    thread.start()
    try:
        yield scheduler
    finally:
        scheduler.stop()
        await asyncio.to_thread(thread.join)


@contextlib.asynccontextmanager
async def cluster(**more: Any) -> AsyncIterator[tuple[Served, PythonScheduler]]:
    """A stage without a scheduler of its own, and one outside."""
    options = {"external": QUICK, **more}
    async with (
        served(scheduler=False, **options) as stage,
        listening(stage) as url,
        scheduling(url) as scheduler,
    ):
        yield stage, scheduler


def _drama() -> list[Json]:
    """One node: a pod that fits, one that never does, one that has another go, one that is left."""
    return [
        create(make_node("n1", cpu="2")),
        building.importance(),
        create(make_pod("p", cpu="1500m")),
        create(make_pod("big", cpu="99"), 1),
        create(important("boss", cpu="1"), 2),
        delete(building.POD, "boss", 3),
        create(make_pod("late", cpu="1500m"), 3),
        done(4),
    ]


def test_a_scenario_comes_to_the_same_as_with_the_stages_own_scheduler() -> None:
    own = building.run(*_drama(), alive=True)

    async def story() -> None:
        async with cluster() as (stage, scheduler):
            await stage.call("POST", SCENARIOS, scenario(*_drama()))
            status = await stage.scenario()
            assert status["phase"] == "Succeeded"
            assert status["pods"] == {"scheduled": 3, "pending": 1, "preempted": 1}
            assert sorted(building.summary(stage.stage)) == sorted(building.summary(own))
            assert building.placements(stage.stage) == building.placements(own)
            assert ("preempted", "p") in scheduler.log
            (victim,) = building.results(stage.stage, "PodPreempted").values()
            assert victim["preemptedBy"] == "default/boss"
            assert (victim["boundAt"], victim["preemptedAt"]) == (0, 2)
            scheduled = building.results(stage.stage, "PodScheduled")
            assert {name: each["boundAt"] for name, each in scheduled.items()} == {
                "p": 0, "boss": 2, "late": 3,
            }  # fmt: skip
            # What its plugins found only a scheduler of the stage can tell.
            assert all(each["scheduleResult"] == [] for each in scheduled.values())

    tell(story())
    assert building.placements(own) == {"big": None, "late": "n1"}


def test_a_step_waits_for_a_scheduler_and_goes_on_when_one_appears() -> None:
    async def story() -> None:
        async with served(scheduler=False, external=QUICK) as stage, listening(stage) as url:
            events = [create(make_node("n1")), create(make_pod("p")), done()]
            await stage.call("POST", SCENARIOS, scenario(*events))
            while building.message(stage.stage) != WAITING:
                await asyncio.sleep(0.001)
            assert building.phase(stage.stage) == "Running"
            assert stage.pacer.state()["message"] == WAITING
            async with scheduling(url):
                status = await stage.scenario()
            assert status["phase"] == "Succeeded"
            assert "message" not in status
            assert building.placements(stage.stage) == {"p": "n1"}

    tell(story())


def test_a_scheduler_in_another_process_schedules_a_deployment_as_a_scenario_grows_it() -> None:
    async def story() -> None:
        async with served(scheduler=False, external=QUICK) as stage, listening(stage) as url:
            command = [sys.executable, "-m", "tests.server.python_scheduler", url]
            other = subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.DEVNULL)
            try:
                more = building.patch(building.DEPLOYMENT, "web", {"spec": {"replicas": 6}}, 1)
                events = [
                    *(create(make_node(f"n{i}", cpu="2")) for i in range(3)),
                    create(make_deployment("web", replicas=2, cpu="1")),
                    more,
                    done(2),
                ]
                await stage.call("POST", SCENARIOS, scenario(*events))
                status = await stage.scenario()
            finally:
                other.kill()
                other.wait()
            assert status["phase"] == "Succeeded"
            assert status["pods"]["scheduled"] == 6
            nodes = list(building.placements(stage.stage).values())
            assert {name: nodes.count(name) for name in set(nodes)} == {"n0": 2, "n1": 2, "n2": 2}

    tell(story())


def test_time_waits_for_a_scheduler_where_it_is_in_the_steps() -> None:
    async def story() -> None:
        async with cluster() as (stage, _):
            ends = {"kubestage.dev/run-duration": "20s"}
            first = make_pod("first", cpu="2", annotations=ends)
            first["spec"]["restartPolicy"] = "Never"
            events = [
                create(make_node("n1", cpu="2")),
                create(first),
                create(make_pod("second", cpu="2")),
                done(3),
            ]
            await stage.call("POST", SCENARIOS, scenario(*events, step_duration="15s"))
            assert (await stage.scenario())["phase"] == "Succeeded"
            bound = building.results(stage.stage, "PodScheduled")
            assert {name: each["boundAt"] for name, each in bound.items()} == {
                "first": 0, "second": 1,
            }  # fmt: skip

    tell(story())


def test_without_scenarios_a_scheduler_outside_makes_a_cluster_live() -> None:
    async def story() -> None:
        async with cluster() as (stage, _):
            await stage.call("POST", NODES, make_node("n1", cpu="4"))
            await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=3, cpu="1"))
            await stage.call("POST", PODS, make_pod("big", cpu="99"))
            web: Json = {"status": {}}
            while web["status"].get("availableReplicas") != 3:
                web = await stage.call("GET", f"{DEPLOYMENTS}/web")
                await asyncio.sleep(0.001)
            await stage.quiet()
            assert stage.pacer.state()["nowNs"] < 60 * SECOND_NS
            big = await stage.call("GET", f"{PODS}/big")
            assert big["status"]["conditions"][0]["reason"] == "Unschedulable"

    tell(story())
