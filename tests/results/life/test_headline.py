"""The news of a run: bounded, and the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.life import headline
from tests.results.life.lives import SUMMARY

if TYPE_CHECKING:
    from kubestage.aliases import Json

CALM: Json = {
    "pending": {"peak": 0},
    **{
        name: []
        for name in (
            "workloads", "nodesNotReady", "restarts", "evictions", "budgetsRefused", "jobsFailed",
        )
    },
}  # fmt: skip


def _news(**health: list[Json]) -> list[str]:
    return headline.of({**SUMMARY, "traffic": [], "health": {**CALM, **health}})


def _workload(name: str, seconds: float, lowest: int = 1, ready: int = 3) -> Json:
    return {
        "workload": name,
        "desired": 3,
        "readyAtEnd": ready,
        "readyLowest": lowest,
        "readyLowestAtSeconds": 90.0,
        "desiredAtLowest": 3,
        "belowDesiredSeconds": seconds,
        "lostSeconds": seconds,
        "windows": [[90.0, 90.0 + seconds]],
        "rollouts": [],
        "everReady": True,
    }


def test_what_is_down_at_the_end_comes_first_then_what_was_gone_altogether() -> None:
    rows = [_workload("a", 900), _workload("b", 60, lowest=0), _workload("c", 5, ready=2)]
    assert [line.partition(" ")[0] for line in _news(workloads=rows)] == ["c", "b", "a"]


def test_many_workloads_are_a_few_lines() -> None:
    news = _news(workloads=[_workload(f"w{at}", 100 - at) for at in range(30)])
    assert len(news) == 6
    assert news[0] == "w0 was below its 3 replicas for 1m40s (lowest 1, at 1m30s)"
    assert news[-1] == "25 other workloads were below the desired replicas, for 1m35s at most"


def test_many_nodes_evictions_and_restarts_are_one_line_each() -> None:
    nodes = [{"node": f"n{at}", "seconds": 60.0 + at, "everReady": True} for at in range(8)]
    evictions = [
        {"workload": f"w{at}", "pods": 2, "reasons": {"TaintManagerEviction": 2}} for at in range(9)
    ]
    restarts = [{"workload": f"w{at}", "restarts": at} for at in range(1, 8)]
    assert _news(nodesNotReady=nodes, evictions=evictions, restarts=restarts) == [
        "8 nodes were NotReady, for 1m7s at most: n0, n1, n2, n3, n4 and 3 more",
        "28 container restarts: 7 of w7, 6 of w6, 5 of w5, 4 of w4, 3 of w3 and 2 more",
        "18 pods of 9 workloads were evicted (TaintManagerEviction)",
    ]


def test_a_run_that_was_kept_without_health_tells_of_its_requests() -> None:
    assert headline.of(SUMMARY) == ["0.12% of 90,000 requests of default/web failed (105 timeout)"]
