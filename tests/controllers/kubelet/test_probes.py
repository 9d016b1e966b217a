"""Probes: when containers are started and ready, and what becomes of sick ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.kubelet.probes import Probe
from tests.controllers.kubelet.clusters import Cluster, at

IMAGES = [{"names": ["app:1"], "sizeBytes": 1}]
GET = {"httpGet": {"port": 80}}


def started(annotations: dict[str, str] | None = None, **probes: Any) -> Cluster:
    cluster = Cluster(launch_delay="0s")
    cluster.node(status={"images": IMAGES})
    cluster.run("1s")
    container = {"name": "c", "image": "app:1", **probes}
    cluster.pod(containers=[container], annotations=annotations)
    return cluster


@pytest.mark.parametrize(
    ("readiness", "ready"),
    [
        ({}, 1),
        ({"initialDelaySeconds": 5}, 11),
        ({"initialDelaySeconds": 5, "periodSeconds": 2}, 7),
        ({"initialDelaySeconds": 4, "periodSeconds": 2, "successThreshold": 3}, 9),
    ],
)
def test_readiness_counts_its_delay_period_and_threshold(
    readiness: dict[str, int], ready: int
) -> None:
    cluster = started(readinessProbe={**GET, **readiness})
    cluster.run("1m")
    assert cluster.container()["state"]["running"]["startedAt"] == at(1)
    assert cluster.condition("Ready")["lastTransitionTime"] == at(ready)


def test_readiness_is_looked_at_once_the_container_has_started() -> None:
    cluster = started(startupProbe={**GET, "periodSeconds": 7}, readinessProbe=GET)
    cluster.run("5s")
    assert cluster.container()["started"] is False
    assert cluster.status()["phase"] == "Running"
    cluster.run("5s")
    assert cluster.container()["started"] is True
    assert cluster.condition("Ready")["lastTransitionTime"] == at(8)


def test_a_pod_whose_readiness_fails_runs_and_is_never_ready() -> None:
    cluster = started({"failing-probes": "readiness"}, readinessProbe=GET)
    cluster.run("1h")
    assert cluster.status()["phase"] == "Running"
    assert cluster.condition("Ready")["status"] == "False"
    told = ("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500")
    assert told in cluster.events()


def test_a_container_whose_liveness_fails_is_killed_and_comes_back() -> None:
    probe = {**GET, "initialDelaySeconds": 10, "periodSeconds": 5, "failureThreshold": 2}
    cluster = started({"failing-probes.c": "liveness"}, livenessProbe=probe)
    cluster.run("16s")
    state = cluster.container()
    assert state["restartCount"] == 1
    assert state["lastState"]["terminated"]["exitCode"] == 137
    assert state["lastState"]["terminated"]["finishedAt"] == at(16)
    killing = ("Killing", "Container c failed liveness probe, will be restarted")
    assert killing in cluster.events()


def test_a_container_that_never_starts_is_killed() -> None:
    probe = {**GET, "periodSeconds": 5, "failureThreshold": 3}
    cluster = started({"failing-probes": "startup"}, startupProbe=probe)
    cluster.run("16s")
    assert cluster.container()["lastState"]["terminated"]["finishedAt"] == at(16)
    assert ("Killing", "Container c failed startup probe, will be restarted") in cluster.events()


@given(st.integers(0, 500), st.integers(1, 60), st.integers(1, 5), st.integers(0, 500))
def test_a_probe_succeeds_in_a_round_of_its_own_and_as_soon_as_it_can(
    delay: int, period: int, successes: int, after: int
) -> None:
    probe = Probe(delay, period, successes, 3, fails=False, output="")
    first = probe.first_round_ns(after)
    assert first >= max(delay, after)
    assert (first - after) % period == 0
    assert first == after or first - period < delay
    assert probe.succeeds_ns(after) == first + (successes - 1) * period
