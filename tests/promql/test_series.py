from __future__ import annotations

import itertools
import pickle

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from kubestage.promql.series import (
    STALE,
    Axis,
    BucketColumns,
    Columns,
    SeriesStore,
    is_stale,
    labels_of,
)
from tests.promql.written import matchers


def test_series_of_one_axis_share_their_times_and_keep_values_until_they_change() -> None:
    store, axis = SeriesStore(), Axis()
    early, late = (store.series(labels_of({"__name__": name}), axis) for name in ("a", "b"))
    for index in range(5):
        axis.append(index * 1000)
        if index in (0, 3):
            early.put(float(index))
        if index == 2:
            late.put(7.0)
    assert [column.tolist() for column in early.samples()] == [
        [0, 1000, 2000, 3000, 4000],
        [0, 0, 0, 3, 3],
    ]
    assert [column.tolist() for column in late.samples()] == [[2000, 3000, 4000], [7, 7, 7]]


def test_samples_grow_with_the_axis() -> None:
    store, axis = SeriesStore(), Axis()
    series = store.series(labels_of({"__name__": "a"}), axis)
    axis.append(1)
    series.put(1.0)
    assert series.samples()[1].tolist() == [1]
    axis.append(2)
    assert series.samples()[1].tolist() == [1, 1]
    series.put(5.0)
    assert series.samples()[1].tolist() == [1, 5]


def test_a_second_value_at_one_time_replaces_the_first() -> None:
    axis = Axis()
    series = SeriesStore().series((), axis)
    axis.append(1)
    series.put(1.0)
    series.put(2.0)
    assert series.samples()[1].tolist() == [2]


def test_time_never_goes_back() -> None:
    store = SeriesStore()
    store.append({"__name__": "a"}, 1000, 1.0)
    with pytest.raises(AssertionError):
        store.append({"__name__": "a"}, 1000, 2.0)


def test_an_end_is_a_nan_like_no_other() -> None:
    values = np.array([STALE, float("nan"), 0.0])
    assert is_stale(values).tolist() == [True, False, False]
    assert np.isnan(STALE)


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("a", ["1", "2"]),
        ('a{x="1"}', ["1"]),
        ('a{x!="1"}', ["2"]),
        ('{__name__=~"a|b", x=~"[13]"}', ["1", "3"]),
        ('a{y=""}', ["1", "2"]),
        ('a{y!=""}', []),
        ("c", []),
    ],
)
def test_series_are_found_by_their_labels(selector: str, found: list[str]) -> None:
    store = SeriesStore()
    for name, x in (("b", "3"), ("a", "2"), ("a", "1")):
        store.append({"__name__": name, "x": x, "empty": ""}, 0, 1.0)
    assert [series.by_name["x"] for series in store.select(matchers(selector))] == found
    assert len(store) == 3
    assert store.names() == ["a", "b"]


def test_a_store_survives_being_pickled() -> None:
    store = SeriesStore()
    store.append({"__name__": "a"}, 1000, 1.5)
    (series,) = pickle.loads(pickle.dumps(store)).select(matchers("a"))
    assert series.by_name == {"__name__": "a"}
    assert [column.tolist() for column in series.samples()] == [[1000], [1.5]]


COUNTS = st.lists(st.integers(0, 1 << 20) | st.just(1 << 31), min_size=4, max_size=4)
ROWS = st.lists(st.none() | st.tuples(COUNTS, st.floats(0, 1e9)), max_size=12)


@given(ROWS, st.integers(0, 12))
def test_buckets_are_as_columns_of_their_sums(
    rows: list[tuple[list[int], float] | None], read_after: int
) -> None:
    axis = Axis()
    buckets, twin = BucketColumns(axis, 6), Columns(axis, 6)
    for at_ms, row in enumerate(rows):
        axis.append(at_ms)
        if row is None:
            buckets.end()
            twin.put([STALE] * 6)
        else:
            counts, total = row
            seen = list(itertools.accumulate(counts))
            buckets.put_counts(counts, total)
            twin.put((*seen, seen[-1], total))
        if at_ms == read_after:
            _assert_same(buckets, twin)
    _assert_same(buckets, twin)
    _assert_same(pickle.loads(pickle.dumps(buckets)), twin)


def test_a_bucket_may_hold_more_than_four_bytes_count() -> None:
    axis = Axis()
    buckets = BucketColumns(axis, 4)
    for at_ms, count in enumerate((7, 1 << 40)):
        axis.append(at_ms)
        buckets.put_counts([count, 1], 0.5)
    assert buckets.samples([1])[1].tolist() == [[8.0, (1 << 40) + 1]]


def _assert_same(buckets: Columns, twin: Columns) -> None:
    for chosen in ([0], [5], [4, 1], range(6)):
        for found, expected in zip(buckets.samples(chosen), twin.samples(chosen), strict=True):
            assert found.tobytes() == expected.tobytes()
