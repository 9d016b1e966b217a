"""Living runs that bought other nodes: measures, where they part, and what several seeds say."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.results.comparison.measures import LESS, Measure
from kubestage.results.life import comparison, node_steps, paired
from kubestage.results.life.life import Life
from kubestage.results.life.tables import LifeRows
from tests.results.life.lives import SUMMARY

if TYPE_CHECKING:
    from kubestage.aliases import Json

WEB = "deployment/default/web"


def summary(added: int, **other: Any) -> Json:
    made = copy.deepcopy(SUMMARY)
    nodes = {"added": added, "removed": 0, "lowest": 1, "highest": 1 + added, "atEnd": 1 + added}
    return {**made, "nodes": nodes, "allocation": {"cpu": 0.5, "memory": None}, **other}


def values(*summaries: Json) -> dict[str, tuple[Any, ...]]:
    return {each.key: each.values for each in comparison.measures(summaries)}


def test_of_nodes_that_stay_nothing_is_told() -> None:
    assert "nodesAdded" not in values(summary(0), summary(0))


def test_nodes_are_told_where_any_run_has_news_of_them() -> None:
    told = values(summary(0), summary(2))
    assert told["nodesAdded"] == (0, 2)
    assert told["nodesHighest"] == (1, 3)
    assert told["allocatedShare.cpu"] == (0.5, 0.5)
    assert "allocatedShare.memory" not in told


def test_pods_of_daemon_sets_do_not_move() -> None:
    rows = [
        {"workload": WEB, "pods": 3, "reasons": {"EvictionByEvictionAPI": 3}},
        {"workload": "daemonset/default/agent", "pods": 5, "reasons": {"Evicted": 5}},
    ]
    health = {
        "workloads": [], "nodesNotReady": [], "restarts": [], "evictions": rows,
        "budgetsRefused": [], "jobsFailed": [],
        "pending": {"peak": 0, "longestWaitSeconds": 0.0, "waitSecondsInSum": 12.5},
    }  # fmt: skip
    told = values(summary(1, health=health))
    assert (told["podsMoved"], told["podsEvicted"]) == ((3,), (8,))
    assert told["pendingSeconds"] == (12.5,)


def test_a_record_of_an_older_version_has_none_of_it() -> None:
    told = values(SUMMARY, summary(2))
    assert told["nodesAdded"] == (None, 2)
    assert told["allocatedShare.cpu"] == (None, 0.5)


def life(*nodes: tuple[str, float, float | None, str]) -> Life:
    rows = LifeRows()
    for at, (kind, begin, end, why) in enumerate(nodes):
        name = f"node-{at}-{kind}"
        rows.add(
            "lifetimes", name, "pool", kind, "on-demand", "a", 0.1, begin, end, "for 1 pod", why,
            begin, end, None,
        )  # fmt: skip
    return Life("0.1", 0, "2026-01-01T00:00:00Z", 600.0, 1.0, SUMMARY, rows.tables())


def test_runs_with_the_same_nodes_do_not_part_whatever_these_are_called() -> None:
    first = life(("small", 5.0, 50.0, "Empty"), ("large", 60.0, None, ""))
    other = life(("large", 60.0, None, ""), ("small", 5.0, 50.0, "Empty"))
    assert node_steps.divergence(first, other) is None


def test_the_first_node_that_differs_is_named_with_its_reason() -> None:
    first = life(("small", 5.0, 50.0, "Empty"))
    found = node_steps.divergence(first, life(("small", 5.0, 90.0, "Underutilized")))
    assert found is not None
    assert found.same == 1
    assert found.first is not None
    assert (found.first.what, found.first.at_seconds, found.first.reason) == (
        node_steps.REMOVED, 50.0, "Empty",
    )  # fmt: skip
    assert found.second is not None
    assert found.second.at_seconds == 90.0


def test_a_run_that_does_nothing_more_parts_at_the_next_deed_of_the_other() -> None:
    found = node_steps.divergence(life(("small", 5.0, None, "")), life())
    assert found is not None
    assert (found.same, found.second) == (0, None)


def test_what_was_there_from_the_start_is_no_deed() -> None:
    assert node_steps.steps(life(("small", 0.0, None, ""))) == []


def cost(*numbers: float | None, better: str | None = LESS) -> Measure:
    return Measure("cost", None, better, numbers)


def test_means_are_those_of_each_run() -> None:
    (mean,) = paired.means([cost(1.0, 3.0, None, 4.0)], 2)
    assert mean.values == (2.0, 4.0)


def test_a_difference_beyond_chance_has_a_verdict_and_an_interval() -> None:
    (found,) = paired.compared(["a", "b"], [0, 1, 2], [cost(10, 11, 12, 15.1, 16, 16.9)])
    assert found.mean == pytest.approx(5)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 5 < found.high
    assert (found.verdict, found.seeds) == ("worse", 3)


def test_a_difference_that_may_be_chance_is_undecided() -> None:
    (found,) = paired.compared(["a", "b"], [0, 1, 2], [cost(10, 14, 12, 15, 11, 13)])
    assert found.verdict == "undecided"


def test_seeds_that_a_run_lacks_are_left_out() -> None:
    (found,) = paired.compared(["a", "b"], [0, 1, 2], [cost(1, 2, 3, 2, 3, None)])
    assert found.seeds == 2
