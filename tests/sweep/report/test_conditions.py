"""The language of --fail-if about sweeps."""

from __future__ import annotations

import pytest

from kubestage.errors import InputError
from kubestage.sweep.report import conditions
from kubestage.sweep.report.options import ReportOptions
from kubestage.sweep.report.sweep_report import report
from kubestage.sweep.rows import MeasureInfo
from tests.sweep import tables
from tests.sweep.report import demo


def _failing(text: str) -> list[int]:
    return report(demo.sweep(), ReportOptions(fail_if=text)).failing


def test_the_mean_of_any_setting_counts() -> None:
    assert _failing("cost>56") == [13]
    assert _failing("cost > 54 and wait < 25") == [12, 13]
    assert _failing("cost>56 or wait>80") == [4, 5, 13]
    assert _failing("cost>1000") == []


def test_the_ends_of_the_interval() -> None:
    assert _failing("high(cost)>59") == [13]
    assert _failing("low(cost)>58") == []
    assert _failing("mean(cost)>58") == [13]


def test_units_are_those_of_the_measure() -> None:
    assert _failing("allocation.cpu<20%") == [12, 13, 14, 15, 16, 17]
    assert _failing("wait>1.25m") == [4, 5]
    in_percent = {"failedPercent": MeasureInfo("failedPercent", "less", "%")}
    (group,) = conditions.parse("failedPercent>2%", in_percent).groups
    assert group[0].value == 2


def test_verdicts_count() -> None:
    assert _failing("worse(cost) and better(wait)") == [6, 7, 12, 13, 14, 15, 16, 17]
    assert _failing("undecided(allocation.cpu)")
    assert 0 not in _failing("undecided(allocation.cpu)")


def test_failed_runs_count() -> None:
    assert _failing("failed>0") == [16, 17]


def test_failed_runs_count_where_nothing_else_is_known() -> None:
    found = tables.table({"x": [1, 2]}, range(2), lambda p, _: "no" if p["x"] == 2 else {})
    assert report(found, ReportOptions(fail_if="failed>=2")).failing == [1]


def test_a_measure_that_is_not_shown_may_be_named() -> None:
    assert _failing("nodesUsed>=50") == [12, 13, 14, 15, 16, 17]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("cost", '"cost" is no comparison'),
        ("costs>5", r"did you mean cost\?"),
        ("cost>cheap", '"cheap" is no number'),
        ("worse(csot)", r"did you mean cost\?"),
        ("low(cost>5", "is no comparison"),
        ("cost)>5", "is no comparison"),
        ("cost>5 and", "is no number|is no comparison"),
    ],
)
def test_bad_conditions_are_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        _failing(text)
