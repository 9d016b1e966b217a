"""The file of durations, and the tables that are made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.results import timings
from kubestage.scheduler.timings import ATTEMPT, MEASURED, PLUGIN, Part, Timings

if TYPE_CHECKING:
    import pathlib

FIT = Part("a", PLUGIN, "Filter", "NodeResourcesFit")


def recorded(*durations_ns: int) -> timings.RecordedTimings:
    kept = Timings(MEASURED)
    for each in durations_ns:
        kept.observe(FIT, each)
    kept.observe(Part("a", ATTEMPT, result="scheduled"), 1_000_000)
    return timings.of(kept)


def test_what_is_written_is_read_again(tmp_path: pathlib.Path) -> None:
    (tmp_path / timings.FILE).write_bytes(timings.encode(recorded(10, 20)))
    (tmp_path / "scenario.json").write_text("{}")
    assert timings.read(tmp_path) == recorded(10, 20)
    assert timings.read(tmp_path / "scenario.json") == recorded(10, 20)
    assert timings.beside(tmp_path / "elsewhere" / "scenario.json") is None
    with pytest.raises(InputError, match="no durations were kept"):
        timings.read(tmp_path / "elsewhere" / "scenario.json")


def test_a_table_is_in_seconds() -> None:
    attempt, fit = timings.table(recorded(10, 20, 30)).records()
    assert attempt["result"] == "scheduled"
    assert attempt["total"] == 0.001
    assert (fit["extensionPoint"], fit["plugin"], fit["count"]) == ("Filter", "NodeResourcesFit", 3)
    assert [fit[name] for name in ("total", "mean", "p50", "p99", "max")] == pytest.approx(
        [60e-9, 20e-9, 20e-9, 30e-9, 30e-9]
    )


def test_runs_are_measured_by_the_first() -> None:
    table = timings.side_by_side(["one", "two"], [recorded(10), recorded(30)])
    ratios = {(row["run"], row["plugin"]): row["ratio"] for row in table.records()}
    assert ratios["one", "NodeResourcesFit"] is None
    assert ratios["two", "NodeResourcesFit"] == pytest.approx(3)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0.0, "0ns"),
        (999e-9, "999ns"),
        (1.234e-6, "1.23us"),
        (12.34e-6, "12.3us"),
        (123.4e-6, "123us"),
        (0.00456, "4.56ms"),
        (1.2, "1.20s"),
        (125.0, "125s"),
    ],
)
def test_durations_have_three_digits(seconds: float | None, text: str) -> None:
    assert timings.shown(seconds) == text
