"""The record: bounded, and the same however it is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.traffic import histogram
from kubestage.traffic.record import COMPLETED, INTERRUPTED, TIMEOUT, Record
from kubestage.traffic.rows import MOST_ROWS
from kubestage.traffic.sample import MOST_KEPT
from kubestage.units import SECOND_NS

MS = 1_000_000


def tell(record: Record, rows: list[tuple[int, int, int, int]]) -> None:
    """Number, arrival, end and outcome of each."""
    record.add_arrivals(np.array(sorted(row[1] for row in rows), np.int64))
    ends = np.array([(*row, 0, 0) for row in rows], np.int64).reshape(len(rows), 6)
    record.add_ends(ends)


def test_an_event_belongs_to_the_row_that_begins_with_it() -> None:
    record = Record()
    tell(
        record,
        [(0, SECOND_NS - 1, SECOND_NS, COMPLETED), (1, SECOND_NS, 2 * SECOND_NS - 1, TIMEOUT)],
    )
    record.reach(3 * SECOND_NS)
    table = record.table()
    assert table["at_s"] == [0, 1, 2]
    assert table["arrived"] == [1, 1, 0]
    assert table["completed"] == [0, 1, 0]
    assert table["failed"] == table["timeout"] == [0, 1, 0]
    assert table["processing"] == [1, 0, 0]


def test_rows_begin_where_the_traffic_does() -> None:
    record = Record(90 * SECOND_NS)
    record.reach(92 * SECOND_NS)
    assert record.table()["at_s"] == [90, 91]


def test_response_times_of_a_row_are_those_that_were_completed_in_it() -> None:
    record = Record()
    tell(record, [(at, 0, (at + 1) * MS, COMPLETED) for at in range(100)])
    table = record.table()
    assert table["response_mean_ms"] == [50.5]
    assert table["response_p50_ms"] == [pytest.approx(50, rel=1 / 16)]
    assert table["response_p95_ms"] == [pytest.approx(95, rel=1 / 16)]
    assert table["response_p99_ms"] == [pytest.approx(99, rel=1 / 16)]


def test_a_row_without_a_completed_request_has_no_response_time() -> None:
    record = Record()
    record.reach(SECOND_NS)
    table = record.table()
    assert table["response_mean_ms"] == table["response_p99_ms"] == [None]


def test_rows_are_merged_in_pairs_when_there_are_too_many() -> None:
    record = Record(3 * SECOND_NS)
    told = [(at, (at + 3) * SECOND_NS, (at + 3) * SECOND_NS + MS, COMPLETED) for at in range(3000)]
    tell(record, told[:2000])
    assert record.resolution_ns == SECOND_NS
    tell(record, told[2000:])
    table = record.table()
    assert record.resolution_ns == 2 * SECOND_NS
    assert table["at_s"][:3] == [2, 4, 6]
    assert table["arrived"][:3] == [1, 2, 2]
    assert sum(table["completed"]) == 3000
    assert len(table["at_s"]) <= MOST_ROWS


def test_a_long_run_stays_small() -> None:
    record = Record()
    record.reach(10**9 * SECOND_NS)
    tell(record, [(0, 10**9 * SECOND_NS, 10**9 * SECOND_NS + 5, INTERRUPTED)])
    assert MOST_ROWS // 2 <= len(record.table()["at_s"]) <= MOST_ROWS
    assert record.table()["interrupted"][-1] == 1


def test_the_summary_is_exact_but_for_percentiles() -> None:
    record = Record()
    tell(record, [(at, 0, (at + 1) * MS, COMPLETED) for at in range(1000)])
    tell(record, [(1000, 0, 7, TIMEOUT)])
    found = record.summary()
    assert found["requests"] == 1001
    assert found["completed"] == 1000
    others = ("NoReplica", "Overloaded", "Interrupted", "NoAnswer")
    assert found["failed"] == {"Timeout": 1, **dict.fromkeys(others, 0)}
    assert found["response_ms"]["mean"] == 500.5
    assert found["response_ms"]["max"] == 1000
    assert found["response_ms"]["p95"] == pytest.approx(950, rel=1 / 128)


def test_nobody_completed_has_no_response_times() -> None:
    assert set(Record().summary()["response_ms"].values()) == {None}


def test_the_sample_is_every_so_many_th_request() -> None:
    record = Record()
    tell(record, [(at, at, at + 5, COMPLETED) for at in range(10_000)])
    found = record.responses()
    assert found == [(at, 5) for at in range(0, 10_000, 4)]
    assert len(found) <= MOST_KEPT


def test_a_lost_request_is_noticed() -> None:
    record = Record()
    record.add_arrivals(np.array([5], np.int64))
    with pytest.raises(AssertionError, match="a request got lost"):
        record.check([], 0)


def test_a_wrong_count_of_time_spent_is_noticed() -> None:
    record = Record()
    tell(record, [(0, 5, 15, COMPLETED)])
    record.check([], 10)
    with pytest.raises(AssertionError, match="Little's law"):
        record.check([], 11)


@given(st.integers(0, 2**61), st.sampled_from([4, 7]))
def test_a_bucket_is_a_fraction_of_an_octave_wide(value: int, sub_bits: int) -> None:
    bucket = int(histogram.buckets_of(np.array([value], np.int64), sub_bits)[0])
    assert bucket < histogram.bucket_count(sub_bits, 62)
    assert histogram.middle_of(bucket, sub_bits) == pytest.approx(value, rel=2.0**-sub_bits)


ROWS = st.lists(
    st.tuples(st.integers(0, 4_000), st.integers(0, 5_000), st.integers(0, 4)), max_size=60
)


@settings(deadline=None)
@given(rows=ROWS, data=st.data())
def test_neither_order_nor_blocks_are_of_consequence(rows: list[Any], data: st.DataObject) -> None:
    told = [
        (number, at * SECOND_NS, at * SECOND_NS + spent * MS, outcome)
        for number, (at, spent, outcome) in enumerate(sorted(rows))
    ]
    whole, cut = Record(), Record()
    tell(whole, told)
    cut.add_arrivals(np.array([row[1] for row in told], np.int64))
    for number, *rest in data.draw(st.permutations(told)):
        cut.add_ends(np.array([(number, *rest, 0, 0)], np.int64))
    for record in (whole, cut):
        record.reach(5_000 * SECOND_NS)
    assert whole.table() == cut.table()
    assert whole.summary() == cut.summary()
    assert whole.responses() == cut.responses()
