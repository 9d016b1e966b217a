"""A recording as the base of a sweep: other settings, and how far each agrees with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.runs.replaying import ReplayOptions, replay
from kubestage.sweep import sweep
from kubestage.sweep.base_run import Base
from kubestage.sweep.optimise import optimise
from kubestage.sweep.rows import Task
from tests.runs.replaying import recordings

if TYPE_CHECKING:
    import pathlib

    from kubestage.sweep.rows import Table

FILES = ("sweep.sqlite", "results.parquet", "sweep.yaml")
PACKING = (
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles:\n- plugins: {score: {disabled: [{name: PodTopologySpread}]}}\n"
    "  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n"
    "      scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 100}]}\n"
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    return recordings.make(tmp_path_factory.mktemp("recorded") / "rec")


def _column(table: Table, measure: str) -> list[float | None]:
    assert not table.errors, table.errors[0].error
    return [row.measures[measure] for row in table.rows]


def test_a_row_has_the_run_and_its_agreement(recording: str, tmp_path: pathlib.Path) -> None:
    config = tmp_path / "packing.yaml"
    config.write_text(PACKING)
    table = sweep(["replay", recording], {"config": [None, str(config)]}, jobs=1)
    alone = [replay(recording), replay(recording, ReplayOptions(config=str(config)))]
    assert _column(table, "sameNodeShare") == [each.agreement.same_node_share for each in alone]
    assert _column(table, "sameNodeShare")[0] == 1
    assert _column(table, "placements") == [14, 14]
    assert _column(table, "meanPendingSeconds") == [
        each.agreement.pending_seconds[1] for each in alone
    ]
    assert _column(table, "largestNodeDifference") == [0, 0]
    assert _column(table, "pending") == [each.run.unscheduled for each in alone]
    assert table.measures["sameNodeShare"].unit == "share"
    assert table.measures["replicaHours"].better == "less"


def test_one_process_and_two_give_the_same_bytes(recording: str, tmp_path: pathlib.Path) -> None:
    words = ["replay", recording, "--tie-break", "random", "--to", "2026-03-01T08:06:00Z"]
    axes = {"scale": "deployment/web=3,deployment/web=9", "without": "n2,n3"}
    one, two = (
        sweep(words, axes, seeds="1..2", out=tmp_path / str(jobs), jobs=jobs) for jobs in (1, 2)
    )
    assert one == two
    assert len(set(_column(one, "placements"))) > 1
    for file in FILES:
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()


def test_objects_of_the_beginning_and_later_ones_can_be_varied(recording: str) -> None:
    def placements(axes: dict[str, str]) -> list[float | None]:
        return _column(sweep(["replay", recording], axes, jobs=1), "placements")

    # The recording sets eight replicas later: from one on, that is two more to place.
    assert placements({"deploy/web:spec.replicas": "1,3"}) == [16, 14]
    # A Deployment that a person creates has each of its pods twice, as its image changes.
    assert placements({"deploy/api:spec.replicas": "2,6"}) == [10, 18]
    with pytest.raises(InputError, match="no deployment/apu") as raised:
        sweep(["replay", recording], {"deploy/apu:spec.replicas": "2"})
    assert "deployment/api" in (raised.value.fix or "")


def test_the_recording_is_read_once_and_its_content_is_part_of_the_key(
    tmp_path: pathlib.Path,
) -> None:
    place = tmp_path / "rec"
    recordings.make(place)
    words, task = ["replay", str(place)], Task(0, {"nodes": 1}, 1)
    base, again = Base.read(words), Base.read(words)
    base.check(task.parameters)
    assert base.key(task) == again.key(task)
    expected = base(task)
    (log,) = (place / "recording").iterdir()
    first = Base.read([*words, "--to", "2026-03-01T08:06:00Z"])
    log.unlink()
    assert base(task) == expected
    # Parts that no check has read are there as well.
    later = Task(1, {"from": "2026-03-01T08:05:00Z"}, 1)
    assert first(later).error is None
    assert Base.read(words).key(task) != base.key(task)


def test_what_is_no_recording_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match="no recording is named"):
        sweep(["replay"], {"nodes": [1]})
    with pytest.raises(InputError, match="is about a single run"):
        sweep(["replay", "x", "--out", "y"], {"nodes": [1]})
    manifest = tmp_path / "node.yaml"
    manifest.write_text("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n")
    with pytest.raises(InputError, match="no changes to replay"):
        sweep(["replay", str(manifest)], {"nodes": [1]})


def test_it_can_be_optimised(recording: str) -> None:
    found = optimise(
        ["replay", recording, "--to", "2026-03-01T08:06:00Z"],
        {"deploy/api:spec.replicas": "2..4"},
        minimise="replicaHours",
        subject_to="placements>=4",
        trials=3, seeds=1, finalists=2, final_seeds=2, jobs=1, batch=3, sampler="grid",
    )  # fmt: skip
    assert found.best == {"deploy/api:spec.replicas": 3}
