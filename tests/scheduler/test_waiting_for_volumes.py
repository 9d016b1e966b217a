from __future__ import annotations

from typing import Any

from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod

_CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "late"},
    "provisioner": "example.com/csi",
    "volumeBindingMode": "WaitForFirstConsumer",
}
_CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data"},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "late",
    },
}
_CLAIM_KIND = ("v1", "PersistentVolumeClaim")
_POD_KIND = ("v1", "Pod")


def _stage() -> Stage:
    stage = Stage()
    stage.add_scheduler().wait_for_volumes()
    pod = make_pod("web")
    pod["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    stage.apply([_CLASS, make_node("n1"), _CLAIM, pod])
    return stage


def _node_of(stage: Stage) -> str | None:
    found: str | None = stage.store.get(_POD_KIND, "web")["spec"].get("nodeName")
    return found


def _complete(stage: Stage) -> None:
    claim = stage.store.get(_CLAIM_KIND, "data")
    metadata: dict[str, Any] = claim["metadata"]
    annotations = {**metadata["annotations"], "pv.kubernetes.io/bind-completed": "yes"}
    stage.store.update(
        {
            **claim,
            "metadata": {**metadata, "annotations": annotations},
            "spec": {**claim["spec"], "volumeName": "pv"},
        }
    )


def test_a_pod_is_bound_within_a_second_after_its_volume_is() -> None:
    stage = _stage()
    stage.run("5s")
    claim = stage.store.get(_CLAIM_KIND, "data")
    assert claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] == "n1"
    assert _node_of(stage) is None
    _complete(stage)
    stage.run("1s")
    assert _node_of(stage) == "n1"


def test_a_pod_whose_volume_is_never_bound_goes_back_after_ten_minutes() -> None:
    stage = _stage()
    stage.run("601s")
    messages = [each["message"] for each in stage.store.list(("v1", "Event")).items]
    text = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
    assert text in messages


def test_a_failed_provisioning_sends_the_pod_back_at_once() -> None:
    stage = _stage()
    stage.run("5s")
    claim = stage.store.get(_CLAIM_KIND, "data")
    metadata = {**claim["metadata"], "annotations": {"other": "yes"}}
    stage.store.update({**claim, "metadata": metadata})
    stage.run("1s")
    messages = [each["message"] for each in stage.store.list(("v1", "Event")).items]
    assert any('provisioning failed for PVC "data"' in each for each in messages)


def test_a_pod_that_is_deleted_while_it_waits_is_not_bound() -> None:
    stage = _stage()
    stage.run("5s")
    stage.store.delete(_POD_KIND, "web")
    stage.run("20m")
    assert not stage.store.list(_POD_KIND).items
    assert stage.scheduler is not None
    assert stage.scheduler.due_ns is None


def test_a_waiting_pod_survives_a_fork() -> None:
    stage = _stage()
    stage.run("5s")
    copy = stage.fork()
    _complete(copy)
    copy.run("1s")
    assert _node_of(copy) == "n1"
    assert _node_of(stage) is None
