"""Room for numbers is handed out, grows, and is used again."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.views import node as node_views
from kubestage.scheduler.cells import Cells, PodCounter
from kubestage.scheduler.columns import Columns
from kubestage.scheduler.node_info import NodeInfo
from kubestage.testing import make_node


def test_what_is_there_stays_when_more_room_is_made() -> None:
    cells = Cells()
    first = cells.take(600)
    cells.values[first + 599] = 7
    second = cells.take(600)
    assert second == first + 600
    assert len(cells.values) >= 1200
    assert cells.values[first + 599] == 7


def test_a_piece_that_was_given_back_is_handed_out_again_and_begins_at_zero() -> None:
    cells = Cells()
    first, other = cells.take(5), cells.take(5)
    cells.values[first : first + 5] = 3
    cells.values[other] = 9
    cells.give_back(first, 5)
    assert cells.take(4) not in range(first, first + 5)
    assert cells.take(5) == first
    assert cells.values[first : first + 5].tolist() == [0] * 5
    assert cells.values[other] == 9
    assert cells.used == 14


@given(st.dictionaries(st.integers(0, 39), st.integers(1, 5)))
def test_counting_many_nodes_at_once_is_counting_one_by_one(numbers: dict[int, int]) -> None:
    views = [make_node(f"n{row}", zone="abc"[row % 3] if row % 4 else None) for row in range(40)]
    columns = Columns([NodeInfo(node_views.of(each)) for each in views])
    for key in (None, "topology.kubernetes.io/zone"):
        at_once, one_by_one = PodCounter(columns, key), PodCounter(columns, key)
        at_once.count_all(
            np.array(list(numbers), np.int64), np.array([*numbers.values()], np.int32)
        )
        for row, number in numbers.items():
            one_by_one.count(row, number)
        assert at_once.counts.tolist() == one_by_one.counts.tolist()
        assert at_once.placed == one_by_one.placed
