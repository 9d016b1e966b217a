"""Traces as CSV: what can be written, and what is wrong with the rest, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.objects import request_traces
from kubestage.units import SECOND_NS


@pytest.mark.parametrize(
    ("csv", "times", "rates"),
    [
        ("time,rps\n0,10\n60,20", [0, 60], [10, 20]),
        ("arrival\n0.5\n0.5\n2", [0.5, 0.5, 2], None),
        ("\n Time , QPS \r\n\r\n0, 1.5\r\n1m30s,0\r\n\r\n", [0, 90], [1.5, 0]),
        ("zone,rps,time\na,3,7\n", [7], [3]),
        ("timestamp,rps\n1662859176.0,1\n1662859233.0,2", [0, 57], [1, 2]),
        ("time,rps\n2026-01-31T12:00:00Z,1\n2026-01-31T12:00:30Z,2", [0, 30], [1, 2]),
        ("arrival\n2026-01-31T12:00:00Z\n2026-01-31T12:00:00Z", [0, 0], None),
        ('"time","rps"\n"5","1e3"', [5], [1000]),
    ],
)
def test_rows_are_read(csv: str, times: list[float], rates: list[float] | None) -> None:
    trace = request_traces.read(csv)
    assert [each / SECOND_NS for each in trace.times_ns] == times
    assert (None if trace.rates is None else list(trace.rates)) == rates


@pytest.mark.parametrize(
    ("csv", "line", "problem", "fix"),
    [
        ("", 1, "no columns time or timestamp and rps or qps, nor arrival", "name the columns"),
        ("0,10\n60,20", 1, "no columns time", "name the columns in the first row"),
        ("time,value\n0,10", 1, "no columns time", "time,rps or arrival"),
        ("time,rps\n", None, "the trace has no rows", "add a row"),
        ("arrival", None, "the trace has no rows", "add a row"),
        ("time,rps\n0,1\n60,2\n30,3", 4, "30: is before the row above it", "sort the rows"),
        ("time,rps\n0,1\n\n0,2", 4, "0: the same time twice", "add up those of the same time"),
        ("arrival\n2\n1", 3, "1: is before the row above it", "sort the rows"),
        ("time,rps\nsoon,1", 2, "'soon' is no time", "write seconds"),
        ("time,rps\nnan,1", 2, "'nan' is no time", "write seconds"),
        ("time,rps\n-1,1", 2, "-1 is before the start", "times begin with 0"),
        ("time,rps\n1e30,1", 2, "1e30 is too far away", "times begin with 0"),
        ("time,rps\n0,many", 2, "'many' is no rate", "60,12.5"),
        ("time,rps\n0", 2, "'' is no rate", "60,12.5"),
        ("time,rps\n0,-1", 2, "the rate -1 is not from 0 to 10,000,000", "60,12.5"),
        ("time,rps\n0,nan", 2, "the rate nan is not from 0", "60,12.5"),
        ("time,rps\n0,1e9", 2, "the rate 1e9 is not from 0", "60,12.5"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    csv: str, line: int | None, problem: str, fix: str
) -> None:
    with pytest.raises(InputError) as raised:
        request_traces.read(csv)
    assert raised.value.line == line
    assert raised.value.problem.startswith(problem)
    assert fix in (raised.value.fix or "")


def test_the_last_row_is_as_long_as_the_one_before_it() -> None:
    assert request_traces.read("time,rps\n0,1\n60,2\n90,1").end_ns == 120 * SECOND_NS
    assert request_traces.read("arrival\n5").end_ns == 5 * SECOND_NS


@given(st.text(alphabet='0123456789.,-\n"ethmsrpaivl ', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for head in ("", "time,rps\n", "arrival\n"):
        try:
            trace = request_traces.read(head + text)
        except InputError:
            continue
        times = list(trace.times_ns)
        assert times == sorted(times)
        assert times[0] >= 0
        assert trace.rates is None or len(trace.rates) == len(times)
