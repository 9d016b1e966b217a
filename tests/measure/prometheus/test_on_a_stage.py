"""Measurements that ask the stage's own store, from a load to the files."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cluster import profiles
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements
from kubestage.measure.metrics_store import MetricsStore
from kubestage.measure.registry import Registry
from tests.cluster.stages import Every, alive, create, pod

if TYPE_CHECKING:
    from kubestage.cluster.staged import StagedCluster
    from kubestage.measure.results import MeasurementResult
    from kubestage.stage import Stage

PODS = 120


def _create(cluster: StagedCluster, index: int) -> None:
    cluster.call(create(pod(f"p{index}")), _ignore)


def _ignore(answer: object) -> None:
    del answer


class Run:
    """A stage on which pods are created for a minute while measurements go on."""

    def __init__(self) -> None:
        self.stage: Stage
        self.stage, cluster = alive(profiles.DEFAULT, nodes=3)
        facilities = Facilities(queries=MetricsStore(cluster))
        self._measurements = Measurements(Registry(), cluster, self.stage.streams, facilities)
        self.stage.run("30s")
        self._cluster = cluster

    def load(self) -> None:
        """A pod every half second."""
        Every(self._cluster, 500_000_000, PODS, functools.partial(_create, self._cluster))
        self.stage.run("2m")

    def perform(self, method: str, **params: Any) -> MeasurementResult:
        """Do as a configuration says, and wait."""
        description: list[MeasurementResult] = []
        self._measurements.perform(method, "own", params).then(description.append)
        self.stage.run("1s")
        return description[0]


@pytest.fixture(scope="module")
def run() -> Run:
    made = Run()
    for method in (
        "APIResponsivenessPrometheus",
        "SchedulingThroughputPrometheus",
        "PrometheusSchedulingMetrics",
        "CiliumEndpointPropagationDelay",
        "ContainerRestarts",
    ):
        assert not made.perform(method, action="start").skipped
    made.load()
    return made


@pytest.mark.parametrize("is_simple", [True, False])
def test_the_api_server_answers_for_every_pod(run: Run, is_simple: bool) -> None:
    build_result = run.perform(
        "APIResponsivenessPrometheus", action="gather", useSimpleLatencyQuery=is_simple
    )
    items = {
        (item["labels"]["Verb"], item["labels"]["Resource"], item["labels"]["Subresource"]): item
        for item in json.loads(build_result.summaries[0].content)["dataItems"]
    }
    created = items["POST", "pods", ""]
    # The first pods are there before the counter is, and growth is taken to go on to the edges.
    assert int(created["labels"]["Count"]) == pytest.approx(PODS, rel=0.1)
    assert created["labels"]["SlowCount"] == "0"
    assert created["data"]["Perc99"] > 0
    assert all(verdict.passed for verdict in build_result.verdicts)
    samples = {verdict.name: verdict.samples for verdict in build_result.verdicts}
    assert samples["API call p99 (scope resource)"]
    # The two lists of limits were made before the last minute, which alone counts otherwise.
    assert bool(samples["API call p99 (scope namespace)"]) is is_simple


def test_pods_are_bound_as_fast_as_they_are_created(run: Run) -> None:
    build_result = run.perform("SchedulingThroughputPrometheus", action="gather", threshold=1.5)
    assert build_result.verdicts[0].value == pytest.approx(2, abs=0.5)
    assert build_result.verdicts[0].passed


def test_the_scheduler_has_worked(run: Run) -> None:
    build_result = run.perform("PrometheusSchedulingMetrics", action="gather")
    assert build_result.summaries[0].name == "own_PrometheusSchedulingMetrics"
    assert json.loads(build_result.summaries[0].content)["e2eSchedulingLatency"]["Perc99"] > 0


def test_what_no_component_tells_gives_no_samples(run: Run) -> None:
    build_result = run.perform("CiliumEndpointPropagationDelay", action="gather")
    assert build_result.verdicts[0].is_empty
    assert build_result.summaries[0].content == "{}\n"


def test_restarts_of_what_is_no_loads_own_are_counted(run: Run) -> None:
    build_result = run.perform("ContainerRestarts", action="gather", defaultAllowedRestarts=0)
    [verdict] = build_result.verdicts
    assert verdict.passed
    assert verdict.samples
