from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter.disruption import budgets
from kubestage.controllers.karpenter.state.cluster_state import ClusterState
from kubestage.objects import timestamps
from tests.controllers.karpenter import objects

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.events import Event

NOW_NS = objects.START_NS


def _pool(*stated: Json) -> Json:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["budgets"] = list(stated)
    return pool


def _allowed(*stated: Json, count: int = 10, reason: str = "Empty", now: str = "") -> int:
    now_ns = timestamps.parse_time(now) if now else NOW_NS
    return budgets.allowed(_pool(*stated), count, reason, now_ns)


@pytest.mark.parametrize(
    ("stated", "count", "expected"),
    [
        ("0", 10, 0),
        ("3", 10, 3),
        ("30", 10, 30),
        ("10%", 10, 1),
        ("10%", 11, 2),
        ("1%", 1, 1),
        ("0%", 10, 0),
        ("100%", 7, 7),
        ("10%", 0, 0),
    ],
)
def test_percentages_are_rounded_up(stated: str, count: int, expected: int) -> None:
    assert _allowed({"nodes": stated}, count=count) == expected


def test_the_least_of_the_budgets_for_a_reason_counts() -> None:
    stated: list[Json] = [
        {"nodes": "5"},
        {"nodes": "2", "reasons": ["Drifted", "Empty"]},
        {"nodes": "1", "reasons": ["Underutilized"]},
        {"nodes": "0", "reasons": []},
    ]
    assert _allowed(*stated, reason="Empty") == 2
    assert _allowed(*stated, reason="Underutilized") == 1
    assert _allowed() == budgets.UNBOUNDED


def test_a_budget_without_nodes_allows_nothing() -> None:
    assert _allowed({}) == 0


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2000-01-03T08:59:00Z", budgets.UNBOUNDED),
        ("2000-01-03T09:00:00Z", 0),
        ("2000-01-03T16:59:59Z", 0),
        ("2000-01-03T17:00:00Z", budgets.UNBOUNDED),
        ("2000-01-02T12:00:00Z", budgets.UNBOUNDED),
    ],
)
def test_a_schedule_counts_for_its_duration(now: str, expected: int) -> None:
    office_hours = {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}
    assert _allowed(office_hours, now=now) == expected


def test_hits_within_the_duration_prolong_it() -> None:
    hourly = {"nodes": "0", "schedule": "@hourly", "duration": "90m"}
    assert _allowed(hourly, now="2000-01-01T00:59:00Z") == 0


def test_a_budget_that_cannot_be_read_allows_nothing_whatever_its_reason() -> None:
    broken = {"nodes": "5", "schedule": "often", "duration": "1h", "reasons": ["Drifted"]}
    assert _allowed({"nodes": "5"}, broken, reason="Empty") == 0
    assert _allowed({"nodes": "many"}) == 0


def _cluster(count: int) -> ClusterState:
    cluster = ClusterState(now_ns=NOW_NS)
    for number in range(count):
        stated = objects.labels("m.4")
        cluster.update(objects.node_claim(f"n{number}", stated))
        cluster.update(objects.node(f"n{number}", stated))
    return cluster


def test_nodes_that_are_unready_or_on_their_way_use_up_the_budget() -> None:
    cluster = _cluster(5)
    unready = objects.node("n0", objects.labels("m.4"))
    unready["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    cluster.update(unready)
    cluster.mark_for_deletion(["sim://n1"])
    starting = objects.node("n2", objects.labels("m.4"))
    del starting["metadata"]["labels"]["karpenter.sh/initialized"]
    cluster.update(starting)
    # Four are initialized, three quarters of which are three, and two are in use.
    found = budgets.remaining(cluster.nodes(), [_pool({"nodes": "75%"})], "Empty", NOW_NS)
    assert found == {"default": 1}


def test_a_budget_that_allows_nothing_is_an_event_if_there_are_nodes() -> None:
    published: list[Event] = []
    pools = [_pool({"nodes": "0"}), objects.node_pool("other")]
    budgets.remaining(_cluster(1).nodes(), pools, "Empty", NOW_NS, published.append)
    assert [(event.kind, event.name, event.message) for event in published] == [
        (
            "NodePool",
            "default",
            "No allowed disruptions for disruption reason Empty due to blocking budget",
        )
    ]
    budgets.remaining([], pools, "Empty", NOW_NS, published.append)
    assert len(published) == 1
