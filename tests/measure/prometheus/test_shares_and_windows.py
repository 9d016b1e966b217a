from __future__ import annotations

import json

import pytest

from kubestage.measure.prometheus.windows import USAGES
from tests.measure.fake_cluster import UNIX_NS, FakeCluster
from tests.measure.prometheus.fake_queries import Rows, ScriptedQueries, measured

CILIUM = "CiliumEndpointPropagationDelay"
NEG = "NegLatency"
WINDOWS = "WindowsResourceUsagePrometheus"


def _buckets(within: float, all_of_them: float, bound: str = "600") -> Rows:
    return [({"le": bound}, within), ({"le": "+Inf"}, all_of_them)]


def test_windows_of_ten_minutes_cover_the_time_measured() -> None:
    for minutes, spans in ((25, ["600s", "600s", "300s"]), (10, ["600s"]), (0, ["0s"])):
        cluster = FakeCluster()
        asked = ScriptedQueries(cluster)
        measured(CILIUM, asked, cluster, minutes)
        assert [
            text.partition("[")[2][: len(span)]
            for (text, _), span in zip(asked.asked, spans, strict=True)
        ] == spans
        assert asked.asked[-1][1] == minutes * 60_000_000_000


@pytest.mark.parametrize(
    ("within", "params", "is_bad"),
    [
        (95, {}, False),
        (94, {}, True),
        (94, {"percentileSLO": 90}, False),
        (95, {"bucketSLO": 1}, True),
    ],
)
def test_enough_endpoints_have_to_be_known_in_time(
    within: int, params: dict[str, int], is_bad: bool
) -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, {"cilium": _buckets(within, 100)})
    build_result = measured(CILIUM, asked, cluster, enableViolations=True, **params)
    assert bool(build_result.errors) is is_bad


def test_the_delay_is_told_by_the_time_of_each_window() -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, {"cilium": _buckets(90.4, 99.6)})
    build_result = measured(CILIUM, asked, cluster, 10.0001, enableViolations=True)
    first, second = (UNIX_NS // 10**9 + 600, f"{UNIX_NS // 10**9 + 600}.006")
    counts = {"+Inf": 100, "600": 90}
    assert json.loads(build_result.summaries[0].content) == {str(first): counts, second: counts}
    assert build_result.errors == (
        (
            f"Cilium endpoint propagation delay: {first}: updates for 600s delay is within 90%, "
            "expected 95%, buckets:\nmap[+Inf:100 600:90]"
        ),
    )


@pytest.mark.parametrize("script", [{}, {"cilium": "broken"}, {"cilium": [({"le": "+Inf"}, 0.0)]}])
def test_without_endpoints_the_verdict_is_empty(script: dict[str, Rows | str]) -> None:
    cluster = FakeCluster()
    build_result = measured(CILIUM, ScriptedQueries(cluster, script), cluster)
    assert not build_result.errors
    assert build_result.verdicts[0].is_empty


def test_endpoint_groups_have_three_histograms() -> None:
    cluster = FakeCluster()
    script: dict[str, Rows | str] = {
        "initialization": _buckets(99, 100, "16"),
        '"Attach"': _buckets(50, 100, "64"),
    }
    build_result = measured(NEG, ScriptedQueries(cluster, script), cluster, enableViolations=True)
    assert json.loads(build_result.summaries[0].content) == {
        "neg_attach_endpoint": {"+Inf": 100, "64": 50},
        "neg_initialization": {"+Inf": 100, "16": 99},
    }
    assert build_result.errors == (
        (
            "neg_attach_endpoint: Updates for 64s latency is within 50%, expected 95%, buckets:\n"
            "map[+Inf:100 64:50]"
        ),
    )
    assert [(each.passed, each.samples) for each in build_result.verdicts] == [
        (True, 1),
        (False, 1),
        (True, 0),
    ]


def test_endpoint_groups_may_be_given_other_bounds() -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, {'"Attach"': _buckets(50, 100, "64")})
    build_result = measured(
        NEG, asked, cluster, enableViolations=True, negAttachPercentileSLO=50, negAttachBucketSLO=64
    )
    assert not build_result.errors


def test_windows_nodes_are_told_of_in_seven_files() -> None:
    cluster = FakeCluster()
    asked = ScriptedQueries(cluster, {"working_set": [({"process": "svc"}, 3.456 * 1024 * 1024)]})
    build_result = measured(WINDOWS, asked, cluster)
    assert [each.name for each in build_result.summaries] == [usage.summary for usage in USAGES]
    assert json.loads(build_result.summaries[1].content)["dataItems"] == [
        {"data": {"Memory_Usage": 3.46}, "unit": "MB", "labels": {"Process": "svc"}}
    ]
    assert json.loads(build_result.summaries[0].content)["dataItems"] is None
    named = measured(WINDOWS, asked, cluster, summaryName="Own")
    assert {each.name for each in named.summaries} == {"Own"}


def test_a_query_of_windows_nodes_that_fails_is_an_error() -> None:
    cluster = FakeCluster()
    build_result = measured(WINDOWS, ScriptedQueries(cluster, {"volume": "broken"}), cluster)
    assert build_result.errors == ("query error: broken",)
