"""Sums over time are exact, and extremes are those of levels that lasted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubestage.results.life.integral import LASTING_NS, Integral
from kubestage.units import HOUR_NS


def test_the_sum_is_level_times_duration() -> None:
    integral = Integral(0)
    integral.add(2, HOUR_NS)
    integral.add(1, 2 * HOUR_NS)
    integral.reach(4 * HOUR_NS)
    assert integral.hours == 2 + 2 * 3
    assert (integral.lowest, integral.highest, integral.level) == (0, 3, 3)


def test_what_does_not_last_for_a_second_is_no_extreme() -> None:
    integral = Integral(0, 2)
    integral.add(5, 10 * LASTING_NS)
    integral.reach(10 * LASTING_NS + 1)
    integral.add(-6, 11 * LASTING_NS - 1)
    integral.add(1, 12 * LASTING_NS - 2)
    integral.reach(20 * LASTING_NS)
    assert (integral.lowest, integral.highest) == (2, 2)
    integral.add(1, 20 * LASTING_NS)
    integral.reach(21 * LASTING_NS)
    assert integral.highest == 3


def test_before_any_time_has_passed_the_extremes_are_the_level() -> None:
    integral = Integral(7, 3)
    assert (integral.lowest, integral.highest, integral.hours) == (3, 3, 0)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(-3, 9)), max_size=30))
def test_the_sum_is_that_of_the_moments_one_by_one(steps: list[tuple[int, int]]) -> None:
    integral, now, level, expected = Integral(0), 0, 0, 0
    for passed, change in steps:
        expected += sum(level for _ in range(passed))
        now, level = now + passed, level + change
        integral.add(change, now)
    integral.reach(now)
    assert integral.total_ns == expected
