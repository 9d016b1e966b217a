"""NodeHealthTracker fails a test in which more nodes than allowed were unwell at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.measure.components.measured import Measured, document, node


def tracked(**params: Any) -> Measured:
    measured = Measured("NodeHealthTracker")
    for index in range(10):
        measured.cluster.put(node(f"n{index}"))
    assert not measured.perform("start", **params).errors
    return measured


def fall_ill(measured: Measured, count: int, ready: str = "False") -> None:
    for index in range(count):
        measured.cluster.put(node(f"n{index}", ready=ready))
    measured.cluster.moments.run(1)


def test_four_unwell_nodes_are_allowed_and_five_are_not() -> None:
    measured = tracked()
    fall_ill(measured, 4)
    outcome = measured.perform("gather")
    assert not outcome.errors
    assert outcome.verdicts[0].passed
    measured = tracked()
    fall_ill(measured, 5)
    fall_ill(measured, 5, "True")
    outcome = measured.perform("gather")
    (error,) = outcome.errors
    assert error == (
        "node health: number of unhealthy nodes (5) is above threshold (4), total nodes: 10, "
        "example unhealthy node: n0"
    )
    assert outcome.summaries[0].content == (
        '{\n  "nodeCount": 10,\n  "runningNodes": 10,\n  "thresholdReached": true\n}\n'
    )
    (verdict,) = outcome.verdicts
    assert (verdict.passed, verdict.value, verdict.threshold) == (False, 5.0, 4.0)


def test_a_ratio_allows_more_where_there_are_many_nodes() -> None:
    measured = tracked(ratio=0.5)
    fall_ill(measured, 5)
    assert not measured.perform("gather").errors


def test_what_is_told_is_news_at_most_once_a_minute() -> None:
    measured = tracked()
    fall_ill(measured, 5)
    fall_ill(measured, 6)
    measured.cluster.moments.run(61)
    fall_ill(measured, 7)
    (error,) = measured.perform("gather").errors
    assert "(6)" in error
    assert "(7)" not in error


def test_nodes_that_are_gone_are_neither_well_nor_unwell() -> None:
    measured = tracked()
    fall_ill(measured, 4)
    for index in range(4):
        measured.cluster.remove(node(f"n{index}"))
    measured.cluster.put(node("n10", unschedulable=True))
    measured.cluster.moments.run(1)
    assert document(measured.perform("gather")) == {
        "nodeCount": 7,
        "runningNodes": 6,
        "thresholdReached": False,
    }


def test_only_nodes_of_the_selector_count() -> None:
    measured = Measured("NodeHealthTracker")
    for index in range(6):
        measured.cluster.put(node(f"n{index}", ready="False", role=index < 2))
    measured.perform("start", labelSelector="node-role.kubernetes.io/control-plane")
    assert document(measured.perform("gather"))["nodeCount"] == 2


@pytest.mark.parametrize("actions", [["gather"], ["start", "stop", "gather"]])
def test_gathering_without_a_start_is_an_error(actions: list[str]) -> None:
    measured = Measured("NodeHealthTracker")
    measured.cluster.put(node("n0"))
    *_, outcome = [measured.perform(action) for action in actions]
    assert outcome.errors == ("measurement NodeHealthTracker has not been started",)


def test_nothing_is_heard_after_the_end() -> None:
    measured = tracked()
    measured.measurements.dispose()
    assert all(watch.is_stopped for watch in measured.cluster.watches)
