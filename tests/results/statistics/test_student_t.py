"""Student's distribution beside published tables."""

from __future__ import annotations

import math

import pytest

from kubestage.results.statistics import student_t

# The usual table of critical values: degrees of freedom, upper tail, value.
TABLE = [
    (1, 0.1, 3.078), (1, 0.05, 6.314), (1, 0.025, 12.706), (1, 0.01, 31.821), (1, 0.005, 63.657),
    (1, 0.0005, 636.619), (2, 0.025, 4.303), (2, 0.005, 9.925), (3, 0.025, 3.182),
    (3, 0.0005, 12.924), (4, 0.05, 2.132), (5, 0.1, 1.476), (5, 0.025, 2.571), (6, 0.01, 3.143),
    (7, 0.005, 3.499), (8, 0.025, 2.306), (9, 0.025, 2.262), (10, 0.05, 1.812),
    (10, 0.0005, 4.587), (12, 0.01, 2.681), (15, 0.005, 2.947), (20, 0.025, 2.086),
    (24, 0.025, 2.064), (29, 0.025, 2.045), (30, 0.005, 2.750), (40, 0.025, 2.021),
    (60, 0.01, 2.390), (120, 0.1, 1.289), (120, 0.0005, 3.373), (1000, 0.025, 1.962),
]  # fmt: skip


@pytest.mark.parametrize(("freedom", "tail", "value"), TABLE)
def test_critical_values_are_those_of_the_table(freedom: int, tail: float, value: float) -> None:
    assert round(student_t.critical(tail, freedom), 3) == value


def test_one_degree_of_freedom_is_the_cauchy_distribution() -> None:
    for value in (0.0, 0.3, 1.0, 12.7, 1e6):
        expected = 0.5 - math.atan(value) / math.pi
        assert student_t.upper_tail(value, 1) == pytest.approx(expected, abs=1e-12)


def test_two_degrees_of_freedom_have_a_closed_form() -> None:
    for value in (-4.0, -0.5, 0.0, 0.5, 4.0, 100.0):
        expected = 0.5 - value / (2 * math.sqrt(2 + value * value))
        assert student_t.upper_tail(value, 2) == pytest.approx(expected, abs=1e-12)


def test_many_degrees_of_freedom_are_the_normal_distribution() -> None:
    expected = 0.5 * math.erfc(1.3 / math.sqrt(2))
    assert student_t.upper_tail(1.3, 10**6) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 50, 500, 100_000])
@pytest.mark.parametrize("tail", [0.4, 0.1, 0.01, 1e-6, 1e-12])
def test_a_critical_value_has_its_tail(tail: float, freedom: int) -> None:
    value = student_t.critical(tail, freedom)
    assert student_t.upper_tail(value, freedom) == pytest.approx(tail, rel=1e-8)


def test_the_incomplete_beta_function_is_symmetric() -> None:
    for x in (0.0, 0.1, 0.5, 0.9, 1.0):
        one = student_t.incomplete_beta(2.5, 0.5, x)
        assert one + student_t.incomplete_beta(0.5, 2.5, 1 - x) == pytest.approx(1)


def test_half_lies_above_zero_and_nothing_above_everything() -> None:
    assert student_t.critical(0.5, 3) == pytest.approx(0, abs=1e-12)
    assert student_t.upper_tail(math.inf, 3) == 0
    assert student_t.upper_tail(-math.inf, 3) == 1
    assert student_t.two_sided(0, 3) == 1
