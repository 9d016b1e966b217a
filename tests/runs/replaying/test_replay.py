"""A stage is recorded as a cluster would be, and the recording is replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.runs.replaying import ReplayOptions, ReplayResult, replay
from kubestage.runs.run import run
from kubestage.sources import folder
from kubestage.sources.imported import Change, Imported, Origin, reference_of
from tests.runs.replaying import recordings

if TYPE_CHECKING:
    import pathlib

NODE = ("v1", "Node")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    return recordings.make(tmp_path_factory.mktemp("recorded") / "rec")


@pytest.fixture(scope="module")
def same(recording: str) -> ReplayResult:
    return replay(recording)


def test_only_the_intent_is_done_again(same: ReplayResult) -> None:
    assert same.actions == 5
    assert same.consequences > 100
    assert not same.run.notes


def test_the_same_settings_have_the_same_consequences(same: ReplayResult) -> None:
    found = same.agreement
    assert found.placements == found.replayed_placements == 14
    assert found.same_node == 14
    assert found.same_node_share == 1.0
    assert found.disagreements == []
    assert found.largest_node_difference == 0
    assert found.pending_seconds[0] == pytest.approx(found.pending_seconds[1], abs=0.01)
    assert same.headline() == "5 actions replayed; 100.0% of 14 placements on the same node"


def test_it_ends_as_the_recording_does(recording: str, same: ReplayResult) -> None:
    recorded = {_kind_of(pod) for pod in run(recording).stage.store.read(("v1", "Pod")).values()}
    replayed = {_kind_of(pod) for pod in same.run.stage.store.read(("v1", "Pod")).values()}
    assert replayed == recorded


def _kind_of(pod: dict[str, Any]) -> tuple[str, str, str]:
    image = pod["spec"]["containers"][0]["image"]
    return image, pod["status"]["phase"], pod["spec"].get("nodeName", "")


def test_a_job_runs_as_long_as_it_did(tmp_path: pathlib.Path, recording: str) -> None:
    result = replay(recording, ReplayOptions(out=str(tmp_path / "kept")))
    (job,) = result.run.stage.store.read(("batch/v1", "Job")).values()
    (recorded,) = run(recording).stage.store.read(("batch/v1", "Job")).values()
    assert job["status"]["completionTime"] == recorded["status"]["completionTime"]
    assert (tmp_path / "kept" / "life.json").is_file()


def test_other_settings_have_other_consequences(recording: str, tmp_path: pathlib.Path) -> None:
    packing = tmp_path / "packing.yaml"
    packing.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles:\n- plugins: {score: {disabled: [{name: PodTopologySpread}]}}\n"
        "  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n"
        "      scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 100}]}\n"
    )
    result = replay(recording, ReplayOptions(config=str(packing)))
    assert result.baseline is not None
    assert result.baseline.same_node_share == 1.0
    assert replay(recording, ReplayOptions(recorded_config=str(packing))).baseline is None
    share = result.agreement.same_node_share
    assert share is not None
    assert share < 0.8
    assert result.agreement.disagreements[0].pods >= 1


def test_nodes_are_left_out(recording: str) -> None:
    result = replay(recording, ReplayOptions(without=("n0", "n2")))
    assert not {"n0", "n2"} & set(result.run.stage.store.read(NODE))
    assert result.agreement.largest_node_difference == 2


def test_a_part_of_the_time(recording: str) -> None:
    options = ReplayOptions(begin="2026-03-01T08:06:00Z", end="2026-03-01T08:11:00Z")
    result = replay(recording, options)
    assert result.actions == 1
    assert result.agreement.placements == 5


def test_the_last_action_is_done(tmp_path: pathlib.Path) -> None:
    """Also if it is the last change of all."""
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }  # fmt: skip
    changes = [
        Change(at_ns=at, verb=verb, reference=reference_of(pod), object=obj)  # type: ignore[arg-type]
        for at, verb, obj in ((10**18, "create", pod), (10**18 + 7 * 10**9, "delete", None))
    ]
    origins = [Origin(source="here", format="test")]
    folder.write(Imported(changes=changes, origins=origins), str(tmp_path / "rec"))
    result = replay(tmp_path / "rec", ReplayOptions(nodes=1))
    assert result.actions == 2
    (left,) = result.run.stage.store.read(("v1", "Pod")).values() or [None]
    assert left is None or "deletionTimestamp" in left["metadata"]


@pytest.mark.parametrize(
    ("options", "path", "problem"),
    [
        ({"begin": "soon"}, "--from", "no time"),
        ({"begin": "2027-01-01T00:00:00Z"}, "--from", "after the end"),
        ({"end": "2026-01-01T00:00:00Z"}, "--to", "not after"),
        ({"without": ("n9",)}, "--without", "no node"),
    ],
)
def test_errors(recording: str, options: Any, path: str, problem: str) -> None:
    with pytest.raises(InputError) as raised:
        replay(recording, ReplayOptions(**options))
    assert raised.value.path == path
    assert problem in raised.value.problem


def test_a_dump_has_nothing_to_replay(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "dump.yaml"
    file.write_text("apiVersion: v1\nkind: Node\nmetadata: {name: n, uid: u}\n")
    with pytest.raises(InputError, match="no changes to replay"):
        replay(file)


def test_a_replay_is_a_value(recording: str, same: ReplayResult) -> None:
    again = replay(recording)
    assert again.agreement == same.agreement
