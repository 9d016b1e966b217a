"""Every decision of the real scheduler, replayed: verdicts, scores, victims, messages."""

from __future__ import annotations

import pathlib  # noqa: TC003 - read by pytest

import pytest

from kubestage.scheduler.replay import comparison
from tests.golden import cases


@pytest.mark.parametrize("path", cases.paths(), ids=lambda path: path.name.split(".")[0])
def test_a_recorded_case_is_replayed_field_by_field(path: pathlib.Path) -> None:
    report = comparison.compare(cases.read(path))
    assert not report.differences, str(report.differences[0])
    assert report.identical == report.decisions > 0


def test_every_category_is_there() -> None:
    categories = {path.name.rsplit("-", 1)[0] for path in cases.paths()}
    assert len(categories) == 40


def test_a_recording_that_differs_is_found_out() -> None:
    case = cases.read(cases.paths()[0])
    attempt = next(each for each in case["expected"]["attempts"] if each.get("totals"))
    node = next(iter(attempt["totals"]))
    attempt["totals"][node] += 1
    report = comparison.compare(case)
    assert report.identical == report.decisions - 1
    assert [each.path for each in report.differences] == [f"totals.{node}"]
