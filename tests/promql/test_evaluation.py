from __future__ import annotations

import numpy as np
import pytest

from kubestage.promql import queries
from kubestage.promql.evaluation import Settings
from kubestage.promql.query_errors import QueryError
from tests.promql.written import ask, store


def test_the_newest_sample_counts_unless_it_is_too_old() -> None:
    made = store({"a": [1, 2]})
    assert ask(made, "a", 59) == {"__name__=a": 1}
    assert ask(made, "a", 60) == {"__name__=a": 2}
    assert ask(made, "a", 359) == {"__name__=a": 2}
    assert ask(made, "a", 360) == {}
    assert ask(made, "a", 360, Settings(is_closed=True)) == {"__name__=a": 2}
    assert ask(made, "a", 100, Settings(lookback_ms=30_000)) == {}


def test_a_series_that_has_ended_is_gone_at_once_and_may_come_again() -> None:
    made = store({"a": [1, "stale", None, 4]})
    assert ask(made, "a", 119) == {}
    assert ask(made, "a", 180) == {"__name__=a": 4}
    assert ask(made, "count_over_time(a[10m])", 180) == {"": 2}


def test_before_the_first_sample_there_is_nothing() -> None:
    assert ask(store({"a": [None, 1]}), "a", 30) == {}


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("sum(a offset 2m)", 4),
        ("sum(a @ 60)", 2),
        ("sum(a @ 300 offset 1m)", 5),
        ("sum(a @ start())", 6),
        ("sum(a @ end() offset 5m)", 1),
        ("sum(a offset -1m)", 7),
        ("sum_over_time(a[2m] offset 1m)", 5 + 4),
        ("sum_over_time(a[2m] @ 120)", 3 + 2),
    ],
)
def test_other_times_can_be_looked_at(query: str, value: float) -> None:
    made = store({"a": [1, 2, 3, 4, 5, 6, 7]})
    assert list(ask(made, query, 300).values()) == [value]


def test_a_subquery_is_evaluated_at_multiples_of_its_step() -> None:
    made = store({"a": [0, 1, 2, 3, 4, 5]})
    assert ask(made, "sum_over_time(a[2m:1m])", 245) == {"": 3 + 4}
    assert ask(made, "count_over_time(a[2m:30s])", 240) == {"": 4}
    assert ask(made, "sum_over_time(a[2m:])", 240) == {"": 3 + 4}
    assert ask(made, "sum_over_time(a[2m:1m] offset 1m)", 240) == {"": 2 + 3}
    assert ask(made, "count_over_time(a[2m:])", 240, Settings(step_ms=10_000)) == {"": 12}
    assert ask(made, "sum_over_time(a[10s:1m])", 245) == {"": 4}
    assert ask(made, "sum_over_time(a[4s:1m])", 245) == {}


def test_subqueries_nest() -> None:
    made = store({"a": [0, 60, 120, 180, 240, 300]})
    query = "max_over_time(avg_over_time(rate(a[2m])[2m:1m])[2m:1m])"
    assert ask(made, query, 300) == {"": 1.0}


def test_the_throughput_of_bindings_is_the_steepest_piece() -> None:
    made = store({'bound{code="201"}': [0, 0, 50, 150, 160, 160]}, step_s=5)
    query = 'max_over_time(sum(irate(bound{code="201"}[1m]))[25s:5s])'
    assert ask(made, query, 25) == {"": 20.0}


def test_many_times_at_once_are_each_as_if_it_were_alone() -> None:
    made = store(
        {
            f'h_bucket{{le="{le}", i="{i}"}}': [i * scale * step**1.5 for step in range(12)]
            for i in (1, 2)
            for le, scale in (("1", 1.0), ("2", 2.5), ("+Inf", 3.0))
        }
    )
    times = np.arange(0, 720_000, 45_000, dtype=np.int64)
    for query in (
        "h_bucket",
        "rate(h_bucket[2m])",
        "histogram_quantile(0.9, sum by (le) (rate(h_bucket[3m])))",
        "max_over_time(sum by (i) (h_bucket)[3m:1m]) > 10",
        "topk(2, h_bucket)",
    ):
        frame = queries.evaluate_range(made, query, times)
        for column, at_ms in enumerate(times.tolist()):
            alone = queries.evaluate(made, query, at_ms * 1_000_000)
            assert isinstance(alone, tuple)
            together = {
                labels: float(row[column])
                for labels, row, present in zip(
                    frame.labels, frame.values, frame.present, strict=True
                )
                if present[column]
            }
            assert together == pytest.approx({each.labels: each.value for each in alone})


def test_a_scalar_over_several_times_is_one_series_and_a_string_none() -> None:
    made, times = store({}), np.array([0, 1000], np.int64)
    frame = queries.evaluate_range(made, "time() * 2", times)
    assert (frame.labels, frame.values.tolist()) == ([()], [[0, 2]])
    with pytest.raises(QueryError, match="the result must not be a string"):
        queries.evaluate_range(made, '"x"', times)
    assert queries.evaluate(made, '"x"', 0) == "x"
