from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers import ownership, pod_control
from kubestage.errors import ApiError, Forbidden, NotFound
from kubestage.stage import Stage
from kubestage.store.event_recorder import EventRecorder
from kubestage.testing import make_pod, make_replica_set
from tests.controllers.stages import events

if TYPE_CHECKING:
    from kubestage.aliases import Json

_POD = ("v1", "Pod")


def _stage() -> tuple[Stage, Json, pod_control.PodControl]:
    stage = Stage()
    owner = stage.store.create(make_replica_set("web", replicas=3))
    recorder = EventRecorder(stage.store, "tester")
    return stage, owner, pod_control.PodControl(stage.store, recorder)


def _limit(stage: Stage, pods: int) -> None:
    hard = {"pods": str(pods)}
    stage.store.create(
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "q", "namespace": "default"},
            "spec": {"hard": hard},
        }
    )
    status = {"hard": hard, "used": {"pods": "0"}}
    stage.store.record_status(("v1", "ResourceQuota"), "default/q", status)


def test_a_pod_takes_labels_annotations_and_finalizers_from_the_template() -> None:
    _, owner, _ = _stage()
    template = make_pod("ignored", labels={"app": "web"}, annotations={"a": "b"})
    template["metadata"]["finalizers"] = ["example.com/keep"]
    pod = pod_control.from_template(template, owner)
    assert pod["metadata"] == {
        "generateName": "web-",
        "namespace": "default",
        "labels": {"app": "web"},
        "annotations": {"a": "b"},
        "finalizers": ["example.com/keep"],
        "ownerReferences": [ownership.controller_reference(owner)],
    }
    assert pod["spec"] == template["spec"]


def test_a_dash_is_added_where_there_is_room_for_it() -> None:
    assert pod_control.prefix("web") == "web-"
    assert pod_control.prefix("w" * 254) == "w" * 254


def test_a_creation_is_told() -> None:
    stage, owner, control = _stage()
    pod = control.create(pod_control.from_template(owner["spec"]["template"], owner), owner)
    name = pod["metadata"]["name"]
    assert events(stage) == [("SuccessfulCreate", f"Created pod: {name}", 1)]


def test_a_refusal_is_told_and_passed_on() -> None:
    stage, owner, control = _stage()
    _limit(stage, 0)
    pod = pod_control.from_template(owner["spec"]["template"], owner)
    with pytest.raises(Forbidden) as caught:
        control.create(pod, owner)
    assert events(stage) == [("FailedCreate", f"Error creating: {caught.value.message}", 1)]


def test_of_many_a_refusal_is_told_first_and_the_first_is_given_back() -> None:
    stage, owner, control = _stage()
    _limit(stage, 2)
    pod = pod_control.from_template(owner["spec"]["template"], owner)
    refusal = control.create_many(pod, owner, 4)
    told = [reason for reason, _, _ in events(stage)]
    assert told == ["FailedCreate", "FailedCreate", "SuccessfulCreate", "SuccessfulCreate"]
    assert refusal is not None
    assert events(stage)[0][1] == f"Error creating: {refusal.message}"
    assert len(stage.store.read(_POD)) == 2


def test_in_a_namespace_that_is_about_to_go_nothing_is_told() -> None:
    stage, owner, control = _stage()
    stage.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "end"}})
    stage.store.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "c", "namespace": "end", "finalizers": ["example.com/keep"]},
        }
    )
    stage.store.delete(("v1", "Namespace"), "end")
    pod = {**make_pod("a", namespace="end")}
    with pytest.raises(ApiError) as caught:
        control.create(pod, owner)
    assert pod_control.is_namespace_ending(caught.value)
    assert control.create_many(pod, owner, 2) is None
    assert events(stage) == []


def test_a_deletion_is_told_and_of_a_pod_that_is_gone_nothing() -> None:
    stage, owner, control = _stage()
    pod = stage.store.create(make_pod("a"))
    control.delete(pod, owner)
    assert events(stage) == [("SuccessfulDelete", "Deleted pod: a", 1)]
    with pytest.raises(NotFound):
        control.delete(pod, owner)
    assert len(events(stage)) == 1
