from __future__ import annotations

import math

import pytest

from tests.promql.written import ask, store

NAN = math.nan


@pytest.mark.parametrize(
    ("function", "value"),
    [
        ("avg_over_time(a[10m])", 3.6),
        ("sum_over_time(a[10m])", 18),
        ("count_over_time(a[10m])", 5),
        ("min_over_time(a[10m])", 1),
        ("max_over_time(a[10m])", 7),
        ("first_over_time(a[10m])", 1),
        ("last_over_time(a[10m])", 6),
        ("present_over_time(a[10m])", 1),
        ("changes(a[10m])", 3),
        ("resets(a[10m])", 1),
        ("stddev_over_time(a[10m])", math.sqrt(6.24)),
        ("stdvar_over_time(a[10m])", 6.24),
        ("quantile_over_time(0.5, a[10m])", 3),
        ("mad_over_time(a[10m])", 2),
        ("idelta(a[10m])", -1),
        ("delta(a[4m1s])", 5.02083),
        ("ts_of_first_over_time(a[10m])", 0),
        ("ts_of_last_over_time(a[10m])", 240),
        ("ts_of_max_over_time(a[10m])", 180),
        ("ts_of_min_over_time(a[10m])", 60),
        ("deriv(a[10m])", 1.6 / 60),
        ("predict_linear(a[10m], 60)", 8.4),
        ("double_exponential_smoothing(a[10m], 0.5, 0.5)", 6.1875),
    ],
)
def test_functions_over_time(function: str, value: float) -> None:
    made = store({"a": [1, 1, 3, 7, 6]})
    (found,) = ask(made, function, 240).values()
    assert found == pytest.approx(value, abs=1e-3)


def test_only_the_first_and_the_last_keep_their_name() -> None:
    made = store({"a": [1, 2]})
    assert ask(made, "last_over_time(a[5m])", 60) == {"__name__=a": 2}
    assert ask(made, "max_over_time(a[5m])", 60) == {"": 2}


def test_what_is_no_number_counts_only_where_there_is_nothing_else() -> None:
    made = store({"a": [NAN, 2, NAN, 5], "b": [NAN, NAN]})
    assert ask(made, "max_over_time(a[10m])", 180) == {"": 5}
    assert ask(made, "min_over_time(a[10m])", 180) == {"": 2}
    assert math.isnan(ask(made, "max_over_time(b[10m])", 60)[""])
    assert ask(made, "changes(b[10m])", 60) == {"": 0}
    assert math.isnan(ask(made, "mad_over_time(a[10m])", 180)[""])
    assert ask(made, "quantile_over_time(0.99, a[10m])", 180)[""] == pytest.approx(4.91)


def test_a_line_through_equal_values_is_level() -> None:
    made = store({"a": [3, 3, 3], "b": [math.inf, math.inf]})
    assert ask(made, "deriv(a[10m])", 120) == {"": 0}
    assert ask(made, "predict_linear(a[10m], 3600)", 120) == {"": 3}
    assert math.isnan(ask(made, "deriv(b[10m])", 60)[""])


@pytest.mark.parametrize("function", ["deriv(a[10m])", "rate(a[10m])", "irate(a[10m])"])
def test_one_sample_makes_no_slope(function: str) -> None:
    assert ask(store({"a": [1]}), function, 0) == {}


def test_parameters_may_change_with_time() -> None:
    made = store({"a": [1, 2, 3], "q": [0, 0.5, 1]})
    query = "max_over_time(quantile_over_time(scalar(q), a[1h])[3m:1m])"
    assert ask(made, query, 120) == {"": 3}


def test_absence_over_time_has_the_labels_that_were_asked_for() -> None:
    made = store({"a": [1, None, None, None]})
    assert ask(made, 'absent_over_time(a{x="1", y!="2"}[1m])', 180) == {"x=1": 1}
    assert ask(made, "absent_over_time(a[1h])", 180) == {}
