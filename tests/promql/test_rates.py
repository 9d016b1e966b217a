"""Rates of many series at once are those of each by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.promql import over_time, rates
from kubestage.promql.limits import Budget, QueryLimitError
from kubestage.promql.series import Axis, SeriesStore, is_stale, labels_of
from kubestage.promql.windows import Window

NAMES = sorted(over_time.RATES)
# What a counter grows by, in each of two buckets; a restart; the end of a distribution.
CHANGES = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)) | st.sampled_from(["restart", "end"]),
    max_size=14,
)
ENDS = np.array([5_000, 31_000, 60_000, 95_000, 140_000], np.int64)


def _store(distributions: list[list[tuple[int, int] | str]]) -> SeriesStore:
    """Distributions that are scraped together, each from its own time on, and one plain counter."""
    store, axis = SeriesStore(), Axis()
    known = [[0, 0] for _ in distributions]
    for step in range(14):
        axis.append(step * 10_000)
        for number, changes in enumerate(distributions):
            if step < number or step - number >= len(changes):
                continue
            names = [
                labels_of({"__name__": "d", "number": str(number), "part": part})
                for part in ("first", "last", "count", "sum")
            ]
            columns, change = store.buckets(names, axis), changes[step - number]
            if change == "end":
                columns.end()
                continue
            if isinstance(change, str):
                known[number] = [0, 0]
            else:
                known[number] = [a + b for a, b in zip(known[number], change, strict=True)]
            columns.put_counts(known[number], known[number][0] * 0.1 + known[number][1] * 0.7)
        plain = store.series(labels_of({"__name__": "d", "part": "plain"}), axis)
        plain.put(step * step % 17)
    return store


@given(st.lists(CHANGES, max_size=3), st.sampled_from(NAMES), st.booleans())
def test_rates_of_series_together_are_those_of_each(
    distributions: list[list[tuple[int, int] | str]], name: str, is_closed: bool
) -> None:
    found = _store(distributions).select([])
    edge_ms, expected = int(is_closed), {}
    for series in found:
        times, values = series.samples()
        kept = ~is_stale(values)
        window = Window((), times[kept], values[kept], ENDS, 40_000, edge_ms)
        row, present = over_time.apply(name, window, [], ENDS)
        if present.any():
            labels = tuple(pair for pair in series.labels if pair[0] != "__name__")
            expected[labels] = (row.tobytes(), present.tolist())
    frame = rates.of_series(name, found, ENDS, 40_000, edge_ms, Budget())
    rows = zip(frame.labels, frame.values, frame.present, strict=True)
    assert {each: (row.tobytes(), present.tolist()) for each, row, present in rows} == expected


def test_no_series_have_no_rates() -> None:
    assert rates.of_series("rate", [], ENDS, 40_000, 0, Budget()).values.shape == (0, len(ENDS))


def test_values_count_for_each_series() -> None:
    found, budget = _store([[(1, 2)] * 14]).select([]), Budget()
    budget.hold(50_000_000 - len(ENDS) * len(found))
    rates.of_series("rate", found, ENDS, 40_000, 0, budget)
    with pytest.raises(QueryLimitError, match="load too many samples"):
        rates.of_series("rate", found[:1], ENDS, 40_000, 0, budget)
    spent = Budget()
    spent.read(1_000_000_000)
    with pytest.raises(QueryLimitError, match="read more than"):
        rates.of_series("rate", found[:1], ENDS, 40_000, 0, spent)
