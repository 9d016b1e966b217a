"""`kubestage.run`: what commands print is what the result has, and nothing is printed."""

from __future__ import annotations

import json
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from kubestage import InputError, run
from kubestage.runs import (
    LivingResult,
    ManifestsResult,
    Observer,
    RunOptions,
    ScenariosResult,
)
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters, scenarios

if TYPE_CHECKING:
    from kubestage.stage import Stage
    from kubestage.store.log import Change


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _small() -> None:
    clusters.write(
        "all.json", make_node("a", cpu="2"), make_pod("x", cpu="1"), make_pod("y", cpu="9")
    )


def test_manifests_give_placements(capfd: pytest.CaptureFixture[str]) -> None:
    _small()
    result = run("all.json")
    assert isinstance(result, ManifestsResult)
    assert {each.name: each.node for each in result.placements} == {"x": "a", "y": ""}
    assert (result.failure, result.unscheduled) == (None, 1)
    assert result.table().column("status") == ["Scheduled", "Pending"]
    assert "<td>Pending</td>" in result._repr_html_()
    assert capfd.readouterr() == ("", "")


def test_files_are_names_or_paths() -> None:
    _small()
    one, other = run(pathlib.Path("all.json")), run(["all.json"])
    assert one.table() == other.table()


def test_a_pod_is_explained() -> None:
    _small()
    explanation = run("all.json", RunOptions(explain="y")).explanation
    assert explanation is not None
    assert (explanation.placement.status, explanation.node_count) == ("Pending", 1)
    assert len(explanation.attempts) >= 1


def test_every_attempt_is_there_in_full_detail() -> None:
    _small()
    result = run("all.json", RunOptions(detail="full"))
    assert isinstance(result, ManifestsResult)
    assert result.explanations
    quiet = run("all.json", RunOptions(detail="full", collects_explanations=False))
    assert isinstance(quiet, ManifestsResult)
    assert quiet.explanations == []


def test_scenarios_have_a_row_for_each_step_and_are_saved() -> None:
    scenario = scenarios.scenario([make_node("a")], [make_pod("x")], name="one")
    clusters.write("scenario.json", scenario)
    result = run("scenario.json", RunOptions(out="runs/1"))
    assert isinstance(result, ScenariosResult)
    assert result.headline() == "one: Succeeded"
    assert result.table().column("scenario")[0] == "one"
    assert result.saved == {"one": pathlib.Path("runs/1")}
    assert json.loads(pathlib.Path("runs/1/run.json").read_text())["seed"] == 0


def test_details_of_scenarios_are_deleted_with_the_result(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = folder / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    clusters.write("scenario.json", scenarios.scenario([make_node("a"), make_pod("x")], name="one"))
    result = run("scenario.json", RunOptions(detail="full"))
    assert isinstance(result, ScenariosResult)
    reader = result.open_record("one")
    assert reader is not None
    with reader:
        assert [each.number for each in reader.decisions()] == [1]
    result.close()
    assert list(scratch.iterdir()) == []


def test_a_cluster_lives_and_events_are_reported() -> None:
    clusters.write("web.json", make_deployment("web", replicas=2), make_node("a"))
    reasons: list[str] = []

    def on_event(stage: Stage, change: Change) -> None:
        assert stage.clock.now_ns >= 0
        reasons.append(change.new["reason"])

    result = run("web.json", RunOptions(run_for="1m"), on_event=on_event)
    assert isinstance(result, LivingResult)
    assert result.stage.clock.now_ns == 60_000_000_000
    assert result.table().column("phase") == ["Running", "Running"]
    assert "Scheduled" in reasons


def test_notes_are_those_of_the_command() -> None:
    clusters.write("pod.json", make_pod("x"))
    assert any("there are no nodes" in note for note in run("pod.json").notes)


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"at": ("1m=x.yaml",)}, "--at"),
        ({"autoscalers": ("x.py:X",)}, "--autoscaler"),
        ({"trace_out": "x"}, "--trace-out"),
        ({"trace_internal": True}, "--trace-internal"),
        ({"run_for": "1m", "controllers": False}, "--no-controllers"),
        ({"run_for": "1m", "result_strategy": "OnDone"}, "--result-strategy"),
        ({"run_for": "1m", "trace_internal": True}, "--trace-internal"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, Any], path: str) -> None:
    _small()
    with pytest.raises(InputError) as caught:
        run("all.json", RunOptions(**options))
    assert caught.value.path == path


def test_an_observer_sees_a_stage_that_lives() -> None:
    class Counting(Observer):
        stages = 0

        def watch_stage(self, stage: Stage, end_ns: int) -> Any:
            self.stages += 1
            return super().watch_stage(stage, end_ns)

    _small()
    observer = Counting()
    run("all.json", RunOptions(run_for="10s"), observer=observer)
    assert observer.stages == 1
