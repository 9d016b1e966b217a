from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.measure.fake_cluster import FakeCluster
from tests.measure.prometheus.fake_queries import (
    Rows,
    ScriptedQueries,
    WrittenQueries,
    measured,
)

if TYPE_CHECKING:
    from kubestage.measure.results import MeasurementResult

METHOD = "APIResponsivenessPrometheus"
PODS = {"resource": "pods", "verb": "POST", "scope": "resource"}


def _row(quantile: str = "0.99", value: float = 0.5, **labels: str) -> tuple[dict[str, str], float]:
    return {**PODS, "quantile": quantile, **labels}, value


def _gathered(
    rows: Rows, counts: Rows | None = None, fast: Rows | None = None, **params: Any
) -> MeasurementResult:
    cluster = FakeCluster()
    script: dict[str, Rows | str] = {
        "quantile_over_time": rows,
        "apiserver_request_sli_duration_seconds_count": [] if counts is None else counts,
        'le="1"': [] if fast is None else fast,
    }
    asked = ScriptedQueries(cluster, script)
    return measured(METHOD, asked, cluster, enableViolations=True, **params)


def test_the_full_query_leaves_out_the_first_five_minutes() -> None:
    for minutes, window in ((10, "300s"), (5.5, "60s"), (2, "60s")):
        cluster = FakeCluster()
        asked = ScriptedQueries(cluster)
        measured(METHOD, asked, cluster, minutes=minutes)
        assert asked.asked[0][0] == (
            "quantile_over_time(0.99, apiserver:apiserver_request_sli_latency_1m:"
            'histogram_quantile{verb!="WATCH", '
            f'subresource!~"log|exec|portforward|attach|proxy"}}[{window}])'
        )
        assert len(asked.asked) == 6


def test_the_simple_query_asks_for_each_percentile_over_all_the_time() -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster)
    measured(METHOD, asked, cluster, useSimpleLatencyQuery=True)
    latencies = [expression for expression, _ in asked.asked[:6]]
    assert [text[:25] for text in latencies[::2]] == [
        "histogram_quantile(0.50, ",
        "histogram_quantile(0.90, ",
        "histogram_quantile(0.99, ",
    ]
    assert all("[600s]" in text for text in latencies)
    assert all("apiserver_watch_list_duration_seconds_bucket{}" in text for text in latencies[1::2])
    assert len(asked.asked) == 11


def test_the_summary_is_perf_data_with_the_slowest_first() -> None:
    rows = [
        _row("0.50", 0.25),
        _row("0.90", 0.5),
        _row("0.99", 0.75),
        _row(resource="nodes", verb="LIST", scope="cluster", value=2),
    ]
    build_result = _gathered(rows, [(PODS, 122.6)], [(PODS, 118.2)], summaryName="Own")
    (summary,) = build_result.summaries
    assert (summary.name, summary.ext) == ("Own", "json")
    document = json.loads(summary.content)
    assert document["version"] == "v1"
    assert document["dataItems"] == [
        {
            "data": {"Perc50": 0, "Perc90": 0, "Perc99": 2000},
            "unit": "ms",
            "labels": {
                "Verb": "LIST",
                "Resource": "nodes",
                "Subresource": "",
                "Scope": "cluster",
                "Count": "0",
                "SlowCount": "0",
            },
        },
        {
            "data": {"Perc50": 250, "Perc90": 500, "Perc99": 750},
            "unit": "ms",
            "labels": {
                "Verb": "POST",
                "Resource": "pods",
                "Subresource": "",
                "Scope": "resource",
                "Count": "123",
                "SlowCount": "5",
            },
        },
    ]
    assert not build_result.errors


@pytest.mark.parametrize(
    ("rows", "is_bad"),
    [
        ([_row(value=1.0)], False),
        ([_row(value=1.001)], True),
        ([_row("0.50", 1.2), _row(value=0.5)], True),
        ([_row(value=29, scope="namespace")], False),
        ([_row(value=31, scope="namespace")], True),
        ([_row(value=29, scope="cluster")], False),
        ([_row(value=31, scope="")], True),
    ],
)
def test_a_call_on_one_object_has_a_second_and_all_others_thirty(rows: Rows, is_bad: bool) -> None:
    build_result = _gathered(rows)
    assert bool(build_result.errors) is is_bad
    assert [verdict.passed for verdict in build_result.verdicts] == [not is_bad]


def test_a_violation_is_told_in_the_words_of_clusterloader2() -> None:
    build_result = _gathered([_row(value=1.5)], [(PODS, 10)], [(PODS, 7)])
    assert build_result.errors == (
        (
            "top latency metric: there should be no high-latency requests, but: [got: "
            "&{Resource:pods Subresource: Verb:POST Scope:resource Latency:perc50: 0s, perc90: 0s, "
            "perc99: 1.5s Count:10 SlowCount:3}; expected perc99 <= 1s]"
        ),
    )


def test_some_slow_calls_may_be_allowed() -> None:
    for allowed, is_bad in ((2, True), (3, False)):
        build_result = _gathered(
            [_row(value=1.5)], [(PODS, 10)], [(PODS, 7)], allowedSlowCalls=allowed
        )
        assert bool(build_result.errors) is is_bad


def test_limits_may_be_changed_for_all_and_for_some() -> None:
    slow = [_row(value=1.5)]
    assert not _gathered(slow, singleResourceThreshold="2s").errors
    own = "- verb: POST\n  resource: pods\n  scope: resource\n  threshold: {}\n"
    assert not _gathered(slow, customThresholds=own.format("1600ms")).errors
    assert (
        "expected perc99 <= 400ms"
        in _gathered([_row()], customThresholds=own.format("400ms")).errors[0]
    )


def test_a_limit_for_calls_that_were_never_made_is_a_warning() -> None:
    own = "- {verb: PUT, resource: leases, scope: namespace, threshold: 1s}"
    build_result = _gathered([_row()], customThresholds=own)
    assert build_result.warnings == (
        "unrecognized custom threshold API call key: leases||PUT|namespace",
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("im: not\na: list", "must be a list"),
        ("- {verb: PUT}", "positive time duration"),
        ("- {verb: PUT, threshold: soon}", "invalid duration"),
        ("- [", "no YAML"),
        ("- 2020-99-99", "no YAML"),
    ],
)
def test_limits_that_cannot_be_read_are_an_error(text: str, problem: str) -> None:
    build_result = _gathered([_row()], customThresholds=text)
    assert problem in build_result.errors[0]
    assert "params.customThresholds" in build_result.errors[0]


def test_a_limit_for_one_object_that_cannot_be_read_is_not_used() -> None:
    build_result = _gathered([_row(value=1.5)], singleResourceThreshold="soon")
    assert "invalid singleResourceThreshold value" in build_result.warnings[0]
    assert "expected perc99 <= 1s" in build_result.errors[0]


def test_without_violations_a_slow_call_is_told_and_does_not_fail() -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, {"quantile_over_time": [_row(value=1.5)]})
    build_result = measured(METHOD, asked, cluster)
    assert not build_result.errors
    assert "top latency metric" in build_result.warnings[0]
    assert [(each.passed, each.is_enforced) for each in build_result.verdicts] == [(False, False)]


def test_a_verdict_on_nothing_says_so() -> None:
    (verdict,) = _gathered([]).verdicts
    assert (verdict.passed, verdict.samples, verdict.is_empty) == (True, 0, True)


def test_calls_that_were_counted_and_not_timed_are_no_samples() -> None:
    (verdict,) = _gathered([], [(PODS, 10)]).verdicts
    assert (verdict.value, verdict.samples, verdict.is_empty) == (None, 0, True)


def test_a_verdict_is_on_the_slowest_of_its_calls_and_rests_on_all() -> None:
    nodes = {**PODS, "resource": "nodes"}
    rows = [_row(value=0.5), _row(value=0.75, resource="nodes")]
    (verdict,) = _gathered(rows, [(PODS, 10), (nodes, 5)]).verdicts
    assert (verdict.name, verdict.value, verdict.threshold, verdict.samples) == (
        "API call p99 (scope resource)",
        0.75,
        1.0,
        15,
    )


def test_lists_that_are_watched_have_a_verb_of_their_own() -> None:
    cluster = FakeCluster()
    watched = {"resource": "pods", "scope": "cluster"}
    asked = ScriptedQueries(cluster, {"apiserver_watch_list_duration": [(watched, 1.4)]})
    build_result = measured(METHOD, asked, cluster, useSimpleLatencyQuery=True)
    (item,) = json.loads(build_result.summaries[0].content)["dataItems"]
    assert (item["labels"]["Verb"], item["data"]["Perc50"]) == ("WATCHLIST", 1400)


def test_the_rules_of_clusterloader2_feed_the_full_query() -> None:
    cluster = FakeCluster()
    name = "apiserver_request_sli_duration_seconds"
    call = 'resource="pods",scope="resource",verb="POST"'
    grown = [0.0] * 6 + [1, 101, 101, 101, 101]
    fast = [0.0] * 6 + [1, 91, 91, 91, 91]
    asked = WrittenQueries(
        cluster,
        {
            f'{name}_bucket{{{call},le="1"}}': fast,
            f'{name}_bucket{{{call},le="5"}}': grown,
            f'{name}_bucket{{{call},le="+Inf"}}': grown,
            f"{name}_count{{{call}}}": grown,
        },
    )
    build_result = measured(METHOD, asked, cluster, enableViolations=True)
    (item,) = json.loads(build_result.summaries[0].content)["dataItems"]
    assert item["data"]["Perc99"] == pytest.approx(4600, rel=0.05)
    assert (item["labels"]["Count"], item["labels"]["SlowCount"]) == ("101", "10")
    assert build_result.errors
