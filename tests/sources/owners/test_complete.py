"""A dump that lacks owners runs as the whole cluster does: nothing doubles, nothing vanishes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.sources import owners
from tests.sources.owners.conftest import Rerun, lived, placed

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

_REVISION = "ControllerRevision"
_CASES = [
    (),
    ("ReplicaSet",),
    ("Deployment",),
    ("ReplicaSet", "Deployment"),
    ("Job",),
    ("Job", "CronJob"),
    ("DaemonSet", _REVISION),
    ("StatefulSet", _REVISION),
    (_REVISION,),
    ("ReplicationController",),
    ("PriorityClass", "Namespace", "Lease"),
    # What the usual `kubectl get nodes,pods,deploy,...` does not have.
    ("ReplicaSet", "Job", _REVISION, "PriorityClass", "Namespace", "Lease"),
]


def without(objects: list[Json], kinds: tuple[str, ...]) -> list[Json]:
    return [each for each in objects if each["kind"] not in kinds]


@pytest.mark.parametrize("kinds", _CASES, ids="+".join)
def test_pods_stay_what_and_where_they_are(
    tmp_path: pathlib.Path, objects: list[Json], kinds: tuple[str, ...]
) -> None:
    again = Rerun(tmp_path, without(objects, kinds))
    assert again.placed == placed(objects)


@pytest.mark.parametrize("kinds", _CASES[1:6], ids="+".join)
def test_what_was_rebuilt_controls_its_pods(
    tmp_path: pathlib.Path, objects: list[Json], kinds: tuple[str, ...]
) -> None:
    """Over twenty minutes the same number of pods runs and ends as in the whole cluster."""
    whole = Rerun(tmp_path, without(objects, ("CronJob",)), "20m")
    part = Rerun(tmp_path, without(objects, (*kinds, "CronJob")), "20m")
    assert _phases(part) == _phases(whole)


def _phases(again: Rerun) -> list[tuple[str, str]]:
    pods = (each for each in again.objects if each["kind"] == "Pod")
    return sorted(
        (each["spec"]["containers"][0]["image"], each["status"]["phase"]) for each in pods
    )


def test_nodes_are_rebuilt_for_what_runs_on_them(
    tmp_path: pathlib.Path, objects: list[Json]
) -> None:
    again = Rerun(tmp_path, without(objects, ("Node", "Lease")))
    assert again.placed == placed(objects)
    node = again.find("Node", "node-0")
    assert node["status"]["allocatable"]["cpu"] != "0"
    assert any("rebuilt just large enough" in note for note in again.notes)


def test_notes_name_and_count(tmp_path: pathlib.Path, objects: list[Json]) -> None:
    (note,) = Rerun(tmp_path, without(objects, ("ReplicaSet",))).notes[:1]
    assert note.startswith("rebuilt from their pods, as the source does not have them: replicaset/")
    assert note.endswith("(7 pods)")


@pytest.mark.parametrize("kinds", [("ReplicaSet",), ("ReplicaSet", "Deployment")], ids="+".join)
def test_a_rollout_goes_on(tmp_path: pathlib.Path, kinds: tuple[str, ...]) -> None:
    half = lived(tmp_path, "121s", at="100s")
    images = [
        each["spec"]["containers"][0]["image"]
        for each in half
        if each["kind"] == "Pod" and each["metadata"]["name"].startswith("web-")
    ]
    assert {"web:1", "web:2"} == set(images)
    assert len(placed(Rerun(tmp_path, without(half, kinds), "1s").objects)) == len(placed(half))
    if "Deployment" not in kinds:
        again = Rerun(tmp_path, without(half, kinds), "5m")
        pods = [name for name in again.placed if name.startswith("default/web-")]
        assert len(pods) == 4
        assert _images(again, "web-") == {"web:2"}


def _images(again: Rerun, prefix: str) -> set[str]:
    return {
        each["spec"]["containers"][0]["image"]
        for each in again.objects
        if each["kind"] == "Pod" and each["metadata"]["name"].startswith(prefix)
    }


def test_manifests_are_left_alone() -> None:
    """Objects that were never in a cluster refer to nothing that is missing."""
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "i"}], "priorityClassName": "high"},
    }  # fmt: skip
    assert owners.complete([pod]).added == []


def test_unknown_controllers_are_named(objects: list[Json]) -> None:
    pod = next(each for each in objects if each["kind"] == "Pod")
    reference = {
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "name": "shop", "uid": "u-1",
        "controller": True,
    }  # fmt: skip
    changed = {**pod, "metadata": {**pod["metadata"], "ownerReferences": [reference]}}
    completed = owners.complete([changed, *without(objects, ("Pod",))])
    assert completed.added == []
    (note,) = completed.notes
    assert note.startswith("not in the source, and of a kind that cannot be rebuilt")
    assert note.endswith(": rollout/shop (1 pod)")
