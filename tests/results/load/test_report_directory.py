"""The report directory: all files or none, and nobody else's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.results.load.report_directory import ReportDirectory
from kubestage.results.report import drawings
from tests.results.load.loads import ABOUT, make_result

if TYPE_CHECKING:
    import pathlib

SUMMARY = "PodStartupLatency_Pods_density_2026-01-01T00:01:05Z.json"
FILES = {
    "junit.xml",
    "cl2-metadata.json",
    "report.html",
    "load.sqlite",
    "generatedConfig_density.yaml",
    SUMMARY,
}


@pytest.fixture(autouse=True)
def without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What draws takes seconds, and is tested elsewhere."""
    monkeypatch.setattr(drawings, "can_draw", bool)


def write(place: pathlib.Path, config: str = "name: density\n") -> list[str]:
    with ReportDirectory(place) as directory:
        return [each.name for each in directory.write([make_result()], [config], ABOUT)]


def names(place: pathlib.Path) -> set[str]:
    return {each.name for each in place.iterdir()}


def test_it_holds_what_perfdash_and_ci_expect(tmp_path: pathlib.Path) -> None:
    place = tmp_path / "deep" / "out"
    assert set(write(place)) == FILES == names(place)
    assert (place / SUMMARY).read_text() == '{"version": "1.0"}\n'
    assert (place / "generatedConfig_density.yaml").read_text() == "name: density\n"
    facts = json.loads((place / "cl2-metadata.json").read_text())
    assert facts == {
        "cluster": "stage",
        "kubestage-version": "0.1",
        "nodes": "3",
        "profile": "default",
        "seed": "7",
    }


def test_two_reports_of_one_run_are_the_same_byte_for_byte(tmp_path: pathlib.Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name)
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_files_of_others_stay_and_those_of_an_earlier_report_go(tmp_path: pathlib.Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with ReportDirectory(tmp_path) as directory:
        directory.write([make_result(name="earlier")], [""], ABOUT)
    assert "generatedConfig_earlier.yaml" in names(tmp_path)
    write(tmp_path)
    assert names(tmp_path) == {*FILES, "notes.txt"}


def test_whoever_leaves_early_leaves_everything_as_it_was(tmp_path: pathlib.Path) -> None:
    with ReportDirectory(tmp_path / "new" / "out"):
        pass
    assert not (tmp_path / "new").exists()
    write(tmp_path)
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    with pytest.raises(ValueError, match="shorter"), ReportDirectory(tmp_path) as directory:
        directory.write([make_result(name="other"), make_result()], ["only one"], ABOUT)
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["junit.xml", "report.html", "load.sqlite"])
def test_a_file_of_another_program_is_not_replaced(tmp_path: pathlib.Path, name: str) -> None:
    (tmp_path / name).write_text("something else")
    with pytest.raises(InputError, match=rf"holds {name}, which this would replace"):
        ReportDirectory(tmp_path)
    assert names(tmp_path) == {name}


def test_a_file_is_no_directory(tmp_path: pathlib.Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match="is a file"):
        ReportDirectory(tmp_path / "out")
    with pytest.raises(InputError, match="cannot be written"):
        ReportDirectory(tmp_path / "out" / "below")


def test_what_a_killed_run_left_behind_goes(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".writing-abc").mkdir()
    write(tmp_path)
    assert names(tmp_path) == FILES
