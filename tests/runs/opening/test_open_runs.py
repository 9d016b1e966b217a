"""Kept runs of every kind are clusters with their whole past again."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import kubestage
from kubestage import Stage, run
from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results import run_directory
from kubestage.results.history import attempt_rows
from kubestage.results.load import report_directory
from kubestage.runs import RunOptions
from kubestage.runs.compare import CompareOptions, compare
from kubestage.runs.explain import staged_nodes
from kubestage.runs.observer import Observer
from kubestage.runs.opening import RunRecorder, first_difference, open_runs
from kubestage.server.launch import opening
from tests.controllers.karpenter.lifecycle import stages
from tests.objects.kinds.karpenter_samples import stage_node_class
from tests.runs.opening import kept

if TYPE_CHECKING:
    import pathlib

    from kubestage.runs.opening import OpenedRun


class Notes(Observer):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def state(stage: Stage) -> dict[tuple[str, str], Any]:
    return {
        (each.kind.group, each.kind.plural): dict(each.objects)
        for each in stage.store.collections()
        if each.kind.plural != "leases" and each.objects
    }


def check(opened: OpenedRun) -> None:
    """The end of the history is what the stage holds, and the past begins earlier."""
    history = opened.history
    end = {place: there for place, there in history.objects_at(history.end_ns).items() if there}
    assert end == state(opened.stage)
    assert history.begin_ns < history.end_ns == opened.stage.clock.unix_ns
    assert history.times == sorted(history.times)
    assert history.forgotten == 0
    explained = [row for row in opened.attempts.rows if row.explanation]
    assert explained
    assert all(history.begin_ns <= row.unix_ns <= history.end_ns for row in opened.attempts.rows)


def test_a_scenario_is_repeated(tmp_path: pathlib.Path) -> None:
    path = kept.scenario(tmp_path)
    [opened] = open_runs([path])
    check(opened)
    assert (opened.name, opened.title, opened.kind) == ("scenario", "small", "scenario")
    created = {each.kind.kind for each in opened.history.changes if each.type == "ADDED"}
    assert {"Scenario", "Node", "Pod"} <= created
    with run_directory.open_run(path) as recorded:
        assert recorded.record is not None
        decisions = [(each.pod, each.node) for each in recorded.record.decisions()]
    assert [(row.decision.pod, row.decision.node) for row in opened.attempts.rows] == decisions


def test_a_life_is_repeated(tmp_path: pathlib.Path) -> None:
    [opened] = open_runs([kept.life(tmp_path)])
    check(opened)
    assert (opened.kind, opened.stage.now) == ("living", "2026-01-01T00:02:00Z")
    assert len(opened.stage.store.read(gvk.POD)) == 3
    assert opened.has_controllers
    # It can go on: a fork does.
    opened.stage.fork().run("1m")


def test_a_rehearsal_has_its_history(tmp_path: pathlib.Path) -> None:
    [opened] = open_runs([kept.rehearsal(tmp_path)])
    check(opened)
    assert (opened.kind, opened.title) == ("rehearsal", "outage node n0")
    pods = [each for each in opened.history.changes if each.kind.kind == "Pod"]
    assert any(each.type == "DELETED" for each in pods)
    assert opened.stage.scheduler is not None


def test_all_rehearsals_have_theirs(tmp_path: pathlib.Path) -> None:
    path = kept.survey(tmp_path)
    opened = open_runs([path])
    answer = json.loads((path / "rehearsal.json").read_text())
    assert len(opened) == len(answer["rehearsals"]) > 3
    assert len({each.name for each in opened}) == len(opened)
    assert opened[0].title == "drain node n0"
    begins = {each.history.begin_ns for each in opened}
    assert len(begins) == 1


def test_a_rehearsal_without_a_directory_keeps_nothing(tmp_path: pathlib.Path) -> None:
    from kubestage.runs import rehearse

    assert rehearse.drain(kept.cluster_file(tmp_path), "n0").history is None


def test_a_load_has_its_history(tmp_path: pathlib.Path) -> None:
    [opened] = open_runs([kept.load(tmp_path)])
    check(opened)
    assert (opened.kind, opened.title) == ("load", "small")
    created = [each for each in opened.history.changes if each.kind.kind == "Pod"]
    assert len({each.key for each in created}) == 4


def test_a_load_without_a_history_is_refused(tmp_path: pathlib.Path) -> None:
    path = kept.load(tmp_path, keeps_history=False)
    with pytest.raises(InputError, match="has no history in it"):
        open_runs([path])


def test_a_load_on_a_real_cluster_has_none(tmp_path: pathlib.Path) -> None:
    import sqlite3

    path = kept.load(tmp_path)
    with sqlite3.connect(path / report_directory.DATABASE) as database:
        database.execute("UPDATE meta SET value = 'https://prod' WHERE key = 'cluster'")
    with pytest.raises(InputError, match=r"a real cluster, https://prod.*report\.html"):
        open_runs([path])


def test_a_comparison_opens_all_that_was_compared(tmp_path: pathlib.Path) -> None:
    default, packing = open_runs([kept.comparison(tmp_path)])
    assert [default.name, packing.name] == ["default", "packing"]
    assert default.is_contender
    assert packing.is_contender
    parted = first_difference(default, packing)
    assert parted is not None
    assert parted.first is not None
    assert parted.second is not None
    assert parted.what == "node"
    assert parted.first.decision.pod == parted.second.decision.pod == "default/p1"
    assert parted.first.explanation
    assert parted.second.explanation


def test_a_comparison_of_kept_runs_names_them(tmp_path: pathlib.Path) -> None:
    one = kept.scenario(tmp_path, "runs/one")
    other = kept.scenario(tmp_path, "runs/other", kept.packing(tmp_path))
    out = tmp_path / "both"
    compare([one, other], CompareOptions(out=str(out)))
    assert [each.name for each in open_runs([out])] == ["one", "other"]
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    shutil.move(tmp_path / "runs", moved / "runs")
    shutil.move(out, moved / "both")
    assert [each.name for each in open_runs([moved / "both"])] == ["one", "other"]


def test_several_scenarios_below_one_directory_are_clusters_each(tmp_path: pathlib.Path) -> None:
    files = [kept.scenario_file(tmp_path / f"{name}.json", name) for name in ("morning", "noon")]
    run(files, RunOptions(out=str(tmp_path / "day")))
    opened = open_runs([tmp_path / "day"])
    assert [each.name for each in opened] == ["morning", "noon"]
    for each in opened:
        check(each)


def test_names_are_distinct(tmp_path: pathlib.Path) -> None:
    path = kept.scenario(tmp_path, "Same Name!")
    first, second = open_runs([path, path])
    assert [first.name, second.name] == ["same-name", "same-name-2"]
    assert first.title == "small (same-name)"


def test_the_first_difference_is_explained_beyond_the_budget(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = kept.comparison(tmp_path)
    monkeypatch.setattr(attempt_rows.AttemptRecorder.__init__, "__defaults__", (0,))
    default, packing = open_runs([path])
    parted = first_difference(default, packing)
    assert parted is not None
    assert parted.first is not None
    assert parted.first.explanation is not None
    assert parted.first.explanation["selected"] == parted.first.decision.node
    assert default.attempts.rows[0].packed is None


def test_a_run_of_another_version_is_noted(tmp_path: pathlib.Path) -> None:
    path = kept.scenario(tmp_path)
    how = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps({**how, "version": "0.0.1"}))
    notes = Notes()
    open_runs([path], notes)
    made = f"it was made by kubestage 0.0.1, this is {kubestage.__version__}"
    assert notes.notes == [f"small: {made}"]


@pytest.mark.parametrize("make", ["missing", "empty", "file", "scenario with status", "cost"])
def test_what_is_no_run_is_refused_with_the_fix(tmp_path: pathlib.Path, make: str) -> None:
    path, problem = tmp_path / "x", "no such run"
    if make == "empty":
        path.mkdir()
        problem = "is not a run"
    elif make == "file":
        path.write_text("kind: Pod\napiVersion: v1\n")
        problem = "is a file by itself"
    elif make == "scenario with status":
        shutil.copy(kept.scenario(tmp_path) / "scenario.json", path)
        problem = "is a file by itself"
    elif make == "cost":
        path.mkdir()
        (path / "cost.json").write_text("{}")
        problem = "is a cost"
    with pytest.raises(InputError, match=problem) as error:
        open_runs([path])
    assert error.value.fix
    assert error.value.file == str(path)


def test_a_file_of_a_run_stands_for_the_run(tmp_path: pathlib.Path) -> None:
    [opened] = open_runs([kept.scenario(tmp_path) / "scenario.json"])
    assert opened.name == "scenario"


def test_damage_is_an_error_that_names_the_run(tmp_path: pathlib.Path) -> None:
    path = kept.rehearsal(tmp_path)
    (path / "rehearsal.json").write_text("{")
    with pytest.raises(InputError, match="is no rehearsal"):
        open_runs([path])
    (tmp_path / "both").mkdir()
    (tmp_path / "both" / "comparison.json").write_text('{"runs": 1}')
    with pytest.raises(InputError, match="does not say what was compared"):
        open_runs([tmp_path / "both"])


def test_no_run_is_refused() -> None:
    with pytest.raises(InputError, match="no run is named"):
        open_runs([])


def test_a_run_is_recorded_while_it_is_made(tmp_path: pathlib.Path) -> None:
    recorder = RunRecorder()
    file = kept.scenario_file(tmp_path / "scenario.json")
    run(file, RunOptions(out=str(tmp_path / "kept")), on_stage=recorder.watch)
    [opened] = recorder.opened("scenario", ["small"])
    check(opened)
    [again] = open_runs([tmp_path / "kept"])
    assert state(again.stage) == state(opened.stage)
    assert again.history.times == opened.history.times
    rows = [
        [msgspec.to_builtins(row.decision) for row in each.attempts.rows]
        for each in (opened, again)
    ]
    assert rows[0] == rows[1]


def test_what_was_decided_about_nodes_is_known_of_a_life(tmp_path: pathlib.Path) -> None:
    objects = [stages.catalog(), stage_node_class(), stages.on_demand(), stages.make_web(6)]
    (tmp_path / "cluster.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    )
    out = str(tmp_path / "kept")
    run([str(tmp_path / "cluster.json")], RunOptions(run_for="5m", out=out))
    [opened] = open_runs([tmp_path / "kept"])
    assert opened.node_decisions is not None
    (name,) = opened.stage.store.read(gvk.NODE)
    found = staged_nodes.of(opened.stage, opened.node_decisions, name)
    assert found.purchase is not None
    assert len(found.purchase.pods) == 6
    assert found.verdict is not None
    assert found.billed_per_hour == 0.4
    (entry,) = opening.entries([opened])
    assert entry.node_decisions is opened.node_decisions
