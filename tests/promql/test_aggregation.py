from __future__ import annotations

import math

import pytest

from kubestage.promql import queries
from kubestage.promql.query_errors import QueryError
from tests.promql.written import ask, store

MADE = store(
    {
        'a{job="x", i="1"}': [1],
        'a{job="x", i="2"}': [3],
        'a{job="y", i="1"}': [10],
    }
)


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ("sum(a)", {"": 14}),
        ("sum by (job) (a)", {"job=x": 4, "job=y": 10}),
        ("sum without (i) (a)", {"job=x": 4, "job=y": 10}),
        ("sum by (missing) (a)", {"": 14}),
        ("sum by (__name__) (a)", {"__name__=a": 14}),
        ("avg by (job) (a)", {"job=x": 2, "job=y": 10}),
        ("min(a)", {"": 1}),
        ("max by (i) (a)", {"i=1": 10, "i=2": 3}),
        ("count by (job) (a)", {"job=x": 2, "job=y": 1}),
        ("group(a)", {"": 1}),
        ("stddev by (job) (a)", {"job=x": 1, "job=y": 0}),
        ("stdvar by (job) (a)", {"job=x": 1, "job=y": 0}),
        ("quantile by (job) (0.5, a)", {"job=x": 2, "job=y": 10}),
        ('count_values("v", a)', {"v=1": 1, "v=3": 1, "v=10": 1}),
        ('count_values by (job) ("v", a > 2)', {"job=x,v=3": 1, "job=y,v=10": 1}),
        ("sum(none)", {}),
    ],
)
def test_groups_become_one_series_each(query: str, result: dict[str, float]) -> None:
    assert ask(MADE, query) == result


def _order(query: str) -> list[tuple[str, float]]:
    answer = queries.evaluate(MADE, query, 0)
    assert isinstance(answer, tuple)
    return [(dict(point.labels)["job"] + dict(point.labels)["i"], point.value) for point in answer]


def test_the_best_keep_their_labels_and_come_in_order() -> None:
    assert _order("topk(2, a)") == [("y1", 10), ("x2", 3)]
    assert _order("bottomk(2, a)") == [("x1", 1), ("x2", 3)]
    assert _order("topk by (job) (1, a)") == [("x2", 3), ("y1", 10)]
    assert _order("topk(0, a)") == []
    assert _order("topk(100, a)")[0] == ("y1", 10)


def test_what_is_no_number_ranks_last_and_is_passed_over_by_extremes() -> None:
    made = store({'a{i="1"}': [math.nan], 'a{i="2"}': [1]})
    assert ask(made, "topk(1, a)") == {"__name__=a,i=2": 1}
    assert ask(made, "bottomk(1, a)") == {"__name__=a,i=2": 1}
    assert ask(made, "max(a)") == ask(made, "min(a)") == {"": 1}
    assert math.isnan(ask(made, "sum(a)")[""])


def test_a_rank_that_is_no_number_is_refused() -> None:
    with pytest.raises(QueryError, match="Parameter value is NaN"):
        ask(MADE, "topk(NaN, a)")


def test_sums_lose_nothing_to_rounding_at_one_time_and_at_many() -> None:
    made = store({'a{i="1"}': [1e100] * 3, 'a{i="2"}': [1] * 3, 'a{i="3"}': [-1e100] * 3})
    assert ask(made, "sum(a)") == {"": 1}
    assert ask(made, "max_over_time(sum(a)[2m:1m])", 60) == {"": 1}


def test_an_average_may_be_smaller_than_a_sum_that_is_too_large() -> None:
    made = store({'a{i="1"}': [1.7e308] * 2, 'a{i="2"}': [1.7e308] * 2})
    assert ask(made, "avg(a)") == {"": 1.7e308}
    assert ask(made, "sum(a)") == {"": math.inf}


def test_equal_values_do_not_deviate() -> None:
    made = store({f'a{{i="{index}"}}': [0.1] for index in range(7)})
    assert ask(made, "stddev(a)") == {"": 0}
