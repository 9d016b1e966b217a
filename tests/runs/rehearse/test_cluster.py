"""A cluster is opened from manifests, a dump, a kept run, or a server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage import InputError, Stage, run
from kubestage.objects import gvk, yaml_text
from kubestage.runs import RunOptions, rehearse
from kubestage.runs.rehearse import ClusterOptions
from kubestage.testing import make_deployment, make_node
from tests.runs.rehearse.clusters import cluster, nodes, spread

if TYPE_CHECKING:
    import pathlib

    from kubestage.runs.rehearse import Cluster


def _write(path: pathlib.Path, *objects: dict[str, Any]) -> str:
    path.write_text("---\n".join(map(yaml_text.dump, objects)))
    return str(path)


def _placed(opened: Cluster) -> dict[str, str]:
    pods = opened.stage.store.read(gvk.POD)
    return {key: pod["spec"].get("nodeName", "") for key, pod in pods.items()}


def _dump(stage: Stage, *kinds: str) -> str:
    items = [
        collection.objects[key]
        for collection in stage.store.collections()
        if collection.kind.kind in kinds
        for key in collection.keys(None)
    ]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def test_manifests_run_until_all_is_ready(tmp_path: pathlib.Path) -> None:
    file = _write(tmp_path / "all.yaml", *nodes(3), spread("web", 3))
    opened = rehearse.open_cluster(file)
    web = opened.stage.store.get(gvk.DEPLOYMENT, "web")
    assert web["status"]["readyReplicas"] == 3
    assert list(opened.notes) == []


def test_what_is_pending_before_is_noted(tmp_path: pathlib.Path) -> None:
    file = _write(tmp_path / "all.yaml", *nodes(1), spread("web", 3))
    assert rehearse.open_cluster(file).notes == ["2 pods are pending from the start"]


def test_pods_of_a_dump_stay_where_they_are(tmp_path: pathlib.Path) -> None:
    made = cluster(*nodes(4), spread("web", 3))
    file = tmp_path / "dump.json"
    file.write_text(_dump(made.stage, "Node", "Pod", "ReplicaSet", "Deployment"))
    opened = rehearse.open_cluster(file)
    assert _placed(opened) == _placed(made)
    uids = {pod["metadata"]["uid"] for pod in opened.stage.store.read(gvk.POD).values()}
    assert uids == {pod["metadata"]["uid"] for pod in made.stage.store.read(gvk.POD).values()}
    result = rehearse.drain(opened, "n1")
    assert result.effects.workloads[0].windows == [(0, 2)]


def test_owners_that_a_dump_lacks_are_rebuilt(tmp_path: pathlib.Path) -> None:
    made = cluster(*nodes(4), spread("web", 3))
    file = tmp_path / "dump.json"
    file.write_text(_dump(made.stage, "Node", "Pod", "Deployment"))
    opened = rehearse.open_cluster(file)
    assert _placed(opened) == _placed(made)
    assert opened.notes[0].startswith("rebuilt from their pods")
    # The drained pod is replaced by the ReplicaSet that was rebuilt, and by no other.
    result = rehearse.drain(opened, "n1")
    assert result.effects.workloads[0].windows == [(0, 2)]


def test_a_living_run_is_repeated_to_its_end_and_goes_on(tmp_path: pathlib.Path) -> None:
    file = _write(tmp_path / "all.yaml", *nodes(3), spread("web", 1))
    later = _write(tmp_path / "later.yaml", spread("web", 2))
    kept = tmp_path / "run"
    options = RunOptions(run_for="5m", at=(f"2m={later}",), out=str(kept), seed=7)
    ended = run(file, options).stage
    opened = rehearse.open_cluster(kept)
    assert opened.stage.clock.now_ns >= ended.clock.now_ns
    assert _placed(opened) == {
        key: pod["spec"]["nodeName"] for key, pod in ended.store.read(gvk.POD).items()
    }


def test_a_kept_run_of_manifests_is_repeated_to_its_end(tmp_path: pathlib.Path) -> None:
    file = _write(tmp_path / "all.yaml", *nodes(3), spread("web", 2))
    kept = tmp_path / "run"
    ended = run(file, RunOptions(out=str(kept))).stage
    opened = rehearse.open_cluster(kept)
    assert _placed(opened) == {
        key: pod["spec"]["nodeName"] for key, pod in ended.store.read(gvk.POD).items()
    }
    assert rehearse.drain(opened, "n1").nodes[0].is_drained


def test_a_copy_of_a_stage_is_used() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply([make_node("a"), make_deployment("web")])
    opened = rehearse.open_cluster(stage)
    assert stage.clock.now_ns == 0
    assert _placed(opened)


def test_what_is_no_cluster_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match="no cluster is named"):
        rehearse.open_cluster()
    file = _write(tmp_path / "all.yaml", *nodes(1))
    both = ClusterOptions(server="http://127.0.0.1:1")
    with pytest.raises(InputError, match="two clusters are named"):
        rehearse.open_cluster(file, both)
    with pytest.raises(InputError, match="no server runs at"):
        rehearse.open_cluster(None, both)
