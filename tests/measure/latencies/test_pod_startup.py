"""PodStartupLatency sees, counts and writes what ClusterLoader2's does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.measure.facilities import Facilities
from kubestage.measure.latencies.pod_startup import PodStartupLatency
from kubestage.measure.measurements import Measurements
from kubestage.measure.registry import Registry
from kubestage.sim.streams import Streams
from kubestage.units import SECOND_NS
from tests.golden import vectors
from tests.measure.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from kubestage.measure.results import MeasurementResult

RECORDED = [
    entry for entry in vectors.load("cl2-percentiles") if entry["in"]["kind"] == "podStartup"
]


class Watched:
    """One measurement on a cluster whose pods are put in by hand."""

    def __init__(self, identifier: str = "PodStartupLatency") -> None:
        self.cluster = FakeCluster()
        self._identifier = identifier
        self._measurements = Measurements(Registry(), self.cluster, Streams(1), Facilities())

    def perform(self, action: str, **params: Any) -> MeasurementResult:
        told: list[MeasurementResult] = []
        raw = {"action": action, **params}
        self._measurements.perform("PodStartupLatency", self._identifier, raw).then(told.append)
        self.cluster.moments.run(0.2)
        (outcome,) = told
        return outcome

    def pod(self, at_ns: int, name: str, **shape: Any) -> None:
        self.cluster.moments.run_until(at_ns)
        self.cluster.put(pod(name, **shape))
        self.cluster.moments.run()

    def started(self, name: str, at_s: float, took_s: float, **shape: Any) -> None:
        """A pod that is created, scheduled at once, and runs after a while."""
        began_ns = int(at_s * SECOND_NS)
        self.pod(began_ns, name, node="n1", **shape)
        self.pod(began_ns + int(took_s * SECOND_NS), name, node="n1", phase="Running", **shape)


def pod(
    name: str, *, node: str = "", phase: str = "Pending", volumes: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A pod as far as it matters."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": "ns", "name": name, "labels": {"app": name.partition("-")[0]}},
        "spec": {
            "nodeName": node,
            "volumes": [{"name": f"v{i}", kind: {}} for i, kind in enumerate(volumes)],
        },
        "status": {"phase": phase},
    }


@pytest.mark.parametrize("index", range(len(RECORDED)))
def test_summaries_and_errors_are_as_recorded(index: int) -> None:
    values, wanted = RECORDED[index]["in"], RECORDED[index]["out"]
    watched = Watched(values["identifier"])
    p50, p90, p99 = (f"{each}ns" for each in values["thresholdsNs"])
    watched.perform("start", perc50Threshold=p50, perc90Threshold=p90, perc99Threshold=p99)
    begin_ns = watched.cluster.moments.now_ns
    for event in values["events"]:
        watched.pod(
            begin_ns + event["t"],
            event["name"],
            node=event.get("nodeName", ""),
            phase=event["phase"],
            volumes=tuple(event.get("volumes", ())),
        )
    outcome = watched.perform("gather")
    assert [
        {"name": each.name, "ext": each.ext, "perfData": json.loads(each.content)}
        for each in outcome.summaries
    ] == [dict(each) for each in wanted["summaries"]]
    if wanted["error"] is None:
        assert outcome.errors == ()
    else:
        assert outcome.errors[-1].startswith(f"{wanted['error']}; slowest: ")


def test_the_error_names_the_slowest_pods() -> None:
    watched = Watched()
    watched.perform("start")
    for index, took_s in enumerate((1, 7, 6, 2)):
        watched.started(f"web-{index}", 1 + index * 10, took_s)
    outcome = watched.perform("gather")
    (error,) = outcome.errors
    assert error == (
        "pod startup: too high latency 90th percentile: got 7s expected: 5s; "
        "slowest: ns/web-1 (7s), ns/web-2 (6s), ns/web-3 (2s), ns/web-0 (1s)"
    )


def test_verdicts_are_of_pod_startup_with_samples_and_thresholds() -> None:
    watched = Watched()
    watched.perform("start", threshold="3s", perc99Threshold="1s")
    watched.started("web-0", 1, 2)
    watched.started("db-0", 4, 1, volumes=("persistentVolumeClaim",))
    verdicts = watched.perform("gather").verdicts
    told = {each.name: (each.passed, each.value, each.threshold, each.samples) for each in verdicts}
    assert told["pod_startup p50"] == (True, 1.0, 3.0, 2)
    assert told["pod_startup p99"] == (False, 2.0, 1.0, 2)
    assert told["Stateful pod_startup p99"] == (True, 1.0, 1.0, 1)
    assert told["Stateless pod_startup p99"] == (False, 2.0, 1.0, 1)


def test_without_pods_the_pass_is_an_empty_one() -> None:
    watched = Watched()
    watched.perform("start")
    outcome = watched.perform("gather")
    assert outcome.errors == ()
    assert [each.name for each in outcome.verdicts] == [f"pod_startup p{n}" for n in (50, 90, 99)]
    assert all(each.is_empty for each in outcome.verdicts)


def test_each_pod_is_a_row() -> None:
    watched = Watched()
    watched.perform("start")
    watched.pod(SECOND_NS, "web-0")
    watched.pod(3 * SECOND_NS, "web-0", node="n1")
    watched.pod(7 * SECOND_NS, "web-0", node="n1", phase="Running")
    rows = {each.metric: each for each in watched.perform("gather").latencies}
    assert rows["create_to_schedule"].took_ns == [2 * SECOND_NS]
    assert rows["schedule_to_run"].took_ns == [4 * SECOND_NS]
    assert rows["pod_startup"].objects == ["ns/web-0"]
    assert rows["pod_startup"].began_ns == [SECOND_NS]


def test_pods_that_never_ran_are_told_of() -> None:
    watched = Watched("mine")
    watched.perform("start")
    watched.started("web-0", 1, 2)
    watched.pod(9 * SECOND_NS, "web-1")
    assert watched.perform("gather").warnings == (
        "PodStartupLatency - mine: 1 of 2 pods were not seen running and are in no percentile",
    )


def test_only_selected_pods_are_watched() -> None:
    watched = Watched()
    watched.perform("start", labelSelector="app = web", namespace="ns")
    watched.started("web-0", 1, 2)
    watched.started("db-0", 4, 1)
    assert watched.perform("gather").latencies[0].objects == ["ns/web-0"]


def test_a_pod_that_was_there_before_counts_from_the_start() -> None:
    watched = Watched()
    watched.pod(SECOND_NS, "web-0", node="n1")
    watched.perform("start")
    watched.pod(5 * SECOND_NS, "web-0", node="n1", phase="Running")
    assert watched.perform("gather").latencies[2].took_ns == [4 * SECOND_NS]


def test_a_deleted_pod_keeps_its_times() -> None:
    watched = Watched()
    watched.perform("start")
    watched.started("web-0", 1, 2)
    watched.cluster.remove(pod("web-0", node="n1", phase="Running"))
    watched.cluster.moments.run(1)
    watched.started("web-0", 9, 1)
    assert watched.perform("gather").latencies[2].took_ns == [2 * SECOND_NS]


def test_what_a_pod_was_when_it_went_away_does_not_count() -> None:
    watched = Watched()
    watched.perform("start", fieldSelector="status.phase!=Running")
    watched.started("web-0", 1, 2)
    outcome = watched.perform("gather")
    assert outcome.latencies[0].objects == ["ns/web-0"]
    assert outcome.latencies[2].objects == []


def test_what_comes_after_gathering_is_not_seen() -> None:
    watched = Watched()
    watched.perform("start")
    watched.perform("gather")
    watched.started("web-0", 1, 2)
    assert watched.perform("gather").errors == ("metric PodStartupLatency has not been started",)


def test_starting_twice_goes_on() -> None:
    watched = Watched()
    watched.perform("start")
    watched.started("web-0", 1, 2)
    watched.perform("start", threshold="1s")
    outcome = watched.perform("gather")
    assert outcome.errors == ()
    assert outcome.latencies[0].objects == ["ns/web-0"]


def test_the_document_s_name_is_another_word_for_it() -> None:
    assert Registry().find("PodStartupLatencyValidator") is PodStartupLatency
