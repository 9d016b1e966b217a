"""A metrics CSV says by its header what it is; what is wrong with it is told at its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.backtesting import csv_reading
from kubestage.backtesting.series import UNNAMED, MetricSeries
from kubestage.errors import InputError


def _read(*lines: str, metrics: tuple[str, ...] = ()) -> MetricSeries:
    return csv_reading.read("\n".join(lines), "m.csv", metrics)


def test_a_total_is_a_metric_without_a_name() -> None:
    series = _read("time,total", "0,1.5", "60,250m", "120,")
    assert [frame.values[UNNAMED] for frame in series.frames[:2]] == [1.5, 0.25]
    assert series.frames[2].values == {}
    assert series.seconds(series.end_ns) == 120


def test_columns_may_be_metrics_by_name() -> None:
    series = _read("time,cpu,memory,rps", "0,1,1Gi,20", metrics=("rps",))
    assert series.frames[0].values == {"cpu": 1, "memory": 2**30, "rps": 20}


def test_columns_may_be_pods() -> None:
    series = _read("time,web-1,web-2", "0,1,2", "15,3,")
    first, second = series.frames
    assert (first.values, second.values) == ({UNNAMED: 3}, {UNNAMED: 3})
    assert [each.pod for each in first.samples] == ["web-1", "web-2"]
    assert [each.pod for each in second.samples] == ["web-1"]


def test_rows_may_be_of_pods_and_their_containers() -> None:
    series = _read(
        "time,pod,container,cpu,memory",
        "0,web-1,app,1,100Mi",
        "0,web-1,proxy,0.5,",
        "0,web-2,app,2,200Mi",
    )
    [frame] = series.frames
    assert frame.values == {"cpu": 3.5, "memory": 300 * 2**20}
    assert [(each.pod, each.container) for each in frame.samples] == [
        ("web-1", "app"),
        ("web-1", "proxy"),
        ("web-2", "app"),
    ]


def test_rows_of_one_value_need_no_name_for_it() -> None:
    series = _read("time,pod,value", "0,a,1", "0,b,2", "15,a,4").called("rps")
    assert [frame.values["rps"] for frame in series.frames] == [3, 4]
    assert series.metrics == ["rps"]


def test_times_may_be_moments_and_blank_lines_are_nothing() -> None:
    series = _read("time,total", "", "2026-01-31T08:00:00Z,1", "", "2026-01-31T08:01:30Z,2")
    assert series.seconds(series.end_ns) == 90


def test_a_frame_holds_until_the_next() -> None:
    series = _read("time,total", "10,1", "20,2", "40,3")
    start = series.start_ns
    at = {each: series.at(start + (each - 10) * 10**9).values[UNNAMED] for each in (5, 39)}
    assert at == {5: 1, 39: 2}


WRONG: dict[str, tuple[list[str], int, str]] = {
    "nothing": ([""], 1, "is empty"),
    "no rows": (["time,total"], 1, "has a header and no rows"),
    "no time": (["total,time", "1,1"], 1, 'the first column is "total", not time'),
    "no values": (["time", "1"], 1, "there is no column of values"),
    "no values of pods": (["time,pod", "1,a"], 1, "there is no column of values"),
    "twice": (["time,a,a", "0,1,1"], 1, 'there are two columns "a"'),
    "nameless": (["time,a,", "0,1,1"], 1, "a column has no name"),
    "value without pod": (["time,value", "0,1"], 1, "need to say of which pod they are"),
    "pod later": (["time,value,pod", "0,1,a"], 1, "the column pod is not the second"),
    "mixed": (["time,cpu,web-1", "0,1,1"], 1, '"web-1" is no metric of these autoscalers'),
    "beside total": (["time,total,cpu", "0,1,1"], 1, "there are other columns beside total"),
    "beside value": (["time,pod,value,cpu", "0,a,1,1"], 1, "other columns beside value"),
    "odd metric": (["time,pod,load", "0,a,1"], 1, '"load" is no metric of these autoscalers'),
    "short": (["time,total", "0,1", "15"], 3, "has 1 cell, and the header 2"),
    "long": (["time,total", "0,1", "4e7,1"], 3, "is more than a year after the first row"),
    "milliseconds": (["time,total", "1769846400000,1"], 2, "is too far away"),
    "no pod": (["time,pod,value", "0,,1"], 2, "the pod has no name"),
    "back": (["time,total", "15,1", "", "0,1"], 4, "goes back in time"),
    "again": (["time,total", "15,1", "15,2"], 3, "has the time of line 2"),
    "pod again": (["time,pod,value", "0,a,1", "0,b,1", "0,a,1"], 4, "has the time of line 2"),
    "no moment": (["time,total", "soon,1"], 2, '"soon" is no time'),
    "before": (["time,total", "-5,1"], 2, '"-5" is no time'),
    "endless": (["time,total", "inf,1"], 2, '"inf" is no time'),
    "no amount": (["time,total", "0,much"], 2, '"much" is no amount'),
    "below zero": (["time,total", "0,1", "15,-0.5"], 3, '"-0.5" is below zero'),
    "quantity below zero": (["time,cpu", "0,-500m"], 2, "\"-500m\" of 'cpu' is below zero"),
    "not a number": (["time,total", "0,nan"], 2, '"nan" is no amount'),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_at_its_line_with_a_fix(name: str) -> None:
    lines, line, problem = WRONG[name]
    with pytest.raises(InputError) as raised:
        _read(*lines)
    assert problem in raised.value.problem
    assert (raised.value.file, raised.value.line) == ("m.csv", line)
    assert raised.value.fix


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_totals_are_the_sums_over_pods_however_they_are_laid_out(values: list[float]) -> None:
    columns = _read(
        ",".join(["time", *(f"p{at}" for at in range(len(values)))]),
        ",".join(["0", *map(repr, values)]),
    )
    rows = _read("time,pod,value", *(f"0,p{at},{value!r}" for at, value in enumerate(values)))
    assert columns.frames == rows.frames
