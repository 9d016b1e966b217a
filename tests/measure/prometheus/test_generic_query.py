from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from tests.measure.fake_cluster import FakeCluster
from tests.measure.prometheus.fake_queries import Bench, Rows, ScriptedQueries

if TYPE_CHECKING:
    from kubestage.measure.results import MeasurementResult

METHOD = "GenericPrometheusQuery"
START: dict[str, Any] = {"metricName": "own metric", "metricVersion": "v1", "unit": "ms"}


def _gathered(
    script: dict[str, Rows | str], *queries: dict[str, Any], **params: Any
) -> tuple[MeasurementResult, ScriptedQueries]:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, script)
    bench = Bench(METHOD, cluster, queries=asked)
    bench.perform(action="start", queries=list(queries), **START, **params)
    cluster.moments.run(60)
    return bench.perform(action="gather", enableViolations=True), asked


def test_values_are_put_into_one_row_and_every_placeholder_is_the_time_measured() -> None:
    build_result, asked = _gathered(
        {"fast": [({}, 7.0)], "two": [({}, 5.25)]},
        {"name": "fast", "query": "fast[%v]", "threshold": 30},
        {"name": "two", "query": "two[%v] + other[%v]"},
        {"name": "none", "query": "nothing[%v]", "threshold": 42},
    )
    assert [text for text, _ in asked.asked] == [
        "fast[60s]",
        "two[60s] + other[60s]",
        "nothing[60s]",
    ]
    (summary,) = build_result.summaries
    assert summary.name == "GenericPrometheusQuery own metric"
    assert summary.content == (
        '{\n  "version": "v1",\n  "dataItems": [\n    {\n      "data": {\n        "fast": 7,\n'
        '        "two": 5.25\n      },\n      "unit": "ms"\n    }\n  ]\n}\n'
    )
    assert not build_result.errors
    assert [(each.name, each.passed, each.samples) for each in build_result.verdicts] == [
        ("fast", True, 1),
        ("none", True, 0),
    ]


def test_a_query_without_samples_is_shown_even_if_it_has_no_threshold() -> None:
    result, _ = _gathered({}, {"name": "lag", "query": "lag[%v]"})
    assert [(each.name, each.is_empty) for each in result.verdicts] == [("lag", True)]
    assert '"dataItems": null' in result.summaries[0].content
    assert not result.errors


def test_dimensions_make_rows_and_a_label_that_is_missing_is_empty() -> None:
    build_result, _ = _gathered(
        {
            "p99": [({"a": "1", "b": "2", "c": "3"}, 1.0), ({"a": "1"}, 2.0)],
            "p50": [({"a": "1", "b": "2"}, 3.0)],
        },
        {"name": "p99", "query": "p99"},
        {"name": "p50", "query": "p50"},
        dimensions=["a", "b"],
    )
    items = json.loads(build_result.summaries[0].content)["dataItems"]
    assert [(each["labels"], each["data"]) for each in items] == [
        ({"a": "1", "b": "2"}, {"p50": 3, "p99": 1}),
        ({"a": "1", "b": ""}, {"p99": 2}),
    ]


@pytest.mark.parametrize(
    ("rows", "query", "problem"),
    [
        (
            [({}, 123.0)],
            {"threshold": 60},
            "sample above threshold: want: less or equal than 60, got: 123",
        ),
        (
            [({}, 42.0)],
            {"threshold": 60, "lowerBound": True},
            "sample below threshold: want: greater or equal than 60, got: 42",
        ),
        ([], {"requireSamples": True}, "query returned no samples for own metric"),
        (
            [({}, 1.0), ({}, 2.5)],
            {},
            "too many samples for []: query returned 2.5 and 1, expected single value.",
        ),
    ],
)
def test_a_violation_names_the_metric_and_the_query(
    rows: Rows, query: dict[str, Any], problem: str
) -> None:
    build_result, _ = _gathered({"x": rows}, {"name": "q", "query": "x", **query})
    assert build_result.errors == (f"own metric: [q: {problem}]",)
    assert all(not each.passed for each in build_result.verdicts)


def test_a_bound_is_itself_allowed() -> None:
    for lower in (True, False):
        build_result, _ = _gathered(
            {"x": [({}, 60.0)]},
            {"name": "q", "query": "x", "threshold": 60, "lowerBound": lower},
        )
        assert not build_result.errors


def test_without_rows_the_file_says_so_and_what_is_no_number_is_no_row() -> None:
    build_result, _ = _gathered({"x": [({}, float("nan"))]}, {"name": "q", "query": "x"})
    assert json.loads(build_result.summaries[0].content) == {"version": "v1", "dataItems": None}


def test_what_json_cannot_say_is_an_error() -> None:
    build_result, _ = _gathered({"x": [({}, float("inf"))]}, {"name": "q", "query": "x"})
    assert "unsupported value" in build_result.errors[0]


def test_a_query_that_fails_is_an_error() -> None:
    build_result, _ = _gathered({"x": "parse error"}, {"name": "q", "query": "x"})
    assert build_result.errors == ("query error: parse error",)


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"metricName": ""}, "params.metricName: metricName is required"),
        ({"metricVersion": ""}, "metricVersion is required"),
        ({"unit": ""}, "unit is required"),
        ({"queries": [{"query": "x"}]}, r"params.queries\[0\].name"),
        ({"queries": [{"name": "x"}]}, "query is required"),
    ],
)
def test_what_is_missing_is_told_at_the_start(params: dict[str, Any], problem: str) -> None:
    cluster = FakeCluster()
    bench = Bench(METHOD, cluster, queries=ScriptedQueries(cluster))
    with pytest.raises(InputError, match=problem):
        bench.perform(**{"action": "start", **START, **params})
