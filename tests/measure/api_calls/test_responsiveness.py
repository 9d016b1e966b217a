from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cluster.access import Page
from kubestage.measure.api_calls.responsiveness import PAGE
from tests.cluster.stages import alive, create, pod
from tests.measure.fake_cluster import FakeCluster
from tests.measure.prometheus.fake_queries import Bench

if TYPE_CHECKING:
    from kubestage.measure.results import MeasurementResult

METHOD = "APIResponsiveness"
SLI = "apiserver_request_sli_duration_seconds"
POST = 'resource="pods",scope="resource",verb="POST"'


def _lines(counts: dict[str, int], call: str = POST, metric: str = SLI) -> str:
    lines = [f'{metric}_bucket{{{call},le="{bound}"}} {count}' for bound, count in counts.items()]
    return "\n".join(lines) + "\n"


def _gathered(before: str, after: str, **params: Any) -> MeasurementResult:
    cluster = FakeCluster()
    bench = Bench(METHOD, cluster)
    cluster.pages[PAGE] = Page(200, before)
    assert not bench.perform(action="start").errors
    cluster.pages[PAGE] = Page(200, after)
    return bench.perform(action="gather", **params)


def _items(outcome: MeasurementResult) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(outcome.summaries[0].content)["dataItems"] or []
    return found


def test_only_what_was_added_counts() -> None:
    before = _lines({"0.5": 0, "1": 1000, "+Inf": 1000})
    outcome = _gathered(before, _lines({"0.5": 100, "1": 1100, "+Inf": 1100}))
    (summary,) = outcome.summaries
    assert summary.name == "APIResponsiveness_own-name"
    (item,) = _items(outcome)
    assert item["data"] == {"Perc50": 250, "Perc90": 450, "Perc99": 495}
    assert item["labels"] == {
        "Count": "100",
        "Resource": "pods",
        "Scope": "resource",
        "SlowCount": "0",
        "Subresource": "",
        "Verb": "POST",
    }
    assert not outcome.errors


def test_a_slow_call_fails_unless_that_is_switched_off_or_allowed() -> None:
    after = _lines({"1": 90, "5": 100, "+Inf": 100})
    outcome = _gathered("", after)
    assert "top latency metric: there should be no high-latency requests" in outcome.errors[0]
    assert "Count:100 SlowCount:10" in outcome.errors[0]
    assert not outcome.verdicts[0].passed
    told = _gathered("", after, enableViolations=False)
    assert not told.errors
    assert told.warnings
    assert not _gathered("", after, allowedSlowCalls=10).errors
    assert not _gathered("", after, singleResourceThreshold="5s").errors


@pytest.mark.parametrize(
    ("call", "slow"),
    [
        ('resource="pods",scope="namespace",verb="LIST"', "4"),
        ('resource="pods",scope="cluster",verb="LIST"', "1"),
        ('resource="pods",scope="resource",verb="GET"', "9"),
    ],
)
def test_what_counts_as_slow_depends_on_the_call(call: str, slow: str) -> None:
    after = _lines({"1": 1, "5": 6, "30": 9, "+Inf": 10}, call)
    (item,) = _items(_gathered("", after))
    assert item["labels"]["SlowCount"] == slow


@pytest.mark.parametrize(
    "call",
    [
        'resource="pods",scope="cluster",verb="WATCH"',
        'resource="pods",subresource="log",verb="GET"',
        'resource="pods",subresource="exec",verb="POST"',
    ],
)
def test_calls_that_last_are_left_out(call: str) -> None:
    outcome = _gathered("", _lines({"1": 0, "+Inf": 10}, call))
    assert _items(outcome) == []
    assert outcome.verdicts[0].is_empty


def test_servers_groups_and_versions_are_added_up() -> None:
    after = _lines({"1": 5, "+Inf": 5}, POST + ',group="a"') + _lines(
        {"1": 7, "+Inf": 7}, POST + ',group="b"'
    )
    (item,) = _items(_gathered("", after))
    assert item["labels"]["Count"] == "12"


def test_an_older_server_is_read_by_its_older_metric() -> None:
    old = _lines({"1": 3, "+Inf": 3}, metric="apiserver_request_duration_seconds")
    (item,) = _items(_gathered("", old))
    assert item["labels"]["Count"] == "3"
    (item,) = _items(_gathered("", old + _lines({"1": 9, "+Inf": 9})))
    assert item["labels"]["Count"] == "9"


def test_a_server_that_was_started_anew_counts_from_zero() -> None:
    (item,) = _items(_gathered(_lines({"1": 100, "+Inf": 100}), _lines({"1": 4, "+Inf": 4})))
    assert item["labels"]["Count"] == "4"


def test_lists_that_are_watched_are_told_apart() -> None:
    watched = _lines(
        {"1": 1, "+Inf": 2},
        'resource="pods",scope="cluster"',
        "apiserver_watch_list_duration_seconds",
    )
    (item,) = _items(_gathered("", watched))
    assert (item["labels"]["Verb"], item["labels"]["SlowCount"]) == ("WATCHLIST", "0")


def test_a_page_that_is_not_there_is_an_error() -> None:
    assert Bench(METHOD, FakeCluster()).perform(action="start").errors == (
        "the API server's /metrics answered 404",
    )


def test_limits_that_cannot_be_read_are_an_error() -> None:
    outcome = _gathered("", _lines({"1": 1, "+Inf": 1}), customThresholds="a: b")
    assert "params.customThresholds" in outcome.errors[0]


def test_a_stage_is_measured_as_a_cluster_is() -> None:
    stage, cluster = alive(nodes=2)
    bench = Bench(METHOD, cluster)  # type: ignore[arg-type]
    told: list[MeasurementResult] = []

    def perform(action: str) -> None:
        result = bench.measurement.perform(bench.measurement.params_type(action=action))
        result.then(told.append)  # type: ignore[union-attr]
        stage.run("10s")

    perform("reset")
    for index in range(5):
        cluster.call(create(pod(f"p{index}")), _ignore)
    stage.run("10s")
    perform("gather")
    created = [
        item["labels"]["Count"]
        for item in _items(told[1])
        if item["labels"]["Verb"] == "POST" and item["labels"]["Resource"] == "pods"
    ]
    assert "5" in created
    assert all(verdict.passed for verdict in told[1].verdicts)


def _ignore(answer: object) -> None:
    del answer
