from __future__ import annotations

import pytest

from kubestage.golang import floats


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (1, "1"),
        (12, "12"),
        (0.001, "0.001"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (1.5e-05, "1.5e-05"),
        (16.384, "16.384"),
        (123456, "123456"),
        (999999.5, "999999.5"),
        (1000000, "1e+06"),
        (1234567.5, "1.2345675e+06"),
        (1e100, "1e+100"),
        (-2.5, "-2.5"),
        (float("inf"), "+Inf"),
        (float("-inf"), "-Inf"),
        (float("nan"), "NaN"),
        (-0.0, "-0"),
    ],
)
def test_numbers_are_written_as_go_writes_them(number: float, text: str) -> None:
    assert floats.text(number) == text


@pytest.mark.parametrize(
    ("form", "precision", "text"),
    [
        ("f", floats.SHORTEST, "1234567.5"),
        ("f", 2, "1234567.50"),
        ("e", floats.SHORTEST, "1.2345675e+06"),
        ("E", 1, "1.2E+06"),
        ("g", 3, "1.23e+06"),
    ],
)
def test_a_form_and_a_precision_can_be_chosen(form: str, precision: int, text: str) -> None:
    assert floats.format_float(1234567.5, form, precision) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("100", 100.0),
        ("-2147483647", -2147483647.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("0x1p-2", 0.25),
        ("1e400", None),
        ("1_000", None),
        (" 1", None),
        ("", None),
        ("high", None),
    ],
)
def test_numbers_are_read_as_go_reads_them(text: str, number: float | None) -> None:
    assert floats.parse(text) == number
