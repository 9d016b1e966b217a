"""Recorded placements are predicted, each on the recorded state just before it."""

from __future__ import annotations

import pathlib

import msgspec
import pytest

from kubestage.results import agreement as kept_agreement
from kubestage.results import agreement_rows
from kubestage.runs.replaying import ReplayOptions, decisions, replay
from kubestage.sources import folder, reading
from kubestage.sources.imported import Imported
from tests.runs.replaying import recordings


@pytest.fixture(scope="module")
def random_ties(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("recorded") / "rec"
    return recordings.make(place, tie_break="random")


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> str:
    return recordings.make(tmp_path_factory.mktemp("recorded") / "rec", recordings.PACKING)


def test_ties_are_told_from_disagreements(random_ties: str) -> None:
    found = replay(random_ties).decisions
    assert found is not None
    assert found.placements == found.predicted == found.equally_good == found.feasible == 14
    assert found.same_node < 14
    assert found.with_choice == 14
    assert found.misses == []
    shown = [row[:2] for row in agreement_rows.shares(found)]
    assert ("on an equally good node", "100.0%") in shown


def test_what_ties_do_not_explain_is_explained(packed: str) -> None:
    """The recorded cluster packed, which the default configuration does not."""
    found = replay(packed).decisions
    assert found is not None
    assert found.feasible == found.predicted == 14
    assert found.equally_good < 14
    assert found.first is not None
    assert found.first.at == min(each.at for each in found.misses)
    sizes = [each.score_difference for each in found.largest]
    assert sizes == sorted(sizes, key=lambda each: -(each or 0))
    for each in found.misses:
        assert each.recorded != each.predicted
        better = f"{each.predicted} scores {each.score_difference} more: "
        assert each.explanation.startswith(better)
        assert "NodeResourcesFit +" in each.explanation


def test_the_recorded_configuration_is_that_of_the_predictions(
    packed: str, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "packing.yaml").write_text(recordings.PACKING)
    options = ReplayOptions(recorded_config=str(tmp_path / "packing.yaml"))
    found = replay(packed, options).decisions
    assert found is not None
    assert found.same_node == found.predicted == 14


def test_a_what_if_carries_the_decisions_and_keeps_them(
    packed: str, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "kept"
    result = replay(packed, ReplayOptions(without=("n5",), out=str(out)))
    assert result.is_what_if
    assert result.decisions == replay(packed).decisions
    assert kept_agreement.read(out) == result.summary
    page = (out / "report.html").read_text()
    assert f"A replay of {pathlib.Path(packed).name}" in page
    assert "Agreement with the recording" in page
    assert "Decisions that ties do not explain" in page
    assert result.decisions is not None
    assert result.decisions.misses[0].explanation in page.replace("&#39;", "'")
    assert 'id="chart-agreement"' in page


def test_a_sample_is_drawn_by_the_seed(packed: str) -> None:
    found = [replay(packed, ReplayOptions(predictions=6, seed=seed)).decisions for seed in (1, 1)]
    assert found[0] == found[1]
    assert found[0] is not None
    assert (found[0].predicted, found[0].placements) == (6, 14)
    assert found[0].is_sample
    assert "A sample of 6 of 14 placements" in agreement_rows.scope(found[0])
    assert replay(packed, ReplayOptions(predictions=0)).decisions is None


def test_what_cannot_be_predicted_is_left_out(packed: str, tmp_path: pathlib.Path) -> None:
    """Pods of another scheduler, and nodes that are not in the recording."""
    read = reading.read([packed])
    objects = [each for each in read.objects if each["metadata"]["name"] != "n4"]
    changes = []
    for each in read.changes:
        pod = each.object
        if pod is not None and pod["kind"] == "Pod" and pod["metadata"]["name"].startswith("web"):
            other = {**pod, "spec": {**pod["spec"], "schedulerName": "mine"}}
            each = msgspec.structs.replace(each, object=other)  # noqa: PLW2901
        if not (each.reference.kind == "Node" and each.reference.name == "n4"):
            changes.append(each)
    folder.write(Imported(objects, changes, read.origins), str(tmp_path / "rec"))
    found = replay(str(tmp_path / "rec")).decisions
    assert found is not None
    assert found.left_out[decisions.OTHER_SCHEDULER] == 5
    assert sum(found.left_out.values()) + found.predicted == found.placements == 14
    assert not found.is_sample


def test_node_counts_are_series(random_ties: str) -> None:
    counts = replay(random_ties, ReplayOptions(without=("n0",))).agreement.node_counts
    assert counts.recorded == [(0.0, 6)]
    assert counts.replayed[-1] == (0.0, 5)
