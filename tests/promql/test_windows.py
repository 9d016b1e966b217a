from __future__ import annotations

import numpy as np
import pytest

from kubestage.promql import windows
from kubestage.promql.evaluation import VERSION_2
from kubestage.promql.windows import Window
from tests.promql.written import ask, store


def _window(times_s: list[float], values: list[float], end_s: float, range_s: float) -> Window:
    return Window(
        (),
        np.array([time * 1000 for time in times_s], np.int64),
        np.array(values, np.float64),
        np.array([end_s * 1000], np.int64),
        round(range_s * 1000),
    )


def _increase(window: Window) -> float | None:
    values, present = windows.extrapolated(window, is_counter=True, is_rate=False)
    return float(values[0]) if present[0] else None


def test_samples_that_nearly_fill_the_range_are_taken_to_fill_it() -> None:
    assert _increase(_window([5, 15, 25, 35, 45, 55], [0, 10, 20, 30, 40, 50], 60, 60)) == (
        pytest.approx(55)
    )
    assert _increase(_window([5, 15, 25, 35, 45, 55], [9, 19, 29, 39, 49, 59], 60, 60)) == (
        pytest.approx(60)
    )


def test_samples_that_begin_late_reach_back_by_half_a_gap() -> None:
    assert _increase(_window([40, 50, 60], [100, 110, 120], 60, 60)) == pytest.approx(25)


def test_samples_that_end_early_reach_on_by_half_a_gap() -> None:
    assert _increase(_window([10, 20], [100, 110], 60, 55)) == pytest.approx(10 + 5 + 5)


def test_a_gap_of_up_to_a_tenth_more_than_the_usual_is_the_usual() -> None:
    assert _increase(_window([10.5, 20.5], [100, 110], 20.5, 20.5)) == pytest.approx(20.5)
    assert _increase(_window([11.5, 21.5], [100, 110], 21.5, 21.5)) == pytest.approx(15)


def test_a_counter_is_never_taken_to_have_been_below_zero() -> None:
    assert _increase(_window([10, 20], [2, 12], 20, 20)) == pytest.approx(12)


def test_a_counter_that_falls_has_begun_anew() -> None:
    assert _increase(_window([10, 20, 30, 40], [10, 20, 5, 15], 40, 31)) == pytest.approx(
        25 * 31 / 30
    )


def test_each_window_counts_only_its_own_resets() -> None:
    times = np.arange(0, 80_000, 10_000, dtype=np.int64)
    values = np.array([50, 60, 5, 15, 25, 3, 13, 23], np.float64)
    ends = np.array([30_000, 40_000, 70_000], np.int64)
    window = Window((), times, values, ends, 30_001)
    rise, _ = windows.extrapolated(window, is_counter=True, is_rate=False)
    assert rise.round(2).tolist() == [25.0, 25.0, 23.0]


def test_a_gauge_may_fall() -> None:
    values, _ = windows.extrapolated(
        _window([0, 10, 20], [30, 20, 10], 20, 20.001), is_counter=False, is_rate=True
    )
    assert values[0] == pytest.approx(-1)


@pytest.mark.parametrize("times_s", [[], [60.0], [0.0, 60.0]])
def test_a_single_sample_has_no_rate_and_the_beginning_is_not_in_the_range(
    times_s: list[float],
) -> None:
    assert _increase(_window(times_s, [1.0] * len(times_s), 60, 60)) is None


def test_before_version_3_the_beginning_was_in_the_range() -> None:
    made = store({"a": [0, 60, 120]})
    assert ask(made, "rate(a[1m])", 60) == {}
    assert ask(made, "rate(a[1m])", 60, VERSION_2) == {"": 1.0}
    assert ask(made, "count_over_time(a[2m:1m])", 120) == {"": 2.0}
    assert ask(made, "count_over_time(a[2m:1m])", 120, VERSION_2) == {"": 3.0}


def test_the_instantaneous_rate_is_that_of_the_last_two_samples() -> None:
    window = _window([0, 10, 20], [0, 100, 130], 25, 30)
    assert windows.instantaneous(window, is_rate=True)[0][0] == 3
    assert windows.instantaneous(window, is_rate=False)[0][0] == 30
    reset = _window([0, 10], [100, 20], 25, 30)
    assert windows.instantaneous(reset, is_rate=True)[0][0] == 2
    assert windows.instantaneous(reset, is_rate=False)[0][0] == -80
