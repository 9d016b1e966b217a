"""Create, Patch, Delete and Done: what each does to the cluster, and what the timeline tells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Invalid
from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import NODE, POD, create, delete, done, patch

if TYPE_CHECKING:
    from kubestage.aliases import Json

LABEL = {"metadata": {"labels": {"x": "2"}}}


def _only(*events: Json, **options: Any) -> Json:
    """What the timeline tells of the last event."""
    stage = building.run(*events, **options)
    assert building.phase(stage) == "Paused", building.message(stage)
    found = [each for each in building.happenings(stage) if each["id"] == events[-1]["id"]]
    assert len(found) == 1
    return found[0]


def _failure(*events: Json) -> str:
    stage = building.run(*events)
    assert building.phase(stage) == "Failed"
    return building.message(stage)


def test_create_tells_the_operation_and_the_object_as_it_is_stored() -> None:
    """CreateOperationResult: the operation that was done, and the resource after it."""
    event = create(make_pod("p", cpu="9"))
    told = _only(event)
    assert set(told) == {"id", "step", "operation", "create"}
    assert told["create"]["operation"] == event["createOperation"]
    result = told["create"]["result"]
    assert result["metadata"]["uid"]
    assert result["spec"]["schedulerName"] == "default-scheduler"
    assert result["status"]["phase"] == "Pending"


def test_create_generates_a_name_where_none_is_given() -> None:
    """The timeline tells the name; the operation stays as it was written."""
    pod = make_pod("")
    pod["metadata"] = {"generateName": "web-", "namespace": "default"}
    told = _only(create(pod))
    assert told["create"]["result"]["metadata"]["name"].startswith("web-")
    assert "name" not in told["create"]["operation"]["object"]["metadata"]


def test_create_takes_the_default_namespace_where_none_is_given() -> None:
    pod = make_pod("p")
    del pod["metadata"]["namespace"]
    assert _only(create(pod))["create"]["result"]["metadata"]["namespace"] == "default"


def test_create_forgets_the_status_of_what_a_client_may_not_say() -> None:
    """As for any client: a pod begins as Pending."""
    pod = make_pod("p", phase="Running")
    assert _only(create(pod))["create"]["result"]["status"]["phase"] == "Pending"


def test_create_as_recorded_keeps_status_uid_and_times() -> None:
    """Our extension: the object is put there as it was."""
    pod = make_pod("p", node_name="n1", phase="Running")
    pod["metadata"] |= {"uid": "u-1", "creationTimestamp": "2020-02-02T02:02:02Z"}
    result = _only(create(make_node("n1")), create(pod, asRecorded=True))["create"]["result"]
    assert result["metadata"]["uid"] == "u-1"
    assert result["metadata"]["creationTimestamp"] == "2020-02-02T02:02:02Z"
    assert result["status"]["phase"] == "Running"


@pytest.mark.parametrize(
    ("obj", "told"),
    [
        ({**make_pod("p"), "kind": "Pot"}, "Pot"),
        ({**make_pod("p"), "apiVersion": "v7"}, "v7"),
        (make_pod("No_Good"), "No_Good"),
        (make_pod("p", cpu="much"), "requests[cpu]"),
        (make_pod("p", priority_class_name="nowhere"), "nowhere"),
    ],
)
def test_an_object_that_is_refused_fails_the_scenario(obj: Json, told: str) -> None:
    """ScenarioFailed: the controller cannot create resource for some reason."""
    event = {**create(obj), "id": "bad"}
    message = _failure(event)
    assert message.startswith('event "bad": ')
    assert told in message


def test_an_object_that_is_there_already_fails_the_scenario() -> None:
    again = {**create(make_node("n1")), "id": "again"}
    assert _failure(create(make_node("n1")), again) == 'event "again": nodes "n1" already exists'


@pytest.mark.parametrize("text", [json.dumps(LABEL), "metadata:\n  labels:\n    x: '2'\n"])
@pytest.mark.parametrize("patch_type", [None, "merge", "strategic", "application/merge-patch+json"])
def test_a_patch_is_json_or_yaml(text: str, patch_type: str | None) -> None:
    more: Json = {} if patch_type is None else {"patchType": patch_type}
    event = patch(POD, "p", text, **more)
    told = _only(create(make_pod("p", labels={"a": "1"})), event)
    assert set(told) == {"id", "step", "operation", "patch"}
    assert told["patch"]["operation"] == event["patchOperation"]
    assert told["patch"]["result"]["metadata"]["labels"] == {"a": "1", "x": "2"}


@pytest.mark.parametrize("patch_type", [None, "json", "application/json-patch+json"])
def test_a_list_of_operations_is_a_json_patch(patch_type: str | None) -> None:
    more: Json = {} if patch_type is None else {"patchType": patch_type}
    change = [{"op": "replace", "path": "/metadata/labels/a", "value": "2"}]
    told = _only(create(make_pod("p", labels={"a": "1"})), patch(POD, "p", change, **more))
    assert told["patch"]["result"]["metadata"]["labels"] == {"a": "2"}


def test_without_a_type_a_patch_merges_lists_as_kubectl_does() -> None:
    """Strategic where the kind has a shape: containers are merged by name."""
    change = {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "new:2"}]}}}}
    workload = create(make_deployment("web", cpu="1"))
    merged = _only(workload, patch(building.DEPLOYMENT, "web", change))
    (container,) = merged["patch"]["result"]["spec"]["template"]["spec"]["containers"]
    assert (container["image"], container["resources"]) == ("new:2", {"requests": {"cpu": "1"}})
    replaced = _only(workload, patch(building.DEPLOYMENT, "web", change, patchType="merge"))
    (container,) = replaced["patch"]["result"]["spec"]["template"]["spec"]["containers"]
    assert container.get("resources", {}) == {}


def test_a_patch_of_a_node_counts_in_the_scheduling_of_its_step() -> None:
    """Patches are events of the step as creations are."""
    stage = building.run(
        create(make_node("n1")),
        patch(NODE, "n1", {"spec": {"unschedulable": True}}),
        create(make_pod("p")),
        patch(NODE, "n1", {"spec": {"unschedulable": None}}, 1),
    )
    told = [each for each in building.summary(stage) if each[2] == "p"]
    assert told == [(0, "Create", "p"), (0, "PodUnscheduled", "p"), (1, "PodScheduled", "p")]


@pytest.mark.parametrize(
    ("change", "more", "told"),
    [
        ("", {}, "the patch is empty"),
        ("a: b: c", {}, "neither JSON nor YAML"),
        ("words", {}, "neither an object nor a list"),
        ({"metadata": {"name": "q"}}, {}, "name"),
        ({"spec": {"nodeName": 7}}, {}, "nodeName"),
        ([{"op": "test", "path": "/metadata/name", "value": "q"}], {}, "rejected"),
        ([], {"patchType": "merge"}, 'a patch of type "merge" is an object'),
        ({}, {"patchType": "json"}, 'a patch of type "json" is a list of operations'),
    ],
)
def test_a_patch_that_is_refused_fails_the_scenario(change: Any, more: Json, told: str) -> None:
    message = _failure(create(make_pod("p")), {**patch(POD, "p", change, **more), "id": "bad"})
    assert message.startswith('event "bad": ')
    assert told in message


def test_a_patch_type_that_nobody_knows_is_refused_with_the_scenario() -> None:
    with pytest.raises(Invalid, match="patchType"):
        building.run(patch(POD, "p", LABEL, patchType="application/put"))


def test_delete_tells_the_operation_only() -> None:
    """DeleteOperationResult has nothing but the operation."""
    event = delete(POD, "p", 1)
    told = _only(create(make_pod("p")), event)
    assert told == {
        "id": event["id"],
        "step": 1,
        "operation": "Delete",
        "delete": {"operation": event["deleteOperation"]},
    }


def test_a_deletion_counts_in_the_scheduling_of_its_step() -> None:
    stage = building.run(
        create(make_node("n1", cpu="1")),
        create(make_pod("a", cpu="1")),
        create(make_pod("b", cpu="1"), 1),
        delete(POD, "a", 2),
    )
    assert building.placements(stage) == {"b": "n1"}
    assert building.results(stage, "PodScheduled")["b"]["boundAt"] == 2


@pytest.mark.parametrize("event", [delete(POD, "p"), patch(POD, "p", LABEL)])
def test_what_is_not_there_cannot_be_changed(event: Json) -> None:
    assert _failure({**event, "id": "e"}) == 'event "e": pods "p" not found'


@pytest.mark.parametrize("event", [delete(("v1", "Pot"), "p"), patch(("v1", "Pot"), "p", LABEL)])
def test_what_is_of_no_known_kind_cannot_be_changed(event: Json) -> None:
    assert "Pot" in _failure({**event, "id": "e"})


@pytest.mark.parametrize(
    ("event", "field"),
    [(delete(POD, ""), "deleteOperation"), (patch(POD, "", LABEL), "patchOperation")],
)
def test_what_has_no_name_cannot_be_changed(event: Json, field: str) -> None:
    del event[field]["objectMeta"]["name"]
    assert _failure({**event, "id": "e"}) == 'event "e": objectMeta.name is missing'


def test_done_tells_the_operation() -> None:
    """DoneOperationResult has nothing but the operation."""
    stage = building.run(done(3))
    assert building.happenings(stage) == [
        {"id": "done", "step": 3, "operation": "Done", "done": {"operation": {"done": True}}}
    ]


def test_definitions_and_their_objects_may_be_created_in_one_step() -> None:
    """Custom resources are resources."""
    version = {"name": "v1", "served": True, "storage": True}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{**version, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    }
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}
    told = _only(create(definition), create(widget))
    assert told["create"]["result"]["kind"] == "Widget"
