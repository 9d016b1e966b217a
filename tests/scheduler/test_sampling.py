"""How many nodes are looked at, and in which order."""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.scheduler import sampling


@pytest.mark.parametrize(
    ("percentage", "nodes", "found"),
    [
        (0, 50, 50),
        (0, 99, 99),
        (0, 100, 100),
        (0, 1000, 420),
        (0, 5000, 500),
        (0, 6000, 300),
        (0, 20_000, 1000),
        (100, 5000, 5000),
        (1, 5000, 100),
        (30, 1000, 300),
    ],
)
def test_enough_nodes_are_a_share_that_shrinks_as_clusters_grow(
    percentage: int, nodes: int, found: int
) -> None:
    assert sampling.nodes_to_find(percentage, nodes) == found


def test_all_rows_are_visited_once_from_the_start_on() -> None:
    assert sampling.all_rotated(3, 5).tolist() == [3, 4, 0, 1, 2]
    assert sampling.all_rotated(0, 3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("start", [5, 8, 10, 13, 98])
def test_a_start_from_a_time_with_more_nodes_counts_around(start: int) -> None:
    assert sampling.all_rotated(start, 5).tolist() == sampling.all_rotated(start % 5, 5).tolist()


def test_candidates_are_rotated_within_themselves() -> None:
    candidates = np.array([2, 5, 9])
    assert sampling.rotated(4, candidates).tolist() == [5, 9, 2]
    assert sampling.rotated(3, candidates).tolist() == [2, 5, 9]


@hypothesis.given(st.integers(1, 500), st.integers(0, 500), st.integers(1, 500))
def test_rows_ahead_are_enough_if_the_next_are_like_the_last(
    wanted: int, passing: int, done: int
) -> None:
    hypothesis.assume(passing < wanted and passing <= done)
    ahead = sampling.rows_ahead(wanted, passing, done)
    assert 0 < ahead <= 2 * done
    assert ahead == 2 * done or ahead * passing // done >= wanted - passing - 1
