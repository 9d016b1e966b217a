"""Laws of durations and amounts: what can be written, and what is drawn."""

from __future__ import annotations

import math
import pickle
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.objects.distributions import Distribution
from kubestage.units import SECOND_NS


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("5s", Distribution("constant", 5 * SECOND_NS)),
        ("0", Distribution("constant", 0)),
        ("1h30m", Distribution("constant", 5400 * SECOND_NS)),
        ("normal(5s,1s)", Distribution("normal", 5 * SECOND_NS, SECOND_NS)),
        (" lognormal( 5s , 2s ) ", Distribution("lognormal", 5 * SECOND_NS, 2 * SECOND_NS)),
        ("exp(250ms)", Distribution("exp", SECOND_NS / 4)),
        ("uniform(1s,1s)", Distribution("uniform", SECOND_NS, SECOND_NS)),
    ],
)
def test_laws_of_durations_are_read(text: str, law: Distribution) -> None:
    assert distributions.parse(text) == law


def test_laws_of_amounts_are_read_in_quantities() -> None:
    assert distributions.parse_quantity("250m").first == pytest.approx(0.25)
    assert distributions.parse_quantity("uniform(1Ki,1Mi)") == Distribution(
        "uniform", 1024, 1024 * 1024
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "invalid duration"),
        ("soon", "invalid duration"),
        ("5", "missing unit"),
        ("-1s", "below zero"),
        ("normal(5s)", "normal takes mean and standard deviation"),
        ("exp()", "exp takes mean"),
        ("exp(1s,2s)", "exp takes mean"),
        ("uniform(2s,1s)", "low is above high"),
        ("poisson(3s)", "names no distribution"),
        ("normal(5s,x)", "invalid duration"),
        ("normal(5s,1s", "invalid duration"),
        ("normal(exp(1s),1s)", "invalid duration"),
    ],
)
def test_nonsense_is_refused_in_words(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as error:
        distributions.parse(text)
    assert "write 5s" in str(error.value)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (distributions.parse, distributions.parse_quantity):
        try:
            law = read(text)
        except InputError:
            continue
        assert law.sample(random.Random(1)) >= 0


spans = st.integers(0, 10**15).map(lambda ns: f"{ns}ns")
laws = st.one_of(
    spans,
    st.builds("normal({},{})".format, spans, spans),
    st.builds("lognormal({},{})".format, spans, spans),
    st.builds("exp({})".format, spans),
    st.tuples(st.integers(0, 10**15), st.integers(0, 10**15)).map(
        lambda pair: f"uniform({min(pair)}ns,{max(pair)}ns)"
    ),
)


@given(laws, st.integers())
def test_draws_are_whole_never_negative_and_the_same_for_the_same_stream(
    text: str, seed: int
) -> None:
    law = distributions.parse(text)
    draws = [law.sample_ns(random.Random(seed)) for _ in range(3)]
    assert type(draws[0]) is int
    assert draws[0] >= 0
    assert len(set(draws)) == 1
    assert pickle.loads(pickle.dumps(law)) == law


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers())
def test_uniform_draws_stay_within_their_bounds(first: int, second: int, seed: int) -> None:
    low, high = sorted((first, second))
    drawn = distributions.parse(f"uniform({low}ns,{high}ns)").sample_ns(random.Random(seed))
    assert low <= drawn <= high


@pytest.mark.parametrize(
    ("text", "mean", "deviation"),
    [
        ("normal(10s,2s)", 10, 2),
        ("lognormal(5s,2s)", 5, 2),
        ("exp(3s)", 3, 3),
        ("uniform(1s,10s)", 5.5, 9 / math.sqrt(12)),
    ],
)
def test_draws_have_the_mean_and_deviation_that_were_asked_for(
    text: str, mean: float, deviation: float
) -> None:
    stream, law = random.Random(7), distributions.parse(text)
    draws = [law.sample_ns(stream) / SECOND_NS for _ in range(20_000)]
    assert statistics.fmean(draws) == pytest.approx(mean, rel=0.03)
    assert statistics.stdev(draws) == pytest.approx(deviation, rel=0.05)


def test_a_law_without_spread_is_its_mean() -> None:
    for text in ("normal(5s,0s)", "lognormal(5s,0s)", "uniform(5s,5s)"):
        assert distributions.parse(text).sample_ns(random.Random(0)) == 5 * SECOND_NS
    assert distributions.parse("lognormal(0s,1s)").sample_ns(random.Random(0)) == 0


def test_streams_depend_on_seed_and_names_only() -> None:
    first = distributions.stream_of(1, "pod", "a").random()
    assert distributions.stream_of(1, "pod", "a").random() == first
    others = [(1, "pod", "b"), (2, "pod", "a"), (1, "pod")]
    assert all(distributions.stream_of(*other).random() != first for other in others)  # type: ignore[arg-type] # an int, then names


@pytest.mark.parametrize(
    "text", ["normal(100,10)", "lognormal(100,40)", "exp(100)", "uniform(50,150)", "100"]
)
def test_quantiles_are_those_of_the_draws(text: str) -> None:
    distribution = distributions.parse_quantity(text)
    stream = random.Random(1)
    drawn = sorted(distribution.sample(stream) for _ in range(20_000))
    for share in (0.1, 0.5, 0.9):
        expected = drawn[int(share * len(drawn))]
        assert distribution.quantile(share) == pytest.approx(expected, rel=0.03)


def test_quantiles_without_a_spread() -> None:
    for text in ("normal(5,0)", "lognormal(5,0)", "lognormal(0,3)", "uniform(5,5)"):
        distribution = distributions.parse_quantity(text)
        assert distribution.quantile(0.3) == distribution.first
