from __future__ import annotations

import math

import pytest

from kubestage.promql import queries
from kubestage.promql.query_errors import QueryError
from kubestage.promql.series import SeriesStore
from tests.promql.written import ask, number, store

MADE = store({'a{i="1", pod="web-10"}': [-1.5], 'a{i="2", pod="web-9"}': [2.4]})


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [
        ("abs(a)", 1.5, 2.4),
        ("ceil(a)", -1, 3),
        ("floor(a)", -2, 2),
        ("round(a)", -1, 2),
        ("round(a, 0.5)", -1.5, 2.5),
        ("sgn(a)", -1, 1),
        ("clamp(a, -1, 1)", -1, 1),
        ("clamp_min(a, 0)", 0, 2.4),
        ("clamp_max(a, 0)", -1.5, 0),
        ("exp(a)", math.exp(-1.5), math.exp(2.4)),
        ("timestamp(a)", 0, 0),
    ],
)
def test_functions_of_values_drop_the_name(query: str, first: float, second: float) -> None:
    result = {"i=1,pod=web-10": first, "i=2,pod=web-9": second}
    assert ask(MADE, query) == pytest.approx(result)


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("time()", 90),
        ("vector(3)", 3),
        ("scalar(vector(4))", 4),
        ("pi()", math.pi),
        ("sqrt(vector(16))", 4),
        ("ln(vector(1))", 0),
        ("deg(vector(pi()))", 180),
        ("absent(none)", 1),
        ("minute()", 1),
        ("hour(vector(7200))", 2),
        ("year(vector(0))", 1970),
        ("month(vector(2678400))", 2),
        ("day_of_month(vector(86400))", 2),
        ("day_of_week(vector(0))", 4),
        ("day_of_year(vector(2678400))", 32),
        ("days_in_month(vector(2678400))", 28),
    ],
)
def test_functions_that_need_no_series(query: str, value: float) -> None:
    assert number(query, 90) == pytest.approx(value)


def test_bounds_the_wrong_way_round_leave_nothing() -> None:
    assert ask(MADE, "clamp(a, 1, -1)") == {}


def test_several_series_are_no_scalar() -> None:
    assert math.isnan(ask(MADE, "scalar(a)")["scalar"])
    assert math.isnan(number("scalar(none)"))


def test_a_date_beyond_all_calendars_is_no_number() -> None:
    assert math.isnan(number("year(vector(1e30))"))


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ('absent(none{x="1", y=~"2", z!="3"})', "x=1"),
        ('absent(none{x="1", x="2"})', ""),
        ("absent(sum(none))", ""),
    ],
)
def test_absence_has_the_labels_that_were_asked_for(query: str, labels: str) -> None:
    assert ask(SeriesStore(), query) == {labels: 1}


def test_what_is_there_is_not_absent() -> None:
    assert ask(MADE, "absent(a)") == {}


@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        ('"n", "$1", "pod", "web-(.*)"', "__name__=a,i=2,n=9,pod=web-9"),
        ('"pod", "", "pod", ".*"', "__name__=a,i=2"),
        ('"n", "x", "pod", "nothing"', "__name__=a,i=2,pod=web-9"),
        ('"__name__", "b", "", ""', "__name__=b,i=2,pod=web-9"),
    ],
)
def test_a_label_is_made_of_another(arguments: str, labels: str) -> None:
    assert ask(MADE, f'label_replace(a{{i="2"}}, {arguments})') == {labels: 2.4}


def test_a_label_is_made_of_several() -> None:
    query = 'label_join(a{i="2"}, "key", "/", "i", "pod", "none")'
    assert ask(MADE, query) == {"__name__=a,i=2,key=2/web-9/,pod=web-9": 2.4}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [('"n", "", "pod", "("', "invalid regular"), ('"a-b", "", "", ""', "invalid destination")],
)
def test_a_label_cannot_be_made_of_anything(arguments: str, problem: str) -> None:
    with pytest.raises(QueryError, match=problem) as caught:
        ask(MADE, f"label_replace(a, {arguments})")
    assert caught.value.path == "1:1"


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("sort(a)", "12"),
        ("sort_desc(a)", "21"),
        ('sort_by_label(a, "pod")', "21"),
        ('sort_by_label_desc(a, "pod")', "12"),
    ],
)
def test_series_are_put_in_order(query: str, order: str) -> None:
    answer = queries.evaluate(MADE, query, 0)
    assert isinstance(answer, tuple)
    assert "".join(dict(point.labels)["i"] for point in answer) == order


def test_histograms_are_told_apart_by_all_labels_but_the_bound() -> None:
    made = store(
        {
            'h_bucket{le="1", verb="GET"}': [5],
            'h_bucket{le="+Inf", verb="GET"}': [5],
            'h_bucket{le="1", verb="PUT"}': [0],
            'h_bucket{le="2", verb="PUT"}': [10],
            'h_bucket{le="+Inf", verb="PUT"}': [10],
            'h_bucket{le="odd", verb="PUT"}': [99],
            "h_bucket": [99],
        }
    )
    assert ask(made, "histogram_quantile(0.5, h_bucket)") == {"verb=GET": 0.5, "verb=PUT": 1.5}


def test_a_bucket_that_comes_later_counts_from_then_on() -> None:
    made = store(
        {
            'h_bucket{le="1"}': [None, 10, 10],
            'h_bucket{le="4"}': [None, None, 20],
            'h_bucket{le="+Inf"}': [None, 20, 20],
        }
    )
    query = "sum_over_time(histogram_quantile(0.75, h_bucket)[3m:1m])"
    assert ask(made, query, 120) == {"": 1 + 2.5}
    assert ask(made, f"count_over_time{query[13:]}", 120) == {"": 2}


def test_histograms_of_two_names_are_not_mixed() -> None:
    made = store({'a_bucket{le="+Inf"}': [5], 'b_bucket{le="+Inf"}': [5]})
    with pytest.raises(QueryError, match="same labelset"):
        ask(made, "histogram_quantile(0.5, {__name__=~'.*_bucket'})")
