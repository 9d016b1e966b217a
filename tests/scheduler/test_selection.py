"""Which of the best nodes is taken."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.views import node as node_views
from kubestage.scheduler import selection
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.selection import TieBreak
from kubestage.testing import make_node
from tests.reference import heap_choice

NOBODY = random.Random(0)


def _columns(*names: str) -> Cache:
    cache = Cache()
    for name in names:
        cache.add_node(node_views.of(make_node(name)))
    return cache


@given(st.lists(st.integers(0, 3), min_size=1, max_size=200))
def test_the_heap_rule_is_the_root_of_a_real_heap(totals: list[int]) -> None:
    rows = np.arange(len(totals)) + 7
    picked = selection.pick(np.array(totals), rows, Cache().columns, TieBreak.HEAP, NOBODY)
    assert picked == heap_choice.choose(totals) + 7


def test_first_takes_the_smallest_name() -> None:
    columns = _columns("b", "a", "c").columns
    totals, rows = np.array([5, 5, 4]), np.array([0, 1, 2])
    assert columns.names[selection.pick(totals, rows, columns, TieBreak.FIRST, NOBODY)] == "a"


def test_random_takes_any_of_the_best_and_the_same_again_with_the_same_stream() -> None:
    columns = _columns("a", "b", "c").columns
    totals, rows = np.array([5, 5, 4]), np.array([0, 1, 2])

    def picks(seed: int) -> list[int]:
        stream = random.Random(seed)
        return [selection.pick(totals, rows, columns, TieBreak.RANDOM, stream) for _ in range(20)]

    assert set(picks(1)) == {0, 1}
    assert picks(1) == picks(1)
