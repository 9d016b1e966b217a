"""Queries that would take too deep a stack, too many samples, or too long."""

from __future__ import annotations

import pytest

from kubestage.errors import LimitExceeded
from kubestage.promql import parser, queries
from kubestage.promql.query_errors import QueryError
from kubestage.promql.series import SeriesStore
from kubestage.units import SECOND_NS


@pytest.fixture
def store() -> SeriesStore:
    found = SeriesStore()
    for at_ms in range(0, 600_000, 1000):
        found.append({"__name__": "up", "job": "aaaaaaaa"}, at_ms, 1.0)
    return found


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("(" * 5000 + "1" + ")" * 5000, "nested 50 levels deep"),
        ("-" * 5000 + "1", "nested 50 levels deep"),
        ("abs(" * 5000 + "up" + ")" * 5000, "nested 50 levels deep"),
        ("2^" * 5000 + "1", "nested 50 levels deep"),
        ("1" + "+1" * 5000, "a query may have 250 operators"),
        ("up" + "[5m:1m]" * 5000, "subquery is only allowed on instant vector"),
        ("x" * 70_000, "a query may have 65,536 characters"),
        ("sum_over_time(up[10000y:1ms])", "too many samples into memory"),
        ("sum_over_time(up[100y:1ms])", "too many samples into memory"),
        ("sum_over_time(vector(1)[1h:10ms] offset 1s)", None),
        ("max_over_time(sum_over_time(up[100d:1s])[100d:1s])", "too many samples|would read more"),
        (
            "label_join(" * 40 + "up" + ', "job", "", "job", "job")' * 40,
            "10,000,000 characters",
        ),
        (
            "label_replace(" * 40 + "up" + ', "job", "$1$1", "job", "(.*)")' * 40,
            "10,000,000 characters",
        ),
    ],
)
def test_a_query_beyond_the_limits_is_an_error(
    store: SeriesStore, query: str, problem: str | None
) -> None:
    if problem is None:
        queries.evaluate(store, query, 600 * SECOND_NS)
        return
    with pytest.raises(QueryError, match=problem):
        queries.evaluate(store, query, 600 * SECOND_NS)


def test_usual_depths_are_read() -> None:
    parser.parse("(" * 45 + "1" + ")" * 45)
    parser.parse("up" + " or up" * 200)
    with pytest.raises(LimitExceeded):
        parser.parse("up" + " or up" * 300)
