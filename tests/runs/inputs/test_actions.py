"""Actions at a time: what happens beside applying manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.runs import rehearse
from kubestage.runs.run import run
from kubestage.runs.run_options import RunOptions

if TYPE_CHECKING:
    import pathlib

    from kubestage.runs.run_result import RunResult

CLUSTER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {containers: [{name: c, image: i}]}
"""
HEAD = "apiVersion: kubestage.dev/v1alpha1\nkind: Action\n"
WEB = "target: {apiVersion: apps/v1, kind: Deployment, namespace: default, name: web}\n"
BARE = "target: {apiVersion: v1, kind: Pod, namespace: default, name: bare}\n"
NODE = "target: {apiVersion: v1, kind: Node, name: node-0}\n"


def _run(folder: pathlib.Path, *actions: str, run_for: str = "5m", out: str = "") -> RunResult:
    (folder / "cluster.yaml").write_text(CLUSTER)
    at = []
    for number, action in enumerate(actions, 1):
        file = folder / f"action-{number}.yaml"
        file.write_text(HEAD + action)
        at.append(f"{number}m={file}")
    options = RunOptions(run_for=run_for, nodes=2, at=tuple(at), out=out or None)
    return run(folder / "cluster.yaml", options)


def _pods(result: RunResult) -> list[str]:
    return sorted(key.partition("/")[2][:4] for key in result.stage.store.read(gvk.POD))


def test_an_object_is_patched_and_deleted(tmp_path: pathlib.Path) -> None:
    patched = _run(tmp_path, f"verb: patch\n{WEB}object: {{spec: {{replicas: 3}}}}\n")
    assert _pods(patched) == ["bare", "web-", "web-", "web-"]
    deleted = _run(tmp_path, f"verb: delete\n{WEB}", f"verb: delete\n{BARE}")
    assert _pods(deleted) == []


def test_an_object_is_created(tmp_path: pathlib.Path) -> None:
    node = "{apiVersion: v1, kind: Node, metadata: {name: big}, status: {allocatable: {cpu: '64'}}}"
    target = "target: {apiVersion: v1, kind: Node, name: big}\n"
    result = _run(tmp_path, f"verb: create\n{target}object: {node}\n")
    found = result.stage.store.read(gvk.NODE)["big"]
    assert found["status"]["allocatable"]["cpu"] == "64"
    assert any(each["type"] == "Ready" for each in found["status"]["conditions"])


def test_a_node_fails_and_recovers(tmp_path: pathlib.Path) -> None:
    failed = _run(tmp_path, f"verb: fail\n{NODE}")
    assert _ready(failed) == "Unknown"
    assert _ready(_run(tmp_path, f"verb: fail\n{NODE}", f"verb: recover\n{NODE}")) == "True"


def _ready(result: RunResult) -> str:
    node = result.stage.store.read(gvk.NODE)["node-0"]
    status: str = next(
        each["status"] for each in node["status"]["conditions"] if each["type"] == "Ready"
    )
    return status


def test_a_pod_of_the_same_owner_is_evicted_for_one_of_another_name(
    tmp_path: pathlib.Path,
) -> None:
    before = _run(tmp_path)
    (one, *_) = (pod for key, pod in before.stage.store.read(gvk.POD).items() if "web-" in key)
    owner = one["metadata"]["ownerReferences"][0]["name"]
    evicted = (
        "verb: evict\n"
        "target: {apiVersion: v1, kind: Pod, namespace: default, name: web-elsewhere}\n"
        "object: {metadata: {ownerReferences: [{kind: ReplicaSet, controller: true, "
        f"name: {owner}}}]}}, spec: {{nodeName: {one['spec']['nodeName']}}}}}\n"
    )
    after = _run(tmp_path, evicted)
    assert not after.notes
    uids = [_uids(each) for each in (before, after)]
    assert len(uids[0] & uids[1]) == 2
    assert len(uids[1]) == 3


def _uids(result: RunResult) -> set[str]:
    return {pod["metadata"]["uid"] for pod in result.stage.store.read(gvk.POD).values()}


def test_what_is_refused_is_reported_and_the_rest_goes_on(tmp_path: pathlib.Path) -> None:
    missing = "target: {apiVersion: v1, kind: Pod, namespace: default, name: missing}\n"
    result = _run(tmp_path, f"verb: delete\n{missing}", f"verb: delete\n{BARE}")
    assert result.notes == ['refused: delete pod/default/missing: pods "missing" not found']
    assert "bare" not in _pods(result)


def test_a_kept_run_is_repeated_with_its_actions(tmp_path: pathlib.Path) -> None:
    kept = tmp_path / "kept"
    ended = _run(tmp_path, f"verb: delete\n{WEB}", out=str(kept))
    again = rehearse.open_cluster(kept).stage
    assert list(again.store.read(gvk.POD)) == list(ended.stage.store.read(gvk.POD))


@pytest.mark.parametrize(
    ("action", "path", "problem"),
    [
        (f"verb: destroy\n{WEB}", "verb", "Invalid enum value 'destroy'"),
        (f"verb: patch\n{WEB}", "object", "is missing, and patch needs it"),
        ("verb: delete\n", "", "missing required field `target`"),
        (f"verb: delete\n{WEB}wat: 1\n", "", "unknown field `wat`"),
    ],
)
def test_errors(tmp_path: pathlib.Path, action: str, path: str, problem: str) -> None:
    with pytest.raises(InputError) as raised:
        _run(tmp_path, action)
    assert raised.value.path == (path or None)
    assert problem in raised.value.problem
    assert raised.value.file is not None


def test_an_action_needs_a_time(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "action.yaml"
    file.write_text(f"{HEAD}verb: delete\n{WEB}")
    with pytest.raises(InputError, match="an Action happens at a time"):
        run(file)
