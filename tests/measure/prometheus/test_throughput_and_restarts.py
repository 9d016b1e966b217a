from __future__ import annotations

import json

import pytest

from tests.measure.fake_cluster import FakeCluster
from tests.measure.prometheus.fake_queries import ScriptedQueries, WrittenQueries, measured

THROUGHPUT = "SchedulingThroughputPrometheus"
RESTARTS = "ContainerRestarts"
API_SERVER = 'container_start_time_seconds{container="c",pod="kube-apiserver-1",namespace="n"}'
OWN = "- pod: kube-apiserver-*\n  allowedRestarts: 2\n"


def test_the_highest_rate_of_bindings_is_told() -> None:
    cluster = FakeCluster()
    bound = 'apiserver_request_total{verb="POST",resource="pods",subresource="binding",code="201"}'
    asked = WrittenQueries(cluster, {bound: [0, 60, 660, 720]})
    build_result = measured(THROUGHPUT, asked, cluster, 3)
    # The written series have a sample a minute, of which a minute holds two.
    assert json.loads(build_result.summaries[0].content) == {"max": 10}
    assert build_result.summaries[0].name == THROUGHPUT


@pytest.mark.parametrize(("threshold", "is_low"), [(0, False), (50, False), (50.5, True)])
def test_the_highest_rate_must_reach_the_threshold(threshold: float, is_low: bool) -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, {"irate": [({}, 50.0)]})
    build_result = measured(THROUGHPUT, asked, cluster, threshold=threshold, enableViolations=True)
    words = "actual throughput 50.000000 lower than threshold 50.500000"
    assert build_result.errors == ((f"scheduler throughput_prometheus: {words}",) if is_low else ())
    (verdict,) = build_result.verdicts
    assert (verdict.passed, verdict.value, verdict.is_upper) == (not is_low, 50, False)


def test_without_bindings_there_is_no_rate() -> None:
    cluster = FakeCluster()
    build_result = measured(THROUGHPUT, ScriptedQueries(cluster), cluster)
    assert build_result.errors == ("got unexpected number of samples: 0",)
    assert [verdict.samples for verdict in build_result.verdicts] == [0]


@pytest.mark.parametrize(
    ("params", "is_bad"),
    [
        ({}, True),
        ({"defaultAllowedRestarts": 2}, False),
        ({"customAllowedRestarts": OWN}, False),
        ({"customAllowedRestarts": OWN.replace("-*", "")}, True),
        ({"customAllowedRestarts": OWN.replace("2", "1")}, True),
        ({"failureEnabled": False}, False),
    ],
)
def test_restarts_are_changes_of_the_start_time(params: dict[str, object], is_bad: bool) -> None:
    cluster = FakeCluster()
    asked = WrittenQueries(cluster, {API_SERVER: [5, 5, 65, 65, 185, 185]})
    build_result = measured(RESTARTS, asked, cluster, 5, enableViolations=True, **params)
    assert json.loads(build_result.summaries[0].content) == [
        {"Container": "c", "Pod": "kube-apiserver-1", "Namespace": "n", "RestartCount": 2}
    ]
    assert bool(build_result.errors) is is_bad


def test_too_many_restarts_are_told_in_the_words_of_clusterloader2() -> None:
    cluster = FakeCluster()
    asked = WrittenQueries(cluster, {API_SERVER: [5, 65]})
    build_result = measured(RESTARTS, asked, cluster, 1, enableViolations=True)
    assert build_result.errors == (
        (
            "container restarts: container restart count validation: [restartCount({Container:c "
            "Pod:kube-apiserver-1 Namespace:n}) = 1, expected <= 0]"
        ),
    )


def test_without_containers_the_list_is_empty_and_the_verdict_says_so() -> None:
    cluster = FakeCluster()
    build_result = measured(RESTARTS, ScriptedQueries(cluster), cluster)
    assert build_result.summaries[0].content == "[]\n"
    assert build_result.verdicts[0].is_empty


@pytest.mark.parametrize(
    "text", ["a: b", "- x", "- [", "- 2020-99-99", "- allowedRestarts: some", "- pod: web-("]
)
def test_allowances_that_cannot_be_read_are_an_error(text: str) -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster)
    build_result = measured(RESTARTS, asked, cluster, customAllowedRestarts=text)
    assert "params.customAllowedRestarts" in build_result.errors[0]
