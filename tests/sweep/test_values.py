from __future__ import annotations

import pytest

from kubestage.errors import InputError
from kubestage.sweep import values
from kubestage.sweep.values import Draws


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2,3", (1, 2, 3)),
        ("a.yaml,b.yaml", ("a.yaml", "b.yaml")),
        ("40..80/20", (40, 60, 80)),
        ("1..3", (1, 2, 3)),
        ("1..100*3", (1, 3, 9, 27, 81)),
        ("0.1..0.3/0.1", (0.1, 0.2, 0.3)),
        ("100m..300m/100m", ("100m", "200m", "300m")),
        ("10s..20s/5s", ("10s", "15s", "20s")),
        ("1..4Gi*2", ("1Gi", "2Gi", "4Gi")),
        ("5,10..20/5", (5, 10, 15, 20)),
        ("true,false,null", (True, False, None)),
        ("'1.30',\"a,b\"", ("1.30", "a,b")),
        ("1.30,-2", (1.3, -2)),
    ],
)
def test_lists_and_ranges(text: str, expected: tuple[object, ...]) -> None:
    found = values.parse(text)
    assert found == expected
    assert [type(each) for each in found] == [type(each) for each in expected]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1,,2", "empty value"),
        ("1,1", "twice"),
        ("80..40/5", "below the beginning"),
        ("1..5/0", "never comes to its end"),
        ("1..5*1", "never comes to its end"),
        ("0..5*2", "never comes to its end"),
        ("1s..5m/1s", "several units"),
        ("1..1000000", "more than 100,000"),
        ("uniform(1)", "low and high"),
        ("uniform(5,1)", "low is above high"),
        ("normal(1s,5m)", "cannot be read"),
        ("choice(a,,b)", "empty value"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        values.parse(text)


def test_texts_are_taken_as_they_are_written() -> None:
    found = values.parse("normal(5s,1s),2s,1.30", are_texts=True)
    assert found == ("normal(5s,1s)", "2s", "1.30")


def test_whole_bounds_draw_whole_numbers_with_both_ends() -> None:
    found = values.parse("uniform(1,4)")
    assert isinstance(found, Draws)
    assert [found.at(share) for share in (0, 0.24, 0.26, 0.99, 1)] == [1, 1, 2, 4, 4]


def test_fractions_and_units_of_draws() -> None:
    fraction = values.parse("uniform(0.0,1.0)")
    memory = values.parse("normal(100Mi,10Mi)")
    assert isinstance(fraction, Draws)
    assert isinstance(memory, Draws)
    assert fraction.at(0.25) == 0.25
    assert memory.at(0.5) == "100Mi"
    assert memory.at(0.84134) == "110Mi"


def test_a_choice_is_one_of_a_few() -> None:
    found = values.parse("choice(a,b,3)")
    assert isinstance(found, Draws)
    assert [found.at(share) for share in (0, 0.5, 0.999)] == ["a", "b", 3]


@pytest.mark.parametrize("text", ["lognormal(10,2)", "exp(3)", "normal(3,9)"])
def test_extreme_shares_are_finite_and_never_below_zero(text: str) -> None:
    found = values.parse(text)
    assert isinstance(found, Draws)
    for share in (0.0, 1.0):
        value = found.at(share)
        assert isinstance(value, int)
        assert 0 <= value < 10**6


def test_seeds_are_whole_numbers() -> None:
    assert values.whole_numbers("1..3,7", "--seeds") == (1, 2, 3, 7)
    with pytest.raises(InputError, match="no seeds"):
        values.whole_numbers("1.5", "--seeds")
    with pytest.raises(InputError, match="no seeds"):
        values.whole_numbers("uniform(1,5)", "--seeds")
