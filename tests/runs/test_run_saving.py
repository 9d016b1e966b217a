"""Runs are saved: what is claimed, what is recorded, and what is left behind."""

from __future__ import annotations

import pathlib
import tempfile
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.results import run_directory
from kubestage.results.repeat import Repeat
from kubestage.runs.observer import SILENT
from kubestage.runs.run_saving import RunSaver
from kubestage.scheduler.record import Decision
from tests.results import samples

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.run_record import RunRecord


REPEAT = Repeat(
    version="0",
    seed=0,
    start=None,
    tie_break="heap",
    controllers=True,
    detail="full",
    strategy="AtMovingNextStep",
)


@pytest.fixture(autouse=True)
def scratch(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Where temporary files go; charts are left out, as they take their time."""
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def scenario(name: str = "story") -> Json:
    made = samples.scenario({}, name)
    made["status"]["phase"] = "Succeeded"
    return made


def record(saver: RunSaver, name: str = "story") -> RunRecord:
    found = saver.sink_for(name)
    assert found is not None
    told = {"filter": {"n1": {"NodeName": "passed"}}}
    tried = Decision(1, 0, f"default/{name}", "default-scheduler", "scheduled", "n1", 1, 1, "")
    found.attempt(0, tried, "uid", told)
    return found


def numbers(saver: RunSaver, name: str = "story") -> list[int]:
    reader = saver.reader(name)
    assert reader is not None
    with reader:
        return [row.number for row in reader.decisions()]


def test_without_a_place_nothing_is_recorded(scratch: pathlib.Path) -> None:
    with RunSaver(None, ["story"], REPEAT, SILENT, spools=False) as saver:
        assert saver.sink_for("story") is None
        saver.save(scenario())
        assert saver.reader("story") is None
        assert saver.saved == {}
        assert list(scratch.iterdir()) == []


def test_details_that_are_to_be_printed_have_a_place_until_then(scratch: pathlib.Path) -> None:
    with RunSaver(None, ["story"], REPEAT, SILENT, spools=True) as saver:
        record(saver)
        saver.save(scenario())
        assert numbers(saver) == [1]
        assert saver.saved == {}
    assert list(scratch.iterdir()) == []


def test_the_longest_of_names_has_a_place_too() -> None:
    name = ".".join(["a" * 62] * 4)
    with RunSaver(None, [name], REPEAT, SILENT, spools=True) as saver:
        record(saver, name)
        saver.save(scenario(name))
        assert numbers(saver, name) == [1]


def test_what_was_not_begun_has_no_record(scratch: pathlib.Path) -> None:
    with RunSaver(None, ["story", "other"], REPEAT, SILENT, spools=True) as saver:
        record(saver)
        saver.save(scenario())
        assert saver.reader("other") is None
    assert list(scratch.iterdir()) == []


def test_a_run_is_there_as_soon_as_its_scenario_has_ended() -> None:
    with RunSaver("out", ["one", "two"], REPEAT, SILENT, spools=False) as saver:
        record(saver, "one")
        assert not pathlib.Path("out/one/scenario.json").exists()
        saver.save(scenario("one"))
        assert saver.saved == {"one": pathlib.Path("out/one")}
        assert numbers(saver, "one") == [1]
        with run_directory.open_run("out/one") as run:
            assert run.repeat == REPEAT
    assert [path.name for path in pathlib.Path("out").iterdir()] == ["one"]


def test_one_run_is_kept_in_the_place_itself() -> None:
    with RunSaver("out", ["story"], REPEAT, SILENT, spools=False) as saver:
        record(saver)
        saver.save(scenario())
        assert saver.saved == {"story": pathlib.Path("out")}


def test_no_run_is_begun_if_one_of_them_could_not_be_kept() -> None:
    pathlib.Path("out").mkdir()
    pathlib.Path("out/two").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        RunSaver("out", ["one", "two"], REPEAT, SILENT, spools=False)
    assert [path.name for path in pathlib.Path("out").iterdir()] == ["two"]


@pytest.mark.parametrize("out", [None, "a/b/out"])
def test_what_has_not_ended_leaves_nothing_behind(out: str | None, scratch: pathlib.Path) -> None:
    def interrupted() -> None:
        with RunSaver(out, ["story"], REPEAT, SILENT, spools=True) as saver:
            record(saver)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(pathlib.Path().iterdir()) == [pathlib.Path(scratch.name)]
    assert list(scratch.iterdir()) == []
