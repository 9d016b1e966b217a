from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import yaml

from kubestage.errors import InputError
from kubestage.results.repeat import Plugin, Repeat
from kubestage.results.run_directory import RunDirectory, open_run
from kubestage.results.run_record import RunRecord
from kubestage.results.scenario_file import read_scenario
from kubestage.testing import make_pod
from tests.results import samples

if TYPE_CHECKING:
    from kubestage.aliases import Json

ROOT = pathlib.Path(__file__).parents[2]
KEEP_A_RUN = """
import sys
from kubestage import Stage
from kubestage.results.report import drawings
from kubestage.results.run_directory import RunDirectory
from kubestage.results.run_record import RunRecord
from kubestage.scenario.settings import Detail, Settings
from kubestage.testing import make_node, make_pod
from tests.results import samples
from tests.results.test_run_directory import REPEAT
drawings.NEEDED = ("no_such_library",)
objects = [make_node("n1", cpu="2"), *(make_pod(f"web-{each}", cpu="1") for each in range(3))]
events = [
    {"step": 0, "operation": "Create", "createOperation": {"object": each}} for each in objects
]
scenario = {**samples.scenario({}), "spec": {"events": events}}
del scenario["status"]
with RunDirectory(sys.argv[1]) as directory:
    stage = Stage(seed=3)
    with RunRecord(directory.record_path) as record:
        stage.add_scenarios(Settings(detail=Detail.FULL), sink=record)
        stage.store.create(scenario)
        stage.run_scenarios()
    directory.write(stage.store.get((samples.API_VERSION, "Scenario"), "story"), REPEAT)
"""
REPEAT = Repeat(
    version="0.1.0",
    seed=7,
    start="2026-01-01T00:00:00Z",
    tie_break="heap",
    controllers=True,
    detail="full",
    strategy="AtMovingNextStep",
    configuration="kind: KubeSchedulerConfiguration\n",
    plugins=[Plugin("mine.py:Mine", "ab" * 32)],
)


@pytest.fixture(autouse=True)
def _without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are written by the dozen here, and charts take their time."""
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))


def keep(path: pathlib.Path, scenario: Json, *, recorded: bool = True) -> None:
    with RunDirectory(path) as directory:
        if recorded:
            samples.write_record(directory.record_path, scenario)
        directory.write(scenario, REPEAT)


def names(path: pathlib.Path) -> set[str]:
    return {each.name for each in path.iterdir()}


def test_a_run_that_was_kept_can_be_opened_again(tmp_path: pathlib.Path) -> None:
    place = tmp_path / "runs" / "first"
    keep(place, samples.rivalry())
    assert names(place) == {"scenario.json", "run.json", "record.sqlite", "report.html"}
    with open_run(place) as run:
        assert run.name == str(place)
        assert run.repeat == REPEAT
        assert run.scenario["metadata"]["name"] == "story"
        assert run.record is not None
        assert len(list(run.record.pods())) == 3
    timeline = read_scenario(place / "scenario.json")["status"]["scenarioResult"]["timeline"]
    [attempt] = timeline["0"][2]["podScheduled"]["scheduleResult"]
    assert attempt["allCandidateNodes"] == ["n1"]


def test_the_scenario_of_a_directory_stands_for_the_directory(tmp_path: pathlib.Path) -> None:
    keep(tmp_path / "run", samples.rivalry())
    with open_run(tmp_path / "run" / "scenario.json") as run:
        assert run.repeat == REPEAT
        assert run.record is not None


def test_a_scenario_by_itself_is_a_run_without_a_record(tmp_path: pathlib.Path) -> None:
    keep(tmp_path / "run", samples.rivalry())
    path = tmp_path / "run" / "mine.yaml"
    path.write_text(yaml.safe_dump(samples.rivalry()))
    with open_run(path) as run:
        assert (run.repeat, run.record) == (None, None)
        assert run.scenario == samples.rivalry()


def test_a_directory_with_one_run_below_means_that_run(tmp_path: pathlib.Path) -> None:
    keep(tmp_path / "all" / "one", samples.rivalry())
    with open_run(tmp_path / "all") as run:
        assert run.name == str(tmp_path / "all" / "one")


def test_several_runs_are_named_so_that_one_can_be_chosen(tmp_path: pathlib.Path) -> None:
    for name in ("b", "a"):
        keep(tmp_path / "all" / name, samples.rivalry())
    with pytest.raises(InputError, match=r"holds 2 runs: .*/a, .*/b") as refusal:
        open_run(tmp_path / "all")
    assert refusal.value.fix == f"name one: {tmp_path / 'all' / 'a'}"


def test_what_is_no_run_is_refused_with_a_cure(tmp_path: pathlib.Path) -> None:
    (tmp_path / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\n")
    problems = {
        "": "is not a run",
        "nowhere": "no such file or directory",
        "pod.yaml": "holds no Scenario",
    }
    for name, problem in problems.items():
        with pytest.raises(InputError, match=problem) as refusal:
            open_run(tmp_path / name)
        assert refusal.value.fix


def test_a_broken_run_json_is_an_input_error(tmp_path: pathlib.Path) -> None:
    keep(tmp_path / "run", samples.rivalry())
    (tmp_path / "run" / "run.json").write_text('{"seed": "seven"}')
    with open_run(tmp_path / "run") as run, pytest.raises(InputError, match="repeat a run"):
        _ = run.repeat


def test_an_earlier_run_is_replaced_and_what_else_is_there_stays(tmp_path: pathlib.Path) -> None:
    keep(tmp_path / "run", samples.rivalry())
    (tmp_path / "run" / "notes.txt").write_text("mine")
    keep(tmp_path / "run", samples.scenario({}, "another"), recorded=False)
    assert names(tmp_path / "run") == {"scenario.json", "run.json", "report.html", "notes.txt"}
    with open_run(tmp_path / "run") as run:
        assert run.scenario["metadata"]["name"] == "another"
        assert run.record is None


def test_what_others_have_written_is_never_touched(tmp_path: pathlib.Path) -> None:
    foreign = tmp_path / "mine"
    foreign.mkdir()
    # A scenario that is to be run looks like a run of ours, but is none.
    (foreign / "scenario.json").write_text("{}")
    with pytest.raises(InputError, match="is not empty, and not a run"):
        RunDirectory(foreign)
    with pytest.raises(InputError, match="is a file"):
        RunDirectory(foreign / "scenario.json")
    keep(tmp_path / "all" / "one", samples.rivalry())
    with pytest.raises(InputError, match="holds other runs: one"):
        RunDirectory(tmp_path / "all")
    with pytest.raises(InputError, match="is a run itself"):
        RunDirectory(tmp_path / "all" / "one" / "two")
    assert names(foreign) == {"scenario.json"}


def test_a_run_that_breaks_off_leaves_everything_as_it_was(tmp_path: pathlib.Path) -> None:
    with RunDirectory(tmp_path / "new" / "run") as directory:
        record = RunRecord(directory.record_path)
        record.event(0, samples.done(0))
        record.discard()
    assert names(tmp_path) == set()
    keep(tmp_path / "old", samples.rivalry())
    before = {path: path.read_bytes() for path in (tmp_path / "old").iterdir()}
    with RunDirectory(tmp_path / "old") as directory:
        samples.write_record(directory.record_path, samples.rivalry())
    assert {path: path.read_bytes() for path in (tmp_path / "old").iterdir()} == before


def test_a_run_that_could_not_be_written_leaves_the_earlier_one(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path / "run", samples.rivalry())

    def full_disk(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("kubestage.results.report.write", full_disk)
    with pytest.raises(OSError, match="No space"):
        keep(tmp_path / "run", samples.scenario({}, "another"))
    with open_run(tmp_path / "run") as run:
        assert run.scenario["metadata"]["name"] == "story"
    assert len(names(tmp_path / "run")) == 4


def test_a_mixture_of_two_runs_is_never_taken_for_a_run(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path / "run", samples.rivalry())
    move = pathlib.Path.replace

    def cut_off(self: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
        if target == tmp_path / "run" / "report.html":
            raise KeyboardInterrupt
        return move(self, target)

    monkeypatch.setattr(pathlib.Path, "replace", cut_off)
    with pytest.raises(KeyboardInterrupt):
        keep(tmp_path / "run", samples.scenario({}, "another"))
    with pytest.raises(InputError, match="is not a run"):
        open_run(tmp_path / "run")


def test_what_a_killed_run_left_behind_is_cleared_away(tmp_path: pathlib.Path) -> None:
    left_over = tmp_path / "run" / ".writing-abc"
    left_over.mkdir(parents=True)
    (left_over / "record.sqlite").write_text("half")
    keep(tmp_path / "run", samples.rivalry())
    assert not left_over.exists()


def test_a_run_that_was_half_moved_can_be_written_again(tmp_path: pathlib.Path) -> None:
    keep(tmp_path / "run", samples.rivalry())
    (tmp_path / "run" / "scenario.json").unlink()
    with pytest.raises(InputError, match="is not a run"):
        open_run(tmp_path / "run")
    keep(tmp_path / "run", samples.rivalry())
    with open_run(tmp_path / "run") as run:
        assert run.scenario["status"]["phase"] == "Succeeded"


def test_the_same_run_leaves_the_same_files_in_another_process(tmp_path: pathlib.Path) -> None:
    kept = []
    for name in ("one", "other"):
        command = [sys.executable, "-c", KEEP_A_RUN, str(tmp_path / name)]
        environment = os.environ | {"PYTHONHASHSEED": str(len(name))}
        subprocess.run(command, cwd=ROOT, check=True, env=environment)
        kept.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert kept[0] == kept[1]
    assert len(kept[0]) == 4
    scenario = read_scenario(tmp_path / "one" / "scenario.json")
    events = scenario["status"]["scenarioResult"]["timeline"]["0"]
    with open_run(tmp_path / "one") as run:
        assert run.record is not None
        rows = list(run.record.timeline(step=0))
    assert [row.id for row in rows] == [event["id"] for event in events]
    [left] = [each["podUnscheduled"] for each in events if "podUnscheduled" in each]
    assert left["scheduleResult"][0]["pluginResults"]["filter"]["n1"]["NodeResourcesFit"] == (
        "Insufficient cpu"
    )


def test_a_kept_scenario_is_read_without_the_details_that_its_record_has(
    tmp_path: pathlib.Path,
) -> None:
    tried = samples.attempt(1, 0, node="a")
    detailed = {**tried, "allCandidateNodes": ["a"], "pluginResults": {"filter": {}, "score": {}}}
    event = samples.pod_event(0, "PodScheduled", make_pod("web"), [detailed], boundTo="a")
    keep(tmp_path / "run", samples.scenario({"0": [event]}))
    assert b"pluginResults" in (tmp_path / "run" / "scenario.json").read_bytes()
    with open_run(tmp_path / "run") as run:
        (read,) = run.scenario["status"]["scenarioResult"]["timeline"]["0"]
    assert read["podScheduled"]["scheduleResult"] == [tried]
