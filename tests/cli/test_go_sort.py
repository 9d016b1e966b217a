"""Go's sort in Python."""

from __future__ import annotations

import operator
import random

import pytest

from kubestage.cli import go_sort


@pytest.mark.parametrize("seed", range(20))
def test_a_list_of_any_length_is_put_in_order(seed: int) -> None:
    numbers = random.Random(seed)
    for length in (0, 1, 2, 12, 13, 49, 50, 51, 200, 1000):
        items = [numbers.randrange(length // 3 + 1) for _ in range(length)]
        expected = sorted(items)
        go_sort.sort(items, operator.lt)
        assert items == expected


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
def test_patterns_are_no_trouble(items: list[int]) -> None:
    expected = sorted(items)
    go_sort.sort(items, operator.lt)
    assert items == expected


def test_a_relation_that_contradicts_itself_ends_too() -> None:
    items = list(range(500))
    go_sort.sort(items, lambda left, right: True)
    assert sorted(items) == list(range(500))
