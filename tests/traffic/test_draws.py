"""Many draws have the distribution that was written, however they are divided into calls."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import distributions
from kubestage.traffic import draws

MS = 1_000_000
PINNED = [541605666.0, 596818.0, 225360231.0]
LAWS = [
    "200ms", "exp(200ms)", "uniform(100ms,400ms)", "normal(200ms,20ms)", "lognormal(200ms,300ms)",
    "normal(10ms,30ms)", "lognormal(0s,1s)", "lognormal(5s,0s)", "0s",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "mean", "deviation"),
    [
        ("200ms", 200, 0),
        ("exp(200ms)", 200, 200),
        ("uniform(100ms,400ms)", 250, 300 / math.sqrt(12)),
        ("normal(200ms,20ms)", 200, 20),
        ("lognormal(200ms,300ms)", 200, 300),
    ],
)
def test_draws_have_the_mean_and_deviation_that_were_asked_for(
    text: str, mean: float, deviation: float
) -> None:
    drawn = draws.draw_ns(distributions.parse(text), draws.stream_of(3, "x"), 400_000) / MS
    assert drawn.mean() == pytest.approx(mean, rel=0.01)
    assert drawn.std() == pytest.approx(deviation, rel=0.03)


@pytest.mark.parametrize("text", LAWS)
def test_draws_are_distributed_as_single_samples_are(text: str) -> None:
    distribution = distributions.parse(text)
    many = np.sort(draws.draw_ns(distribution, draws.stream_of(5, "x"), 20_000))
    stream = random.Random(5)
    single = sorted(distribution.sample_ns(stream) for _ in range(20_000))
    for part in (0.05, 0.25, 0.5, 0.75, 0.95):
        at = int(part * 20_000)
        # Either of them strays by about a hundredth of the deviation.
        near = np.searchsorted(many, [single[at] - 1, single[at] + 1]) / 20_000
        assert near[0] - 0.02 < part < near[1] + 0.02


@pytest.mark.parametrize("text", LAWS)
def test_draws_are_whole_and_never_below_zero(text: str) -> None:
    drawn = draws.draw_ns(distributions.parse(text), draws.stream_of(1, "x"), 5000)
    assert (drawn >= 0).all()
    assert (drawn == np.rint(drawn)).all()


def test_an_endless_distribution_stays_within_what_a_clock_can_tell() -> None:
    distribution = distributions.parse("lognormal(1h,1000000h)")
    assert draws.draw_ns(distribution, draws.stream_of(1, "x"), 100_000).max() <= 1 << 62


@given(st.sampled_from(LAWS), st.lists(st.integers(0, 50), max_size=8), st.integers(0, 10))
def test_draws_do_not_depend_on_the_portions(text: str, portions: list[int], seed: int) -> None:
    distribution = distributions.parse(text)
    stream = draws.stream_of(seed, "x")
    parts = [draws.draw_ns(distribution, stream, count).tolist() for count in portions]
    whole = draws.draw_ns(distribution, draws.stream_of(seed, "x"), sum(portions)).tolist()
    assert [each for part in parts for each in part] == whole


def test_streams_depend_on_seed_and_names_only() -> None:
    first = draws.stream_of(1, "a", "b").random()
    assert draws.stream_of(1, "a", "b").random() == first
    others = [draws.stream_of(2, "a", "b"), draws.stream_of(1, "a"), draws.stream_of(1, "b", "a")]
    assert first not in [each.random() for each in others]


def test_the_luck_of_a_seed_is_the_same_everywhere() -> None:
    drawn = draws.draw_ns(distributions.parse("exp(1s)"), draws.stream_of(1, "cpu"), 3)
    assert drawn.tolist() == PINNED
