"""Draws of letters, and having them again."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from kubestage.clusterloader.templating.draws import Draws
from kubestage.golang.rand import ALPHABET


@pytest.mark.parametrize("length", [0, 1, 17, 1000])
def test_a_text_has_the_length_asked_for_and_the_seed_decides(length: int) -> None:
    found = Draws(random.Random(7)).text(length)
    assert len(found) == length
    assert set(found) <= set(ALPHABET)
    assert found == Draws(random.Random(7)).text(length)


def test_all_letters_come_equally_often() -> None:
    counts = Counter(Draws(random.Random(3)).text(620_000))
    assert set(counts) == set(ALPHABET)
    assert all(9_500 < count < 10_500 for count in counts.values())


def test_the_same_draws_come_again() -> None:
    draws = Draws(random.Random(1))
    draws.begin()
    first = (draws.text(9), draws.below(1000))
    draws.again()
    assert (draws.text(9), draws.below(1000)) == first
    draws.begin()
    assert draws.text(9) != first[0]
