from __future__ import annotations

import json

import pytest

from kubestage.cluster.access import Page
from kubestage.errors import InputError
from kubestage.measure.prometheus import kube_state_metrics
from tests.measure.fake_cluster import FakeCluster
from tests.measure.prometheus.fake_queries import Bench, Rows, ScriptedQueries, measured

DNS = "NodeLocalDNSLatencyPrometheus"
NETWORK = "NetworkProgrammingLatency"
SERVER = "MetricsServerPrometheus"
SCHEDULING = "PrometheusSchedulingMetrics"
STATE = "KubeStateMetricsLatency"


def test_node_local_dns_is_one_row_without_a_frame() -> None:
    cluster = FakeCluster()
    script: dict[str, Rows | str] = {
        "(0.5,": [({}, 0.001)],
        "(0.9,": [({}, 0.25)],
        "(0.99,": [({}, 5.5)],
    }
    asked = ScriptedQueries(cluster, script)
    build_result = measured(DNS, asked, cluster, enableViolations=True)
    assert json.loads(build_result.summaries[0].content) == {
        "data": {"Perc50": 1, "Perc90": 250, "Perc99": 5500},
        "unit": "ms",
        "labels": {"Metric": DNS},
    }
    assert build_result.errors == (
        (
            "NodelocalDNS dns_request_duration_seconds: 99th Percentile Latency 5.5s is higher "
            "than the upper bound of 5s"
        ),
    )
    assert not measured(DNS, asked, cluster, enableViolations=True, threshold="6s").errors


def test_all_percentiles_that_are_missing_are_told_of() -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, {"(0.5,": "broken"})
    (problem,) = measured(DNS, asked, cluster).errors
    first, second, third = problem.splitlines()
    assert first.startswith("failed to compute latencies, errors - [failed to execute query")
    assert first.endswith("err - query error: broken")
    assert second.startswith("got unexpected number of samples: 0 for query")
    assert third.endswith("]")


def test_the_metrics_server_is_measured_where_there_is_one() -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, {"metrics.k8s.io": [({}, 0.5)]})
    assert measured(SERVER, asked, cluster).skipped
    bench = Bench(SERVER, cluster, queries=asked, features=frozenset({"metrics-server"}))
    bench.perform(action="start")
    cluster.moments.run(60)
    (summary,) = bench.perform(action="gather").summaries
    assert json.loads(summary.content) == {
        "Perc50": 500_000_000,
        "Perc90": 500_000_000,
        "Perc99": 500_000_000,
    }


def test_network_programming_needs_a_kube_proxy_and_a_threshold() -> None:
    stage, real = FakeCluster(), FakeCluster(is_stage=False)
    assert measured(NETWORK, ScriptedQueries(stage), stage, threshold="1s").skipped
    bench = Bench(NETWORK, real, queries=ScriptedQueries(real))
    with pytest.raises(InputError, match="threshold is required"):
        bench.perform(action="start")


@pytest.mark.parametrize(("threshold", "is_bad"), [("30s", False), ("2s", True)])
def test_network_programming_is_the_percentiles_that_rules_record(
    threshold: str, is_bad: bool
) -> None:
    cluster = FakeCluster(is_stage=False)
    rows: Rows = [
        ({"quantile": q}, value) for q, value in (("0.50", 1.0), ("0.90", 2.0), ("0.99", 3.0))
    ]
    asked = ScriptedQueries(cluster, {"kubeproxy:": rows})
    build_result = measured(NETWORK, asked, cluster, threshold=threshold, enableViolations=True)
    document = json.loads(build_result.summaries[0].content)
    assert document["dataItems"][0]["data"] == {"Perc50": 1000, "Perc90": 2000, "Perc99": 3000}
    words = "too high latency 99th percentile: got 3s expected: 2s"
    assert build_result.errors == ((f"Network Programming Latency: {words}",) if is_bad else ())


def test_network_programming_is_judged_only_if_the_start_said_so() -> None:
    cluster = FakeCluster(is_stage=False)
    rows: Rows = [({"quantile": q}, 9.0) for q in ("0.50", "0.90", "0.99")]
    bench = Bench(NETWORK, cluster, queries=ScriptedQueries(cluster, {"kubeproxy:": rows}))
    bench.perform(action="start", threshold="1s")
    cluster.moments.run(60)
    build_result = bench.perform(action="gather", enableViolations=True)
    assert not build_result.errors
    assert [(each.passed, each.is_enforced) for each in build_result.verdicts] == [
        (False, False)
    ] * 3


def test_network_programming_without_all_percentiles_is_an_error() -> None:
    one: Rows = [({"quantile": "0.5"}, 1.0)]
    nameless: Rows = [({}, 1.0)] * 3
    for rows, problem in (
        (one, "got unexpected number of samples: 1"),
        (nameless, "quantile missing in sample {}"),
    ):
        cluster = FakeCluster(is_stage=False)
        asked = ScriptedQueries(cluster, {"kubeproxy:": rows})
        assert measured(NETWORK, asked, cluster, threshold="1s").errors == (problem,)


def test_the_scheduler_is_told_of_by_all_its_extension_points() -> None:
    cluster = FakeCluster()
    buckets: Rows = [({"le": "1"}, 50.0), ({"le": "2"}, 100.0), ({"le": "+Inf"}, 100.0)]
    asked = ScriptedQueries(cluster, {"algorithm_duration": buckets, '"Score"': buckets})
    build_result = measured(SCHEDULING, asked, cluster)
    (summary,) = build_result.summaries
    assert summary.name == "own-name_PrometheusSchedulingMetrics"
    document = json.loads(summary.content)
    assert list(document) == [
        "frameworkExtensionPointDuration",
        "preemptionEvaluationLatency",
        "e2eSchedulingLatency",
        "schedulingLatency",
    ]
    latency = {"Perc50": 1_000_000_000, "Perc90": 1_800_000_000, "Perc99": 1_980_000_000}
    assert document["schedulingLatency"] == latency
    assert document["frameworkExtensionPointDuration"]["Score"] == latency
    assert len(document["frameworkExtensionPointDuration"]) == 11
    assert document["e2eSchedulingLatency"]["Perc99"] == 0
    assert len(asked.asked) == 14


def test_queries_of_the_scheduler_that_fail_are_all_told() -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, {"preemption": "broken"})
    (problem,) = measured(SCHEDULING, asked, cluster).errors
    assert problem.startswith("prometheus scheduler latency gathering errors: [failed to execute")


def _page(fast: int, all_of_them: int) -> Page:
    name = "http_request_duration_seconds_bucket"
    return Page(200, f'{name}{{le="1"}} {fast}\n{name}{{le="+Inf"}} {all_of_them}\n')


def test_kube_state_metrics_is_read_again_and_again_and_its_own_histogram_twice() -> None:
    cluster = FakeCluster()
    assert Bench(STATE, cluster).perform(action="start").skipped
    bench = Bench(STATE, cluster, features=frozenset({"kube-state-metrics"}))
    cluster.pages[kube_state_metrics.OWN_PAGE] = _page(0, 100)
    bench.perform(action="start")
    cluster.moments.run(100)
    cluster.pages[kube_state_metrics.OWN_PAGE] = _page(100, 200)
    (summary,) = bench.perform(action="gather").summaries
    assert json.loads(summary.content) == {
        "Perc50": 500_000_000,
        "Perc90": 900_000_000,
        "Perc99": 990_000_000,
    }
    assert cluster.moments.pending == 0
    assert bench.perform(action="gather").errors == (f"{STATE}: measurement was not running",)


def test_kube_state_metrics_that_do_not_answer_are_an_error() -> None:
    cluster = FakeCluster()
    bench = Bench(STATE, cluster, features=frozenset({"kube-state-metrics"}))
    assert "404" in bench.perform(action="start").errors[0]
    bench.measurement.dispose()
    assert cluster.moments.pending == 0
