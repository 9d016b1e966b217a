from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.job import intervals

SETS = st.sets(st.integers(0, 40))


def _of(indexes: set[int]) -> intervals.Intervals:
    return intervals.with_indexes((), sorted(indexes))


def _all(some: intervals.Intervals) -> set[int]:
    return {index for first, last in some for index in range(first, last + 1)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("", ()), ("1", ((1, 1),)), ("0,2-4,7,8", ((0, 0), (2, 4), (7, 8))), ("x,3,4-y", ((3, 3),))],
)
def test_text_is_read_and_what_is_no_interval_is_left_out(
    text: str, wanted: intervals.Intervals
) -> None:
    assert intervals.parse(text, 100) == wanted


def test_indexes_from_completions_on_do_not_count() -> None:
    assert intervals.parse("0-3,5-9,12", 7) == ((0, 3), (5, 6))


def test_two_neighbours_are_written_apart_and_three_as_a_range() -> None:
    assert intervals.text(((0, 1), (3, 5), (9, 9))) == "0,1,3-5,9"


@given(SETS)
def test_what_is_written_reads_the_same(indexes: set[int]) -> None:
    assert intervals.parse(intervals.text(_of(indexes)), 100) == _of(indexes)


@given(SETS, SETS)
def test_intervals_are_sets(one: set[int], other: set[int]) -> None:
    left, right = _of(one), _of(other)
    assert _all(intervals.merge(left, right)) == one | other
    assert intervals.overlap(left, right) == len(one & other)
    assert intervals.total(left) == len(one)
    assert {index for index in range(50) if intervals.has(left, index)} == one


@given(SETS, st.integers(0, 12), st.integers(0, 40))
def test_the_lowest_missing_indexes_come_first(
    indexes: set[int], count: int, completions: int
) -> None:
    missing = [index for index in range(completions) if index not in indexes]
    assert intervals.first_missing(_of(indexes), count, completions) == missing[:count]
