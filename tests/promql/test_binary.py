from __future__ import annotations

import math

import pytest

from kubestage.promql.query_errors import QueryError
from tests.promql.written import ask, store

MADE = store(
    {
        'a{m="1", x="p"}': [10],
        'a{m="2", x="p"}': [20],
        'b{m="1"}': [2],
        'b{m="2"}': [5],
        'info{m="1", version="v1"}': [1],
        'info{m="2", version="v2"}': [1],
    }
)


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ("b + 1", {"m=1": 3, "m=2": 6}),
        ("10 - b", {"m=1": 8, "m=2": 5}),
        ("-b", {"m=1": -2, "m=2": -5}),
        ("b % 2", {"m=1": 0, "m=2": 1}),
        ("b ^ 2", {"m=1": 4, "m=2": 25}),
        ("b > 3", {"__name__=b,m=2": 5}),
        ("3 < b", {"__name__=b,m=2": 5}),
        ("b > bool 3", {"m=1": 0, "m=2": 1}),
        ("b == 2", {"__name__=b,m=1": 2}),
        ("a / on (m) b", {"m=1": 5, "m=2": 4}),
        ("a / ignoring (x) b", {"m=1": 5, "m=2": 4}),
        ("a / b", {}),
        ("a > on (m) b * 4.5", {"m=1": 10}),
        ("a * on (m) group_left b", {"m=1,x=p": 20, "m=2,x=p": 100}),
        ("b * on (m) group_right a", {"m=1,x=p": 20, "m=2,x=p": 100}),
        ("b - on (m) group_right a", {"m=1,x=p": -8, "m=2,x=p": -15}),
        (
            "b * on (m) group_left (version) info",
            {"m=1,version=v1": 2, "m=2,version=v2": 5},
        ),
        ("b and on (m) (a > 15)", {"__name__=b,m=2": 5}),
        ("b unless on (m) (a > 15)", {"__name__=b,m=1": 2}),
        ("b unless none", {"__name__=b,m=1": 2, "__name__=b,m=2": 5}),
        ("b and none", {}),
        ("none or b", {"__name__=b,m=1": 2, "__name__=b,m=2": 5}),
        ("(b > 3) or on (m) a", {"__name__=b,m=2": 5, "__name__=a,m=1,x=p": 10}),
        ("b atan2 0", {"m=1": math.pi / 2, "m=2": math.pi / 2}),
    ],
)
def test_sides_are_put_together_by_their_labels(query: str, result: dict[str, float]) -> None:
    assert ask(MADE, query) == pytest.approx(result)


def test_division_by_zero_is_infinite_or_no_number() -> None:
    assert ask(MADE, "b / 0") == {"m=1": math.inf, "m=2": math.inf}
    assert all(math.isnan(value) for value in ask(MADE, "(b - b) / 0").values())


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("sum(b) / on () a", "found duplicate series for the match group {} on the right"),
        ("b * on () group_left a", "many-to-many matching not allowed"),
        ("a * on () group_right b", "on the left hand-side"),
        ("a / on (x) sum by (x) (a)", "many-to-one matching must be explicit"),
        ("label_replace(a, 'm', '', 'm', '.*') * 2", "same labelset"),
    ],
)
def test_what_is_not_clear_is_refused(query: str, problem: str) -> None:
    with pytest.raises(QueryError, match=problem):
        ask(MADE, query)


def test_labels_that_are_grouped_have_to_stay_unique() -> None:
    made = store({'a{m="1", x="1"}': [1], 'a{m="1", x="2"}': [2], 'b{m="1"}': [3]})
    with pytest.raises(QueryError, match="grouping labels must ensure unique matches"):
        ask(made, "a * on (m) group_left (x) b")


def test_series_that_take_turns_are_no_duplicates() -> None:
    made = store({'a{i="1"}': [1, "stale", None], 'a{i="2"}': [None, 2, 2], "b": [10, 10, 10]})
    query = "sum_over_time((b + on () a)[3m:1m])"
    assert ask(made, query, 120) == {"": 11 + 12 + 12}
