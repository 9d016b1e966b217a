"""Draws that are made ahead follow their law, for ever and by the seed."""

from __future__ import annotations

import pytest

from kubestage.cluster.draws import Draws
from kubestage.sim.streams import Streams


def draws(text: str, seed: int = 0, count: int = 20_000) -> list[int]:
    law = Draws(text, Streams(seed), "test")
    return [law.next_ns() for _ in range(count)]


@pytest.mark.parametrize(
    ("text", "mean_ms"),
    [("5ms", 5), ("exp(4ms)", 4), ("lognormal(3ms,2ms)", 3), ("uniform(2ms,4ms)", 3)],
)
def test_the_mean_is_that_of_the_law(text: str, mean_ms: float) -> None:
    found = draws(text)
    assert sum(found) / len(found) / 1e6 == pytest.approx(mean_ms, rel=0.05)
    assert Draws(text, Streams(0), "test").mean_ns == mean_ms * 1e6


def test_draws_depend_on_the_seed_alone() -> None:
    assert draws("exp(4ms)", 1) == draws("exp(4ms)", 1)
    assert draws("exp(4ms)", 1) != draws("exp(4ms)", 2)


def test_what_comes_round_again_does_not_come_in_the_same_order() -> None:
    found = draws("exp(4ms)")
    assert len(set(found)) <= 4096
    assert found[:4096] != found[4096:8192]
