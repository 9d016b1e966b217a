"""The components of a real stage are asked and answer."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements
from kubestage.measure.registry import Registry
from kubestage.sim.streams import Streams
from tests.cluster import stages

if TYPE_CHECKING:
    from kubestage.measure.results import MeasurementResult
    from kubestage.stage import Stage

ON: dict[str, Any] = {
    "systemPodMetricsEnabled": True,
    "enableRestartCountCheck": True,
    "clusterOOMsTrackerEnabled": True,
}
METHODS: dict[str, dict[str, Any]] = {
    "TestMetrics": ON,
    "NodeHealthTracker": {},
    "APIAvailability": {"pollFrequency": "5s"},
    "ProfileGatherer": {},
}


class Staged:
    """Measurements on a stage with three nodes and ten pods."""

    def __init__(self) -> None:
        self.stage, cluster = stages.alive(nodes=3)
        self.measurements = Measurements(Registry(), cluster, Streams(1), Facilities(nodes=3))

    def perform(self, method: str, action: str) -> MeasurementResult:
        told: list[MeasurementResult] = []
        raw = {"action": action, **METHODS[method]}
        self.measurements.perform(method, "id", raw).then(told.append)
        self.stage.run("1s")
        (outcome,) = told
        return outcome


def deployment() -> dict[str, Any]:
    pod = {"containers": [{"name": "app", "image": "app"}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": 10,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod},
        },
    }


def life(staged: Staged, stage: Stage) -> list[MeasurementResult]:
    started = [staged.perform(method, "start") for method in METHODS]
    stage.load([deployment()])
    stage.run("5m")
    return started + [staged.perform(method, "gather") for method in METHODS]


@pytest.fixture(scope="module")
def outcomes() -> list[MeasurementResult]:
    staged = Staged()
    return life(staged, staged.stage)


def content(outcomes: list[MeasurementResult], name: str) -> Any:
    (text,) = (each.content for one in outcomes for each in one.summaries if each.name == name)
    return json.loads(text)


def test_all_parts_say_something_and_nothing_fails(outcomes: list[MeasurementResult]) -> None:
    assert [error for outcome in outcomes for error in outcome.errors] == []
    assert [each.name for outcome in outcomes for each in outcome.summaries] == [
        "EtcdMetrics",
        "SchedulingMetrics",
        "MetricsForE2E",
        "ResourceUsageSummary",
        "SystemPodMetrics",
        "ClusterOOMsTracker",
        "NodeHealthTracker",
        "APIAvailability",
        "ProfileGatherer",
    ]
    (warning,) = (line for outcome in outcomes for line in outcome.warnings)
    assert "pprof" in warning


def test_the_modelled_control_plane_uses_something(outcomes: list[MeasurementResult]) -> None:
    rows = {row["Name"]: row for row in content(outcomes, "ResourceUsageSummary")["99"]}
    server = rows["kube-apiserver-master/kube-apiserver"]
    assert server["CPU"] > 0
    assert server["Mem"] > 0
    assert {"node-0/kubelet", "node-2/kubelet"} <= set(rows)
    names = {row["name"] for row in content(outcomes, "ProfileGatherer")["components"]}
    assert "kube-scheduler-master/kube-scheduler" in names


def test_metrics_of_components_are_told(outcomes: list[MeasurementResult]) -> None:
    found = content(outcomes, "MetricsForE2E")
    assert "apiserver_request_duration_seconds_bucket" in found["APIServerMetrics"]
    assert "scheduler_schedule_attempts_total" in found["SchedulerMetrics"]
    assert found["ControllerManagerMetrics"]
    assert content(outcomes, "EtcdMetrics")["maxDatabaseSize"] > 0


def test_the_same_stage_says_the_same() -> None:
    first, second = Staged(), Staged()
    assert life(first, first.stage) == life(second, second.stage)


def test_a_stage_that_is_measured_can_be_pickled() -> None:
    staged = Staged()
    for method in METHODS:
        staged.perform(method, "start")
    staged.stage.run("1m")
    copied = pickle.loads(pickle.dumps(staged))
    outcomes = [copied.perform(method, "gather") for method in METHODS]
    assert outcomes == [staged.perform(method, "gather") for method in METHODS]
