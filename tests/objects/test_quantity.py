"""Quantities: recorded cases, and what holds for every amount."""

from __future__ import annotations

import copy
import fractions
import math
import pickle
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kubestage.objects import quantity
from kubestage.objects.quantity import Quantity, QuantityError
from tests.golden import vectors

SUFFIXES = ("", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E-6", "e0")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Quantities of everyday size, in every notation."""
    sign = draw(st.sampled_from(("", "-", "+")))
    whole = draw(st.integers(0, 999_999))
    fraction = draw(st.sampled_from(("", ".", ".5", ".25", ".001", ".000000001", ".123456")))
    return f"{sign}{whole}{fraction}{draw(st.sampled_from(SUFFIXES))}"


def exact(amount: Quantity) -> fractions.Fraction:
    return amount.unscaled * fractions.Fraction(10) ** amount.scale


def _describe(text: str, other_text: str) -> dict[str, Any]:
    amount, other = quantity.parse(text), quantity.parse(other_text)
    whole, fits = amount.as_int64()
    rounded = {scale: amount.round_up(scale) for scale in (-3, 0, 3)}
    return {
        "string": str(amount),
        "canonical": amount.canonical,
        "format": amount.format,
        "value": amount.value,
        "milliValue": amount.milli_value,
        "scaledValue": {str(scale): amount.scaled_value(scale) for scale in (-9, -6, -3, 3, 6)},
        "roundUp": {
            str(scale): {"exact": lossless, "string": str(result)}
            for scale, (result, lossless) in rounded.items()
        },
        "sign": amount.sign,
        "isZero": amount.is_zero,
        "asInt64": {"ok": fits, "value": whole},
        "cmp": amount.compare(other),
        "equal": amount == other,
        "add": str(amount + other),
        "sub": str(amount - other),
        "neg": str(-amount),
    }


def _answer(entry: dict[str, Any]) -> dict[str, Any]:
    given_in = entry["in"]
    try:
        if entry["op"] == "parse":
            return {"out": _describe(given_in["s"], given_in["other"])}
        amount = quantity.from_json(given_in["json"])
    except QuantityError as error:
        return {"error": str(error)}
    return {"out": {"json": f'"{amount}"', "string": str(amount)}}


@pytest.mark.parametrize("op", ["parse", "json"])
def test_recorded_quantities_agree_with_the_api(op: str) -> None:
    entries = vectors.load("quantity", op)
    wrong = [
        entry["id"]
        for entry in entries
        if _answer(entry) != {key: entry[key] for key in ("out", "error") if key in entry}
    ]
    assert entries
    assert not wrong


@given(texts())
def test_text_survives_a_round_trip(text: str) -> None:
    amount = quantity.parse(text)
    assert quantity.parse(str(amount)) == amount
    assert quantity.parse(amount.canonical) == amount


@given(texts())
def test_canonical_form_is_a_fixed_point(text: str) -> None:
    canonical = quantity.parse(text).canonical
    assert quantity.parse(canonical).canonical == canonical


@given(texts(), texts())
def test_sum_and_difference_are_exact(left: str, right: str) -> None:
    first, second = quantity.parse(left), quantity.parse(right)
    assert exact(first + second) == exact(first) + exact(second)
    assert exact(first - second) == exact(first) - exact(second)
    assert first + second == second + first
    assert (first + second) - second == first
    assert exact(-first) == -exact(first)


@given(texts(), texts())
def test_order_and_hash_are_those_of_the_numbers(left: str, right: str) -> None:
    first, second = quantity.parse(left), quantity.parse(right)
    assert (first < second) == (exact(first) < exact(second))
    assert (first <= second) == (exact(first) <= exact(second))
    assert (first > second) == (exact(first) > exact(second))
    assert (first >= second) == (exact(first) >= exact(second))
    assert (first == second) == (exact(first) == exact(second))
    assert first != second or hash(first) == hash(second)


@given(texts(), st.sampled_from((-9, -6, -3, 0, 3)))
def test_positive_amounts_round_up(text: str, scale: int) -> None:
    amount = quantity.parse(text.lstrip("-"))
    units = math.ceil(exact(amount) / fractions.Fraction(10) ** scale)
    assume(units < 1 << 63)
    assert amount.scaled_value(scale) == units


@given(texts(), st.sampled_from((-9, -3, 0)))
def test_exact_numbers_are_given_only_where_they_are_exact(text: str, scale: int) -> None:
    units = exact(quantity.parse(text)) / fractions.Fraction(10) ** scale
    expected = int(units) if units.denominator == 1 and abs(units) < 1 << 63 else None
    assert quantity.exact_of(text, scale) == expected


def test_the_same_text_is_read_once() -> None:
    assert quantity.parse("123456789m") is quantity.parse("123456789m")


def test_a_quantity_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        quantity.parse("1").unscaled = 2  # type: ignore[misc]  # the point of the test


def test_a_quantity_can_be_copied_and_pickled() -> None:
    amount = quantity.parse("1.5Gi")
    assert pickle.loads(pickle.dumps(amount)) == copy.deepcopy(amount) == amount


def test_a_quantity_is_only_equal_to_quantities() -> None:
    assert quantity.parse("1") != 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1500m", "1500m"), (2, "2"), (0.5, "500m"), (1e21, "1e+21"), (None, "0"), (" 1Gi\n", "1Gi")],
)
def test_decoded_json_values_are_read(value: Any, expected: str) -> None:
    assert str(quantity.of(value)) == expected


@pytest.mark.parametrize("value", [True, [], {}, "", "1 Gi", "\x1c1"])
def test_other_json_values_are_refused(value: Any) -> None:
    with pytest.raises(QuantityError, match="must match the regular expression"):
        quantity.of(value)


def test_numbers_and_truth_values_are_not_confused_by_the_cache() -> None:
    assert quantity.value_of(1) == 1
    with pytest.raises(QuantityError):
        quantity.value_of(True)


def test_short_ways_give_the_numbers_of_the_long_way() -> None:
    assert quantity.value_of("1.5Gi") == quantity.parse("1.5Gi").value == 1610612736
    assert quantity.milli_value_of("0.5") == quantity.parse("0.5").milli_value == 500


def test_amounts_made_from_numbers_print_canonically() -> None:
    assert str(quantity.from_milli(1500)) == "1500m"
    assert str(quantity.from_int(3 << 30, quantity.BINARY_SI)) == "3Gi"


def test_the_lowest_int64_is_shown_undivided_as_upstream_does() -> None:
    half = quantity.from_int(-(1 << 62), quantity.BINARY_SI)
    lowest = half + half
    assert str(lowest) == "-9223372036854775808"
    assert -lowest == lowest


@pytest.mark.parametrize("text", ["1e1000000000", "1e-1000000000", "-1e999999999"])
def test_absurd_exponents_are_read_and_compared_without_being_written_out(text: str) -> None:
    amount = quantity.parse(text)
    assert amount.compare(quantity.ZERO) == amount.sign
    assert amount.compare(quantity.parse("1Gi")) in (-1, 1)


def test_sums_that_would_not_end_are_refused() -> None:
    with pytest.raises(QuantityError):
        quantity.parse("1e1000000000") + quantity.parse("1")


def test_thousands_of_digits_are_read_and_written() -> None:
    digits = "9" * 6000
    assert str(quantity.parse(digits)) == digits


def test_repr_shows_the_text() -> None:
    assert repr(quantity.parse("100m")) == "Quantity('100m')"
