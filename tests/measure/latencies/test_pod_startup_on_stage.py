"""On a stage, pods that are created at a pace and run after a while give their latencies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage import testing
from kubestage.cluster.access import Call, Resource
from kubestage.cluster.clients import Clients
from kubestage.clusterloader import config
from kubestage.clusterloader.tuning import TuningSets
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements
from kubestage.measure.registry import Registry
from kubestage.stage import Stage
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import Answer
    from kubestage.measure.results import MeasurementResult


class Creation:
    """One pod to create."""

    def __init__(self, cluster: Clients, name: str) -> None:
        self._cluster = cluster
        self._name = name
        self._done: Callable[[], None] | None = None

    def begin(self, done: Callable[[], None]) -> None:
        self._done = done
        body = testing.make_pod(self._name, namespace="default", cpu="10m")
        call = Call(verb="create", resource=Resource("v1", "Pod"), namespace="default", body=body)
        self._cluster.call(call, self._answered)

    def _answered(self, answer: Answer) -> None:
        assert answer.error is None, answer.error
        assert self._done is not None
        self._done()


def run(seed: int) -> tuple[MeasurementResult, list[int]]:
    """Sixty pods at ten a second through a client that lets five a second go."""
    stage = Stage(seed=seed)
    stage.load([testing.make_node(f"n{index}") for index in range(3)])
    stage.add_scheduler()
    stage.add_controllers()
    stage.run("1s")
    cluster = stage.cluster()
    limited = Clients(cluster, 1, qps=5, burst=10)
    tuning_set = config.TuningSet("paced", config.QpsLoad(10))
    tuning = TuningSets([tuning_set], cluster.moments, stage.streams)
    measurements = Measurements(Registry(), limited, stage.streams, Facilities())
    outcomes: list[MeasurementResult] = []
    measurements.perform("PodStartupLatency", "p", {"action": "start"}).then(outcomes.append)
    stage.run("1s")
    ended: list[int] = []
    pods = [Creation(limited, f"pod-{index}").begin for index in range(60)]
    tuning.execute("paced", pods, lambda: ended.append(cluster.moments.now_ns))
    stage.run("2m")
    measurements.perform("PodStartupLatency", "p", {"action": "gather"}).then(outcomes.append)
    stage.run("1s")
    return outcomes[-1], ended


def test_every_pod_is_measured_and_the_limit_shows() -> None:
    outcome, (ended,) = run(3)
    startup = next(each for each in outcome.latencies if each.metric == "pod_startup")
    assert sorted(startup.objects) == sorted(f"default/pod-{index}" for index in range(60))
    assert min(startup.took_ns) > 0
    assert max(startup.began_ns) - min(startup.began_ns) == pytest.approx(10 * SECOND_NS, abs=5)
    assert ended == pytest.approx(12 * SECOND_NS, abs=5)
    assert outcome.warnings == ()
    assert [each.samples for each in outcome.verdicts] == [60] * 6
    (item,) = [each for each in items(outcome) if each["labels"]["Metric"] == "pod_startup"]
    assert item["data"]["Perc99"] == max(startup.took_ns) / 1e6


def test_the_same_seed_writes_the_same_files() -> None:
    contents = [[each.content for each in run(4)[0].summaries] for _ in range(2)]
    assert contents[0] == contents[1]


def items(outcome: MeasurementResult) -> list[dict[str, Any]]:
    """The rows of the first summary."""
    rows: list[dict[str, Any]] = json.loads(outcome.summaries[0].content)["dataItems"]
    return rows
