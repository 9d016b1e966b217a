from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.cluster.access import Page
from kubestage.errors import InputError
from kubestage.measure.prometheus import query_measurement
from kubestage.measure.registry import METHODS
from tests.measure.fake_cluster import FakeCluster
from tests.measure.prometheus.fake_queries import Bench, ScriptedQueries, measured

if TYPE_CHECKING:
    from kubestage.measure.results import MeasurementResult

ASKING = [
    method
    for method, find in METHODS.items()
    if find().__module__.startswith("kubestage.measure.prometheus.")
    and method != "KubeStateMetricsLatency"
]
THROUGHPUT = "SchedulingThroughputPrometheus"


@pytest.mark.parametrize("method", ASKING)
def test_without_a_prometheus_all_are_skipped(method: str) -> None:
    bench = Bench(method, FakeCluster())
    for action in ("start", "gather"):
        assert bench.perform(action=action).skipped == "Prometheus is disabled"


def test_the_time_measured_is_in_whole_seconds_and_ends_with_the_gathering() -> None:
    cluster = FakeCluster()
    cluster.moments.run(7)
    asked = ScriptedQueries(cluster)
    measured(THROUGHPUT, asked, cluster, minutes=90.9 / 60)
    ((expression, at_ns),) = asked.asked
    assert "[90s:5s]" in expression
    assert at_ns == round(97.9e9)


def test_an_unknown_client_is_refused() -> None:
    cluster = FakeCluster()
    bench = Bench(THROUGHPUT, cluster, queries=ScriptedQueries(cluster))
    with pytest.raises(InputError, match="unknown Prometheus client"):
        bench.perform(action="start", prometheusClient="own")
    with pytest.raises(InputError, match="unknown action"):
        bench.perform(action="stop")


def test_a_real_prometheus_is_asked_again_for_a_while() -> None:
    cluster = FakeCluster(is_stage=False)
    asked = ScriptedQueries(cluster, {"irate": "overloaded"})
    bench = Bench(THROUGHPUT, cluster, queries=asked)
    bench.perform(action="start")
    cluster.moments.run(60)
    result = bench.measurement.perform(bench.measurement.params_type(action="gather"))
    cluster.moments.run(45)
    assert len(asked.asked) == 2
    asked.script = {"irate": [({}, 5.0)]}
    cluster.moments.run(30)
    assert len(asked.asked) == 3
    assert not hasattr(result, "errors")
    assert result.is_resolved


def test_it_is_not_asked_for_ever_and_a_stage_not_even_twice() -> None:
    for is_stage, times in ((False, 31), (True, 1)):
        cluster = FakeCluster(is_stage=is_stage)
        asked = ScriptedQueries(cluster, {"irate": "broken"})
        bench = Bench(THROUGHPUT, cluster, queries=asked)
        bench.perform(action="start")
        description: list[MeasurementResult] = []
        result = bench.measurement.perform(bench.measurement.params_type(action="gather"))
        result.then(description.append)  # type: ignore[union-attr]
        cluster.moments.run(3600)
        assert len(asked.asked) == times
        assert description[0].errors == ("query error: broken",)


@pytest.mark.parametrize(
    ("page", "histogram"),
    [
        (Page(200, '{"major": "1", "minor": "22"}'), "apiserver_request_duration_seconds"),
        (Page(200, '{"major": "1", "minor": "25+"}'), "apiserver_request_slo_duration_seconds"),
        (Page(200, '{"major": "1", "minor": "26"}'), "apiserver_request_sli_duration_seconds"),
        (Page(200, "no JSON"), "apiserver_request_sli_duration_seconds"),
        (Page(200, "[]"), "apiserver_request_sli_duration_seconds"),
        (Page(403, ""), "apiserver_request_sli_duration_seconds"),
    ],
)
def test_older_servers_have_other_words_for_their_latencies(page: Page, histogram: str) -> None:
    assert query_measurement.metric_names(page).histogram == histogram


def test_what_is_asked_follows_the_version() -> None:
    cluster = FakeCluster()
    cluster.pages["/version"] = Page(200, '{"major": "1", "minor": "24"}')
    asked = ScriptedQueries(cluster)
    measured("APIResponsivenessPrometheus", asked, cluster)
    assert "apiserver:apiserver_request_slo_latency_1m:histogram_quantile{" in asked.asked[0][0]
    assert "apiserver_request_slo_duration_seconds_count{" in asked.asked[1][0]
