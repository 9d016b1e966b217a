"""Texts from a seed, as Go's generator makes them."""

from __future__ import annotations

import itertools
import pickle

import pytest

from kubestage.golang import rand


@pytest.mark.parametrize(
    ("length", "seed", "text"),
    [(0, "s", ""), (8, "foo", "QUNN6jmi"), (16, "deployment-1", "rbT6bHB0Py0Ok72D")],
)
def test_a_seed_makes_the_text_that_go_makes(length: int, seed: str, text: str) -> None:
    assert rand.text_with_seed(length, seed) == text


def test_the_state_after_very_many_steps_is_that_of_gos_table() -> None:
    cooked = rand._cooked()
    signed = [each - 2**64 if each >= 2**63 else each for each in cooked]
    assert len(cooked) == 607
    assert signed[:4] == [
        -4181792142133755926,
        -4576982950128230565,
        1395769623340756751,
        5333664234075297259,
    ]
    assert signed[-1] == 4152330101494654406


def test_a_long_text_uses_every_place_of_the_state() -> None:
    text = rand.text_with_seed(2000, "x")
    assert len(text) == 2000
    assert text.startswith(rand.text_with_seed(700, "x"))
    assert set(text) == set(rand.ALPHABET)


def test_seed_1_gives_the_numbers_that_go_is_known_for() -> None:
    drawn = [(number & (2**63 - 1)) >> 32 for number in itertools.islice(rand._numbers(1), 10)]
    assert [each % 100 for each in drawn] == [81, 87, 47, 59, 81, 18, 25, 40, 56, 0]


@pytest.mark.parametrize(("seed", "same"), [(-5, 2**31 - 6), (2**31 + 4, 5), (0, 89482311)])
def test_a_seed_counts_modulo_a_prime(seed: int, same: int) -> None:
    first, second = rand._numbers(seed), rand._numbers(same)
    assert [next(first) for _ in range(3)] == [next(second) for _ in range(3)]


def test_numbers_orders_and_shuffles_are_those_of_go() -> None:
    assert [rand.Rand(1).intn(100) for _ in range(2)] == [81, 81]
    source = rand.Rand(1)
    assert [source.intn(100) for _ in range(5)] == [81, 87, 47, 59, 81]
    assert source.intn(8) < 8
    assert sorted(rand.Rand(7).perm(50)) == list(range(50))
    # The first lines of Go's own example of math/rand with seed 42.
    assert rand.Rand(42).intn(100) == 5
    items = list(range(20))
    rand.Rand(3).shuffle(items)
    assert sorted(items) == list(range(20)) != items


def test_a_copy_draws_what_comes_next() -> None:
    source = rand.Rand(5)
    source.perm(10)
    copied = pickle.loads(pickle.dumps(source))
    assert [copied.int63() for _ in range(5)] == [source.int63() for _ in range(5)]
