"""Events that were recorded elsewhere are carried out as far as that can be done here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scenario import operations, resource
from kubestage.scenario.operations import OperationFailed
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _event(operation: str, **body: Any) -> resource.Event:
    return resource.Event("e", 0, operation, body)


def _target(kind: str, name: str, **more: Any) -> Json:
    return {"typeMeta": {"apiVersion": "v1", "kind": kind}, "objectMeta": {"name": name}, **more}


@pytest.mark.parametrize("operation", ["Patch", "Delete"])
def test_what_is_not_there_any_more_is_passed_over(operation: str) -> None:
    body = _target("Node", "gone", **({"patch": "{}"} if operation == "Patch" else {}))
    with pytest.raises(OperationFailed, match="not found"):
        operations.perform(Stage().store, _event(operation, **body))
    recorded = {**body, "asRecorded": True}
    told = operations.perform(Stage().store, _event(operation, **recorded))
    assert told == {operation.lower(): {"operation": recorded}}


def test_what_is_refused_for_another_reason_still_fails() -> None:
    stage = Stage()
    stage.load([make_pod("web")])
    body = _target("Pod", "web", patch='{"spec":{"nodeName":"a b"}}', asRecorded=True)
    with pytest.raises(OperationFailed):
        operations.perform(stage.store, _event("Patch", **body))


def test_a_patch_changes_the_status_as_well() -> None:
    stage = Stage()
    stage.load([make_node("a", cpu="4")])
    patch = '{"metadata":{"labels":{"gpu":"yes"}},"status":{"allocatable":{"example.com/gpu":"1"}}}'
    operations.perform(stage.store, _event("Patch", **_target("Node", "a", patch=patch)))
    plain = stage.store.get(("v1", "Node"), "a")
    assert plain["metadata"]["labels"]["gpu"] == "yes"
    assert "example.com/gpu" not in plain["status"]["allocatable"]
    body = _target("Node", "a", patch=patch, asRecorded=True)
    told = operations.perform(stage.store, _event("Patch", **body))
    recorded = stage.store.get(("v1", "Node"), "a")
    assert told["patch"]["result"] == recorded
    assert recorded["status"]["allocatable"]["example.com/gpu"] == "1"
    assert recorded["status"]["allocatable"]["cpu"] == "4"


def test_an_object_keeps_its_status_uid_and_times() -> None:
    node = make_node("a")
    node["metadata"] |= {"uid": "u-1", "creationTimestamp": "2025-05-05T05:05:05Z"}
    told = operations.perform(Stage().store, _event("Create", object=node, asRecorded=True))
    metadata = told["create"]["result"]["metadata"]
    assert (metadata["uid"], metadata["creationTimestamp"]) == ("u-1", "2025-05-05T05:05:05Z")


def test_a_pod_that_was_in_no_cluster_is_admitted_and_keeps_its_status() -> None:
    pod = make_pod("web")
    pod["status"] = {"phase": "Succeeded"}
    told = operations.perform(Stage().store, _event("Create", object=pod, asRecorded=True))
    result = told["create"]["result"]
    assert (result["spec"]["priority"], result["status"]["phase"]) == (0, "Succeeded")
