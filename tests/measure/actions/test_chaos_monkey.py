"""ChaosMonkey fails nodes from start to stop."""

from __future__ import annotations

import pytest

from kubestage.errors import InputError
from kubestage.measure.actions.chaos_monkey import ChaosMonkey
from tests.cluster.test_node_failures import cluster_of, silent
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make

RAW = {"failureRate": 0.5, "interval": "10s", "jitterFactor": 0.1, "simulatedDowntime": "1h"}


def test_nodes_fail_until_it_is_stopped_and_then_come_back() -> None:
    cluster = cluster_of(4)
    measurement = make(ChaosMonkey, cluster)
    assert Asked(measurement, action="start", **RAW).outcome.errors == ()
    cluster.moments.run(60)
    assert len(silent(cluster)) == 2
    stopped = Asked(measurement, action="stop")
    cluster.moments.run()
    assert silent(cluster) == []
    (series,) = stopped.outcome.series
    assert series.values == [1, 2, 1, 0]


def test_a_node_that_failed_is_spared_when_it_is_started_again() -> None:
    cluster = cluster_of(6)
    measurement = make(ChaosMonkey, cluster)
    failed = []
    for _ in range(2):
        Asked(measurement, action="start", **RAW)
        cluster.moments.run(60)
        failed += silent(cluster)
        Asked(measurement, action="stop")
        cluster.moments.run()
    assert len(failed) == len(set(failed)) == 3 + 2


def test_nodes_of_a_real_cluster_cannot_be_failed() -> None:
    asked = Asked(make(ChaosMonkey, FakeCluster(is_stage=False)), action="start", **RAW)
    (error,) = asked.outcome.errors
    assert error.startswith("error while creating chaos monkey: nodes of a real cluster")


def test_what_cannot_be_is_an_error() -> None:
    measurement = make(ChaosMonkey, cluster_of(1))
    assert Asked(measurement, action="stop").outcome.errors == (
        "chaos monkey has not been started",
    )
    with pytest.raises(InputError, match="is not a share of the nodes"):
        Asked(measurement, action="start", failureRate=50)
    Asked(measurement, action="start", **RAW)
    again = Asked(measurement, action="start", **RAW)
    assert again.outcome.errors == ("chaos monkey is running already",)


def test_a_test_that_is_over_brings_nodes_back() -> None:
    cluster = cluster_of(2)
    measurement = make(ChaosMonkey, cluster)
    Asked(measurement, action="start", **RAW)
    cluster.moments.run(60)
    measurement.end()
    cluster.moments.run()
    assert silent(cluster) == []
    assert cluster.moments.pending == 0
