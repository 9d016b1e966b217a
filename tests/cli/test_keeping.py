"""The keeper of runs: what it claims, what it records, and what it leaves behind."""

from __future__ import annotations

import pathlib
import tempfile
from typing import TYPE_CHECKING

import pytest

from kubestage.cli.keeping import Keeper
from kubestage.errors import InputError
from kubestage.results import run_directory
from kubestage.results.repeat import Repeat
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


def record(keeper: Keeper, name: str = "story") -> RunRecord:
    found = keeper.sink_for(name)
    assert found is not None
    told = {"filter": {"n1": {"NodeName": "passed"}}}
    tried = Decision(1, 0, f"default/{name}", "default-scheduler", "scheduled", "n1", 1, 1, "")
    found.attempt(0, tried, "uid", told)
    return found


def numbers(keeper: Keeper, name: str = "story") -> list[int]:
    reader = keeper.reader(name)
    assert reader is not None
    with reader:
        return [row.number for row in reader.decisions()]


def test_without_a_place_nothing_is_recorded(scratch: pathlib.Path) -> None:
    with Keeper(None, ["story"], REPEAT, spools=False) as keeper:
        assert keeper.sink_for("story") is None
        keeper.ended(scenario())
        assert keeper.reader("story") is None
        assert keeper.kept == {}
        assert list(scratch.iterdir()) == []


def test_details_that_are_to_be_printed_have_a_place_until_then(scratch: pathlib.Path) -> None:
    with Keeper(None, ["story"], REPEAT, spools=True) as keeper:
        record(keeper)
        keeper.ended(scenario())
        assert numbers(keeper) == [1]
        assert keeper.kept == {}
    assert list(scratch.iterdir()) == []


def test_the_longest_of_names_has_a_place_too() -> None:
    name = ".".join(["a" * 62] * 4)
    with Keeper(None, [name], REPEAT, spools=True) as keeper:
        record(keeper, name)
        keeper.ended(scenario(name))
        assert numbers(keeper, name) == [1]


def test_what_was_not_begun_has_no_record(scratch: pathlib.Path) -> None:
    with Keeper(None, ["story", "other"], REPEAT, spools=True) as keeper:
        record(keeper)
        keeper.ended(scenario())
        assert keeper.reader("other") is None
    assert list(scratch.iterdir()) == []


def test_a_run_is_there_as_soon_as_its_scenario_has_ended() -> None:
    with Keeper("out", ["one", "two"], REPEAT, spools=False) as keeper:
        record(keeper, "one")
        assert not pathlib.Path("out/one/scenario.json").exists()
        keeper.ended(scenario("one"))
        assert keeper.kept == {"one": pathlib.Path("out/one")}
        assert numbers(keeper, "one") == [1]
        with run_directory.open_run("out/one") as run:
            assert run.repeat == REPEAT
    assert [path.name for path in pathlib.Path("out").iterdir()] == ["one"]


def test_one_run_is_kept_in_the_place_itself() -> None:
    with Keeper("out", ["story"], REPEAT, spools=False) as keeper:
        record(keeper)
        keeper.ended(scenario())
        assert keeper.kept == {"story": pathlib.Path("out")}


def test_no_run_is_begun_if_one_of_them_could_not_be_kept() -> None:
    pathlib.Path("out").mkdir()
    pathlib.Path("out/two").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        Keeper("out", ["one", "two"], REPEAT, spools=False)
    assert [path.name for path in pathlib.Path("out").iterdir()] == ["two"]


@pytest.mark.parametrize("out", [None, "a/b/out"])
def test_what_has_not_ended_leaves_nothing_behind(out: str | None, scratch: pathlib.Path) -> None:
    def interrupted() -> None:
        with Keeper(out, ["story"], REPEAT, spools=True) as keeper:
            record(keeper)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(pathlib.Path().iterdir()) == [pathlib.Path(scratch.name)]
    assert list(scratch.iterdir()) == []
