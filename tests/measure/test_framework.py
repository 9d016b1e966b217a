"""What users build measurements from is in one place, and the example is built from it."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

from kubestage.measure import framework
from kubestage.runs.inputs import python_file
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make, pod

if TYPE_CHECKING:
    from kubestage.measure.framework import Measurement

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/27-own-measurement/queue_length.py"


def example() -> type[Measurement[Any]]:
    found: type[Measurement[Any]] = python_file.load(str(EXAMPLE), "measurement", "").QueueLength
    return found


def test_every_name_is_there() -> None:
    assert all(hasattr(framework, name) for name in framework.__all__)


def test_the_example_counts_pods_that_wait_and_judges() -> None:
    cluster = FakeCluster()
    measurement = make(example(), cluster)
    assert Asked(measurement, action="start", interval="2s", labelSelector="app=web").warnings == []
    cluster.moments.run(1)
    for name in "abc":
        cluster.put(pod(name, phase="Unscheduled"))
    cluster.moments.run(2)
    for name in "ab":
        cluster.put(pod(name))
    cluster.moments.run(2)
    outcome = Asked(measurement, action="gather", threshold=2).outcome
    assert outcome.errors == ("queue length: 3 pods waited",)
    assert outcome.series[0].values == [0, 3, 1]
    (summary,) = outcome.summaries
    assert summary.name == "QueueLength_it"
    (item,) = json.loads(summary.content)["dataItems"]
    assert (item["data"]["Max"], item["unit"]) == (3, "pods")
    assert cluster.moments.pending == 0


def test_the_example_passes_below_its_threshold() -> None:
    cluster = FakeCluster()
    measurement = make(example(), cluster)
    Asked(measurement, action="start")
    cluster.moments.run(3)
    outcome = Asked(measurement, action="gather", threshold=0).outcome
    assert outcome.errors == ()
    assert outcome.verdicts[0].passed
