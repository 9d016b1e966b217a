"""Items whose order Go's sort leaves to chance must come out where Go leaves them."""

from __future__ import annotations

import operator
import random

import hypothesis
import pytest
from hypothesis import strategies as st

from kubestage.golang import sort

Item = tuple[int, int]


def _less(one: Item, other: Item) -> bool:
    return one[0] < other[0]


def _places(keys: list[int]) -> list[int]:
    """Where each item of the sorted list was before."""
    items = [(key, place) for place, key in enumerate(keys)]
    return [place for _, place in sort.in_order(items, _less)]


@hypothesis.given(st.lists(st.integers(0, 6), max_size=12))
def test_up_to_twelve_items_keep_their_order_where_they_are_equal(keys: list[int]) -> None:
    assert _places(keys) == sorted(range(len(keys)), key=keys.__getitem__)


@hypothesis.given(
    st.one_of(
        st.lists(st.integers(0, 3), min_size=13, max_size=120),
        st.lists(st.integers(), min_size=13, max_size=120),
        st.integers(13, 200).map(lambda count: list(range(count, 0, -1))),
        st.integers(60, 200).map(lambda count: [*range(5, count), 0, 1, 2]),
    )
)
def test_more_items_are_sorted_and_all_there(keys: list[int]) -> None:
    places = _places(keys)
    assert [keys[place] for place in places] == sorted(keys)
    assert sorted(places) == list(range(len(keys)))


@pytest.mark.parametrize(
    ("keys", "places"),
    [
        ([0] * 13, [*range(13)]),
        (
            [number % 3 for number in range(14)],
            [6, 12, 9, 3, 0, 4, 1, 10, 7, 13, 8, 5, 2, 11],
        ),
        (
            [number % 2 for number in range(20)],
            [10, 18, 2, 16, 4, 0, 6, 14, 8, 12, 5, 11, 9, 13, 7, 15, 3, 17, 1, 19],
        ),
        ([3, 2, 1, 0] * 4, [3, 15, 7, 11, 2, 6, 14, 10, 13, 1, 5, 9, 8, 12, 0, 4]),
    ],
)
def test_equal_items_change_places_as_they_do_in_go(keys: list[int], places: list[int]) -> None:
    assert _places(keys) == places


@pytest.mark.parametrize("count", [2, 12, 13, 49, 50, 51, 100, 200])
@pytest.mark.parametrize("answer", [True, False])
def test_a_comparison_without_sense_ends_all_the_same(count: int, answer: bool) -> None:
    found = sort.in_order(range(count), lambda _one, _other: answer)
    assert sorted(found) == list(range(count))


@pytest.mark.parametrize("seed", range(20))
def test_a_list_of_any_length_is_put_in_order(seed: int) -> None:
    numbers = random.Random(seed)
    for length in (0, 1, 2, 12, 13, 49, 50, 51, 200, 1000):
        items = [numbers.randrange(length // 3 + 1) for _ in range(length)]
        expected = sorted(items)
        assert sort.in_order(items, operator.lt) == expected


@pytest.mark.parametrize(
    "items",
    [
        list(range(300)),
        list(range(300, 0, -1)),
        [5] * 300,
        [number % 2 for number in range(300)],
        [*range(150), *range(150)],
        [*range(0, 300, 2), *range(299, 0, -2)],
        [*range(299), -1],
    ],
)
def test_patterns_are_sorted(items: list[int]) -> None:
    expected = sorted(items)
    assert sort.in_order(items, operator.lt) == expected


def test_a_relation_that_contradicts_itself_ends_too() -> None:
    items = list(range(500))
    found = sort.in_order(items, lambda left, right: True)
    assert sorted(found) == items
