"""Numbers as Go reads and converts them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from kubestage.clusterloader.templating import numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("+5", 5),
        ("-4", -4),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 2.0**63),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1_000", 1000.0),
        ("1__0", "1__0"),
        ("_1", "_1"),
        ("0x10", "0x10"),
        ("0x10p0", 16.0),
        ("0x_1p4", 16.0),
        ("1e999", "1e999"),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
        ("t", True),
        ("False", False),
        ("yes", "yes"),
        ("", ""),
        (" 1", " 1"),
        ("٣", "٣"),
    ],
)
def test_a_variable_of_the_environment_has_the_type_that_go_finds(text: str, value: Any) -> None:
    found = numbers.unpacked(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        (2.9, 2),
        (-2.9, -2),
        ("3.7", 3),
        (1e300, -(2**63)),
        (math.nan, -(2**63)),
        (2.0**63, -(2**63)),
    ],
)
def test_the_fraction_is_dropped_and_what_is_too_large_becomes_the_lowest(
    value: Any, whole: int
) -> None:
    assert numbers.to_int(value) == whole


@pytest.mark.parametrize("value", [True, None, [], {}, "abc", "0x10", "\u0131nf"])
def test_what_is_no_number_cannot_be_cast(value: Any) -> None:
    with pytest.raises(ValueError, match=r"cannot cast .* to float64"):
        numbers.to_float(value)


def test_a_remainder_has_the_sign_of_the_dividend() -> None:
    assert [numbers.remainder(left, right) for left in (7, -7) for right in (3, -3)] == [
        1,
        1,
        -1,
        -1,
    ]
    with pytest.raises(ValueError, match="integer divide by zero"):
        numbers.remainder(1, 0)


def test_numbers_of_no_known_type_are_fractions_but_truth_is_none() -> None:
    found = numbers.as_floats({"a": [1, True, "1", None, 2.5]})
    assert repr(found) == "{'a': [1.0, True, '1', None, 2.5]}"
