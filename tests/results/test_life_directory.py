"""The run of a living cluster is kept as a whole, and opened again."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.results import run_directory
from kubestage.results.life import life as lives
from kubestage.results.run_directory import RunDirectory
from tests.results.life.lives import make_life
from tests.results.report.test_life_page import REPEAT

if TYPE_CHECKING:
    import pathlib

INPUTS = {"manifests.yaml": "kind: List\n"}


@pytest.fixture(autouse=True)
def _without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))


def _keep(place: pathlib.Path, inputs: dict[str, str] | None = None) -> None:
    with RunDirectory(place) as directory:
        directory.write_life(make_life(), REPEAT, inputs or INPUTS)


def _names(place: pathlib.Path) -> set[str]:
    return {each.name for each in place.iterdir()}


def test_all_files_are_there_and_can_be_read(tmp_path: pathlib.Path) -> None:
    _keep(tmp_path / "kept")
    assert _names(tmp_path / "kept") == {"life.json", "run.json", "report.html", "inputs", "tables"}
    life, repeat = run_directory.open_life(tmp_path / "kept")
    assert (life.summary, repeat) == (make_life().summary, REPEAT)
    with (tmp_path / "kept/tables/decisions.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["decision"] == "rescale"
    assert (tmp_path / "kept/inputs/manifests.yaml").read_text() == INPUTS["manifests.yaml"]


def test_an_earlier_run_is_replaced_its_folders_included(tmp_path: pathlib.Path) -> None:
    _keep(tmp_path / "kept", {**INPUTS, "later-1.yaml": "kind: List\n"})
    _keep(tmp_path / "kept")
    assert _names(tmp_path / "kept/inputs") == {"manifests.yaml"}


def test_the_file_alone_can_be_opened_but_not_repeated(tmp_path: pathlib.Path) -> None:
    _keep(tmp_path / "kept")
    moved = (tmp_path / "kept/life.json").rename(tmp_path / "life.json")
    assert run_directory.is_life(moved)
    assert run_directory.open_life(moved) == (lives.decode(lives.encode(make_life())), None)
    assert not run_directory.is_life(tmp_path / "kept")


def test_who_expects_a_scenario_is_told_what_it_is(tmp_path: pathlib.Path) -> None:
    _keep(tmp_path / "kept")
    with pytest.raises(InputError, match="living cluster") as raised:
        run_directory.open_run(tmp_path / "kept")
    assert "kubestage analyze" in str(raised.value.fix)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"version": 1}'])
def test_a_file_that_is_no_life_is_refused(text: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "life.json").write_text(text)
    with pytest.raises(InputError, match="is not the run of a living cluster"):
        run_directory.open_life(tmp_path)


def test_a_place_with_living_runs_below_it_is_refused(tmp_path: pathlib.Path) -> None:
    _keep(tmp_path / "runs/one")
    with pytest.raises(InputError, match="holds other runs: one"):
        RunDirectory(tmp_path / "runs")
