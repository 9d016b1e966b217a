"""``kubestage sweep report`` on a sweep that was kept."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from kubestage.sweep.store import FILE, RowStore
from tests.sweep.report import demo

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal


@pytest.fixture
def kept(tmp_path: pathlib.Path) -> str:
    """The directory of a sweep that is complete."""
    place = tmp_path / "nodes"
    place.mkdir()
    table = demo.sweep()
    store = RowStore(place / FILE)
    store.finish(table, {"axes": json.dumps(table.axes)})
    return str(place)


def test_settings_are_compared(terminal: Terminal, kept: str) -> None:
    result = terminal.run("sweep", "report", kept)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("18 settings, 8 seeds, 144 runs: ")
    assert "cost (less is better)" in result.out
    assert "undecided: about " in result.out


def test_every_format(terminal: Terminal, kept: str) -> None:
    rows = list(csv.DictReader(io.StringIO(terminal.run("sweep", "report", kept, "-o", "csv").out)))
    assert len(rows) == 54
    data = json.loads(terminal.run("sweep", "report", kept, "-o", "json").out)
    assert data["reference"] == 1
    text = terminal.run("sweep", "report", kept, "-o", "markdown", "--measures", "cost").out
    assert "### cost (less is better)" in text
    assert "### wait" not in text


def test_the_reference_and_the_level_are_chosen(terminal: Terminal, kept: str) -> None:
    words = ("--against", "nodes=50,target=40,config=a.yaml", "--level", "99", "--margin", "0")
    result = terminal.run("sweep", "report", kept, *words)
    assert result.code == 0
    assert "differences to nodes=50, target=40, config=a.yaml" in result.out
    assert "intervals of 99%" in result.out


def test_a_condition_that_holds_is_exit_code_1(terminal: Terminal, kept: str) -> None:
    result = terminal.run("sweep", "report", kept, "--fail-if", "cost>56")
    assert result.code == 1
    assert "cost>56 holds at nodes=50, target=40, config=b.yaml" in result.err
    assert terminal.run("sweep", "report", kept, "--fail-if", "cost>560").code == 0


def test_the_page_and_the_charts_are_written(
    terminal: Terminal, kept: str, tmp_path: pathlib.Path
) -> None:
    charts = tmp_path / "charts"
    words = ("--measures", "cost", "--html", "--charts", str(charts))
    result = terminal.run("sweep", "report", kept, *words)
    assert result.code == 0
    assert "<h1>nodes</h1>" in (tmp_path / "nodes" / "report.html").read_text()
    drawn = {each.name for each in charts.iterdir()}
    assert {"intervals-cost.png", "intervals-cost.html", "heat-cost.png"} <= drawn


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--measures", "csot"), "did you mean cost?"),
        (("--against", "nodes=11"), "no setting has nodes=11"),
        (("--fail-if", "cost"), '"cost" is no comparison'),
        (("--level", "7"), "no confidence level"),
        (("--correction", "much"), "correction"),
    ],
)
def test_bad_input_is_exit_code_2(
    terminal: Terminal, kept: str, words: tuple[str, ...], problem: str
) -> None:
    result = terminal.run("sweep", "report", kept, *words)
    assert result.code == 2
    assert problem in result.err


def test_a_directory_without_a_sweep_is_refused(terminal: Terminal, tmp_path: pathlib.Path) -> None:
    result = terminal.run("sweep", "report", str(tmp_path))
    assert result.code == 2
    assert "there is no sweep" in result.err


def test_a_sweep_that_goes_on_is_reported_as_far_as_it_is(
    terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    table = demo.sweep()
    store = RowStore(tmp_path / FILE)
    store.start({"axes": json.dumps(table.axes)})
    for row in table.rows[:60]:
        store.add(row)
    for info in demo.MEASURES:
        store.describe(info)
    store.close()
    result = terminal.run("sweep", "report", str(tmp_path))
    assert result.code == 0
    assert "60 runs" in result.out
    assert "the sweep is not complete: kubestage sweep --resume --out" in result.err
