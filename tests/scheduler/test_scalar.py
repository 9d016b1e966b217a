"""A plugin that looks at one node at a time, where columns are expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kubestage.scheduler import scalar
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.framework import SUCCESS, Status, error, unschedulable
from tests.scheduler.plugins import clusters

if TYPE_CHECKING:
    from kubestage.scheduler.framework import NodeInfo

OVER = clusters.columns([clusters.node(f"n{number}") for number in range(6)])
POD = clusters.pod()


class ByNumber:
    """Answers by the number of the node, with answers of its own each time."""

    name = "ByNumber"

    def __init__(self, answers: dict[int, Any]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def filter_node(self, state: CycleState, pod: Any, node: NodeInfo) -> Status:
        self.asked.append(node.name)
        answer = self.answers.get(int(node.name[1:]), SUCCESS)
        return Status(answer.code, answer.reasons)

    def score_node(self, state: CycleState, pod: Any, node: NodeInfo) -> int:
        self.asked.append(node.name)
        return 10 * int(node.name[1:])


def test_nodes_are_asked_about_in_order_and_equal_answers_share_a_code() -> None:
    plugin = ByNumber({1: unschedulable("odd"), 3: unschedulable("odd"), 4: error("broken")})
    filtering, state = scalar.ScalarFilter(plugin), CycleState()
    codes = filtering.filter(state, POD, OVER, np.array([4, 3, 2, 1]))
    assert plugin.asked == ["n4", "n3", "n2", "n1"]
    assert codes.tolist() == [1, 2, 0, 2]
    assert filtering.status(state, POD, 1) == error("broken")
    assert filtering.status(state, POD, 2) == unschedulable("odd")


def test_codes_keep_their_meaning_within_an_attempt() -> None:
    plugin = ByNumber({0: unschedulable("first"), 1: unschedulable("second")})
    filtering, state = scalar.ScalarFilter(plugin), CycleState()
    assert filtering.filter(state, POD, OVER, np.array([0])).tolist() == [1]
    assert filtering.filter(state, POD, OVER, np.array([1, 0])).tolist() == [2, 1]
    assert filtering.filter(CycleState(), POD, OVER, np.array([1])).tolist() == [1]


def test_scores_are_in_the_order_of_rows() -> None:
    plugin = ByNumber({})
    scores = scalar.score_each(plugin, CycleState(), POD, OVER, np.array([5, 0, 2]))
    assert scores.dtype == np.int64
    assert scores.tolist() == [50, 0, 20]
    assert plugin.asked == ["n5", "n0", "n2"]


class Ending:
    """Has a mistake in it that ends loops."""

    name = "Ending"

    def filter_node(self, *_: Any) -> Status:
        raise StopIteration

    score_node = filter_node


def test_a_plugins_mistake_does_not_pass_for_an_answer() -> None:
    plugin, rows = Ending(), np.arange(3)
    with pytest.raises(StopIteration):
        scalar.ScalarFilter(plugin).filter(CycleState(), POD, OVER, rows)
    with pytest.raises(StopIteration):
        scalar.score_each(plugin, CycleState(), POD, OVER, rows)
