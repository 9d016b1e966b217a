"""What a scheduler over the API is known by, write by write."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.server.external_scheduler import ExternalSchedulerSettings
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import create, done, important, scenario
from tests.server import calling
from tests.server.live_stage import NODES, PODS, SCENARIOS, Served, served
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.aliases import Json


# The test says when the scheduler is done, or waits until it counts as done.
SLOW = ExternalSchedulerSettings(grace_s=100.0, patience_s=100.0)
QUICK = ExternalSchedulerSettings(grace_s=0.05, patience_s=0.2)
STRATEGIC = {"content-type": "application/strategic-merge-patch+json"}
MERGE = {"content-type": "application/merge-patch+json"}
KUBECTL = {"user-agent": "kubectl/v1.33.0 (linux/amd64)"}


@contextlib.asynccontextmanager
async def connected(
    *events: Json, settings: ExternalSchedulerSettings = SLOW
) -> AsyncIterator[Served]:
    """A Scenario in the scheduling part of its first step, and somebody who watches pods."""
    async with served(scheduler=False, external=settings) as stage:
        watch = await calling.watch(stage.app, "/api/v1/pods")
        await stage.call("POST", SCENARIOS, scenario(*events))
        await _scheduling(stage)
        try:
            yield stage
        finally:
            await watch.leave()


async def _scheduling(stage: Served, step: int = 0) -> None:
    while (building.status(stage.stage).get("stepStatus") or {}) != {
        "step": step,
        "phase": "Scheduling",
    } or building.status(stage.stage)["schedulerStatus"] != "Running":
        await asyncio.sleep(0.001)


async def _bind(stage: Served, name: str, node: str) -> None:
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
    await stage.call("POST", f"{PODS}/{name}/binding", body)


async def _report(stage: Served, name: str, nominated: str = "") -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    status: Json = {"conditions": [condition]}
    if nominated:
        status["nominatedNodeName"] = nominated
    await stage.call("PATCH", f"{PODS}/{name}/status", {"status": status}, headers=STRATEGIC)


def test_a_step_ends_as_soon_as_every_pod_has_a_node() -> None:
    async def story() -> None:
        pods = [create(make_pod(name)) for name in ("p", "q")]
        async with connected(create(make_node("n1")), *pods, done()) as stage:
            await _bind(stage, "p", "n1")
            await _bind(stage, "q", "n1")
            assert (await stage.scenario())["phase"] == "Succeeded"
            assert building.summary(stage.stage)[-2:] == [
                (0, "PodScheduled", "p"),
                (0, "PodScheduled", "q"),
            ]

    tell(story())


def test_a_scheduler_that_is_silent_after_its_reports_is_done() -> None:
    async def story() -> None:
        settings = ExternalSchedulerSettings(grace_s=0.05, patience_s=100.0)
        events = [create(make_node("n1")), create(make_pod("big", cpu="99")), done()]
        async with connected(*events, settings=settings) as stage:
            await _report(stage, "big")
            assert (await stage.scenario())["phase"] == "Succeeded"
            assert (0, "PodUnscheduled", "big") in building.summary(stage.stage)

    tell(story())


def test_a_scheduler_has_time_for_its_first_try() -> None:
    async def story() -> None:
        settings = ExternalSchedulerSettings(grace_s=0.01, patience_s=100.0)
        events = [create(make_node("n1")), create(make_pod("p")), done()]
        async with connected(*events, settings=settings) as stage:
            await asyncio.sleep(0.1)
            await _bind(stage, "p", "n1")
            assert (await stage.scenario())["phase"] == "Succeeded"
            assert (0, "PodScheduled", "p") in building.summary(stage.stage)

    tell(story())


def test_a_pod_that_nobody_tries_holds_a_step_up_once_and_is_not_told_of() -> None:
    async def story() -> None:
        settings = ExternalSchedulerSettings(grace_s=0.01, patience_s=0.3)
        others = make_pod("others", scheduler_name="somebody-else")
        events = [create(make_node("n1")), create(others), create(make_node("n2"), 1), done(2)]
        async with connected(*events, settings=settings) as stage:
            assert (await stage.scenario())["phase"] == "Succeeded"
            assert "PodUnscheduled" not in {each[1] for each in building.summary(stage.stage)}

    tell(story())


def test_pods_of_other_names_are_not_waited_for() -> None:
    async def story() -> None:
        settings = ExternalSchedulerSettings(grace_s=100.0, patience_s=100.0, names=("mine",))
        events = [create(make_node("n1")), create(make_pod("others")), done()]
        async with served(scheduler=False, external=settings) as stage:
            await stage.call("POST", SCENARIOS, scenario(*events))
            assert (await stage.scenario())["phase"] == "Succeeded"

    tell(story())


@pytest.mark.parametrize("grace_s", [0, 30])
def test_a_pod_that_is_deleted_has_to_go_for_the_one_that_is_nominated_in_its_place(
    grace_s: int,
) -> None:
    async def story() -> None:
        settings = ExternalSchedulerSettings(grace_s=0.1, patience_s=100.0)
        events = [create(make_node("n1")), building.importance(), create(make_pod("p"))]
        more = [create(important("boss"), 1), done(2)]
        async with connected(*events, *more, settings=settings) as stage:
            await _bind(stage, "p", "n1")
            await _scheduling(stage, 1)
            await stage.call("DELETE", f"{PODS}/p", {"gracePeriodSeconds": grace_s})
            await _report(stage, "boss", nominated="n1")
            while "default/p" in stage.stage.store.read(building.POD):
                await asyncio.sleep(0.001)
            await _bind(stage, "boss", "n1")
            assert (await stage.scenario())["phase"] == "Succeeded"
            assert building.results(stage.stage, "PodPreempted")["p"]["preemptedBy"] == (
                "default/boss"
            )
            deleted = [each for each in building.summary(stage.stage) if each[1] == "Delete"]
            assert deleted == [(1, "Delete", "p")]

    tell(story())


def test_an_event_that_names_the_preemptor_is_believed() -> None:
    async def story() -> None:
        settings = ExternalSchedulerSettings(grace_s=0.1, patience_s=100.0)
        events = [create(make_node("n1")), building.importance(), create(make_pod("p"))]
        more = [create(important(name), 1) for name in ("boss", "other")]
        async with connected(*events, *more, done(2), settings=settings) as stage:
            await _bind(stage, "p", "n1")
            await _scheduling(stage, 1)
            await _report(stage, "other", nominated="n1")
            await _report(stage, "boss")
            await stage.call("DELETE", f"{PODS}/p")
            regarding = {"kind": "Pod", "namespace": "default", "name": "p"}
            event = {
                "metadata": {"name": "e", "namespace": "default"},
                "eventTime": "2026-01-01T00:00:00.000000Z",
                "type": "Normal", "reason": "Preempted", "action": "Preempting",
                "regarding": regarding, "related": {**regarding, "name": "boss"},
                "reportingController": "x", "reportingInstance": "x-1",
            }  # fmt: skip
            await stage.call("POST", "/apis/events.k8s.io/v1/namespaces/default/events", event)
            while "default/p" in stage.stage.store.read(building.POD):
                await asyncio.sleep(0.001)
            told = stage.stage.scenarios
            assert told is not None
            (story_of_p,) = [
                each for each in told.watch.timeline.records.values() if each.preempted_by
            ]
            assert story_of_p.preempted_by == "default/boss"

    tell(story())


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "told"),
    [
        ("POST", NODES, make_node("n2"), {}, "Node n2 was created"),
        ("POST", PODS, make_pod("q"), {}, "Pod default/q was created"),
        ("DELETE", f"{PODS}/p", None, {}, "Pod default/p was changed"),
        ("DELETE", f"{NODES}/n1", None, {}, "Node n1 was deleted"),
        (
            "PATCH",
            f"{PODS}/p",
            {"metadata": {"labels": {"x": "1"}}},
            MERGE,
            "Pod default/p was changed",
        ),
        (
            "PATCH",
            f"{PODS}/p/status",
            {"status": {"reason": "x"}},
            MERGE | KUBECTL,
            "Pod default/p was changed",
        ),
    ],
)
def test_what_no_scheduler_does_fails_the_scenario(
    method: str, path: str, body: Any, headers: dict[str, str], told: str
) -> None:
    async def story() -> None:
        events = [create(make_node("n1")), create(make_pod("p"))]
        async with connected(*events, done(1)) as stage:
            await stage.call(method, path, body, headers=headers)
            assert building.phase(stage.stage) == "Failed"
            assert building.message(stage.stage) == (
                f"{told} by somebody else while the Scenario was running"
            )

    tell(story())


def test_to_bind_out_of_turn_fails_the_scenario() -> None:
    async def story() -> None:
        settings = ExternalSchedulerSettings(grace_s=0.01, patience_s=0.05)
        events = [create(make_node("n1")), create(make_pod("p"))]
        async with connected(*events, settings=settings) as stage:
            await stage.scenario(phases=("Paused",))
            await _report(stage, "p")
            assert building.phase(stage.stage) == "Paused"
            await _bind(stage, "p", "n1")
            assert building.message(stage.stage) == (
                "Pod default/p was changed by somebody else while the Scenario was paused"
            )

    tell(story())


def test_a_scenario_fails_when_no_scheduler_connects_in_time() -> None:
    async def story() -> None:
        settings = ExternalSchedulerSettings(timeout_s=0.05)
        async with served(scheduler=False, external=settings) as stage:
            events = [create(make_node("n1")), create(make_pod("p")), done()]
            await stage.call("POST", SCENARIOS, scenario(*events))
            status = await stage.scenario()
            assert status["phase"] == "Failed"
            assert status["message"] == (
                "no scheduler connected within 0.05 s: start one that talks to this API, "
                "or serve without --scheduler outside"
            )
            await stage.call("POST", SCENARIOS, scenario(done(), name="next"))
            assert (await stage.scenario("next"))["phase"] == "Succeeded"

    tell(story())


def test_those_who_look_on_are_no_schedulers() -> None:
    async def story() -> None:
        settings = ExternalSchedulerSettings(timeout_s=0.05)
        async with served(scheduler=False, external=settings) as stage:
            watch = await calling.watch(stage.app, "/api/v1/pods", KUBECTL)
            await stage.call("POST", PODS, make_pod("q"), headers=KUBECTL)
            await stage.call("DELETE", f"{PODS}/q", headers=KUBECTL)
            await stage.call("POST", SCENARIOS, scenario(create(make_pod("p")), done()))
            assert "no scheduler connected" in (await stage.scenario())["message"]
            await watch.leave()

    tell(story())


def test_a_stage_with_a_scheduler_outside_pickles() -> None:
    async def story() -> None:
        stage = Served(scheduler=False, external=QUICK)
        copy = stage.stage.fork()
        assert copy.store.resource_version == stage.stage.store.resource_version
        await stage.pacer.close()

    tell(story())
