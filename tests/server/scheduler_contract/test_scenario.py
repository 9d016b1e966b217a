"""Scenarios over HTTP whose pods are placed by whoever speaks as kube-scheduler does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from kubestage.testing import make_deployment, make_node, make_pod
from tests.deadlines import HANG_S
from tests.scenario import building
from tests.scenario.building import create, delete, done, important, scenario
from tests.server.live_stage import SCENARIOS
from tests.server.scheduler_contract.go_client import GoClient
from tests.server.scheduler_contract.reenactment import Reenactment
from tests.server.scheduler_contract.test_leader_election import Candidate
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


@pytest.fixture(scope="module")
def outside() -> Iterator[Served]:
    with Served("--scheduler", "outside") as running:
        yield running


def story(served: Served, *events: Json) -> Json:
    """The status of a Scenario that has ended; a leader renews its Lease meanwhile."""
    client = GoClient(served.kubeconfig, agent="kubectl/v1.33.0")
    elector = GoClient(served.kubeconfig)
    candidate = Candidate(elector, "me", "kube-scheduler")
    try:
        body = msgspec.json.encode(scenario(*events))
        client.call("POST", SCENARIOS, body, "application/json")
        until = time.monotonic() + HANG_S
        while time.monotonic() < until:
            assert candidate.try_acquire_or_renew() or candidate.try_acquire_or_renew()
            status: Json = client.get(f"{SCENARIOS}/it").get("status", {})
            if status.get("phase") in ("Succeeded", "Failed"):
                return status
            time.sleep(0.1)
        raise AssertionError(f"still {status}")
    finally:
        client.delete(f"{SCENARIOS}/it")
        client.close()
        elector.close()


def test_a_pod_makes_way_and_another_comes_later(outside: Served) -> None:
    with Reenactment(outside.kubeconfig) as scheduler:
        status = story(
            outside,
            create(make_node("n1", cpu="2")),
            building.importance(),
            create(make_pod("p", cpu="1500m")),
            create(make_pod("big", cpu="99"), 1),
            create(important("boss", cpu="1"), 2),
            delete(building.POD, "boss", 3),
            create(make_pod("late", cpu="1500m"), 3),
            done(4),
        )
    assert status["phase"] == "Succeeded", status
    assert status["pods"] == {"scheduled": 3, "pending": 1, "preempted": 1}
    assert ("preempted", "default/p") in scheduler.log


def test_a_deployment_grows(outside: Served) -> None:
    more = building.patch(building.DEPLOYMENT, "web", {"spec": {"replicas": 12}}, 1)
    with Reenactment(outside.kubeconfig):
        status = story(
            outside,
            *(create(make_node(f"n{i}", cpu="4")) for i in range(3)),
            create(make_deployment("web", replicas=4, cpu="1")),
            more,
            done(2),
        )
    assert status["phase"] == "Succeeded", status
    assert status["pods"]["scheduled"] == 12
