from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scheduler import property_changes
from kubestage.scheduler.cluster_events import ActionType, EventResource
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

POD = make_pod("web", cpu="1", memory="1Gi", labels={"app": "web"})
NODE = make_node("n1", labels={"disk": "ssd"}, taints=["dedicated=db:NoSchedule"])


def changed(obj: Json, path: str, value: Any) -> Json:
    """A copy with one field set; None removes it."""
    fresh = copy.deepcopy(obj)
    *steps, last = path.split(".")
    part: Any = fresh
    for step in steps:
        part = part[int(step)] if step.isdigit() else part.setdefault(step, {})
    if value is None:
        part.pop(last, None)
    else:
        part[last] = value
    return fresh


REQUESTS = "spec.containers.0.resources.requests"


@pytest.mark.parametrize(
    ("path", "value", "actions"),
    [
        ("metadata.labels", {"app": "db"}, [ActionType.UPDATE_POD_LABEL]),
        (f"{REQUESTS}.cpu", "900m", [ActionType.UPDATE_POD_SCALE_DOWN]),
        (f"{REQUESTS}.memory", None, [ActionType.UPDATE_POD_SCALE_DOWN]),
        (f"{REQUESTS}.cpu", "2", [ActionType.UPDATE]),
        (f"{REQUESTS}.cpu", "1000m", [ActionType.UPDATE]),
        ("spec.tolerations", [{"operator": "Exists"}], [ActionType.UPDATE_POD_TOLERATION]),
        (
            "status.resourceClaimStatuses",
            [{"name": "gpu", "resourceClaimName": "web-gpu"}],
            [ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM],
        ),
        ("status.phase", "Running", [ActionType.UPDATE]),
        ("metadata.annotations", {"a": "b"}, [ActionType.UPDATE]),
    ],
)
def test_a_pod_update_is_told_as_specially_as_possible(
    path: str, value: Any, actions: list[ActionType]
) -> None:
    events = property_changes.of_pod(POD, changed(POD, path, value))
    assert [event.action for event in events] == actions
    assert {event.resource for event in events} == {EventResource.UNSCHEDULED_POD}


def test_the_last_gate_that_goes_is_an_event_and_others_are_not() -> None:
    two = changed(POD, "spec.schedulingGates", [{"name": "a"}, {"name": "b"}])
    one = changed(POD, "spec.schedulingGates", [{"name": "a"}])
    gone = ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED
    assert [each.action for each in property_changes.of_pod(two, one)] == [ActionType.UPDATE]
    assert [each.action for each in property_changes.of_pod(one, POD)] == [gone]


def test_several_changes_are_several_events_and_a_pod_with_a_node_is_an_assigned_one() -> None:
    old = changed(POD, "spec.nodeName", "n1")
    new = changed(changed(old, "metadata.labels", None), f"{REQUESTS}.cpu", "500m")
    events = property_changes.of_pod(old, new)
    assert [event.action for event in events] == [
        ActionType.UPDATE_POD_LABEL,
        ActionType.UPDATE_POD_SCALE_DOWN,
    ]
    assert {event.resource for event in events} == {EventResource.ASSIGNED_POD}


def test_a_resize_that_the_node_has_carried_out_is_a_scale_down() -> None:
    resources = {"requests": {"cpu": "1", "memory": "1Gi"}}
    statuses = [
        {"name": "app", "resources": resources, "allocatedResources": resources["requests"]}
    ]
    wanted = changed(POD, f"{REQUESTS}.cpu", "500m")
    before = changed(wanted, "status.containerStatuses", statuses)
    smaller = {"cpu": "500m", "memory": "1Gi"}
    done = [{"name": "app", "resources": {"requests": smaller}, "allocatedResources": smaller}]
    after = changed(wanted, "status.containerStatuses", done)
    events = property_changes.of_pod(before, after)
    assert [event.action for event in events] == [ActionType.UPDATE_POD_SCALE_DOWN]


@pytest.mark.parametrize(
    ("path", "value", "actions"),
    [
        ("status.allocatable.cpu", "8", [ActionType.UPDATE_NODE_ALLOCATABLE]),
        ("status.allocatable.cpu", "4000m", []),
        ("metadata.labels", {}, [ActionType.UPDATE_NODE_LABEL]),
        ("metadata.annotations", {"a": "b"}, [ActionType.UPDATE_NODE_ANNOTATION]),
        ("spec.taints", None, [ActionType.UPDATE_NODE_TAINT]),
        ("spec.unschedulable", True, []),
        ("status.declaredFeatures", ["X"], [ActionType.UPDATE_NODE_DECLARED_FEATURE]),
        ("status.images", [{"names": ["a"]}], []),
        (
            "status.conditions",
            [{"type": "Ready", "status": "Unknown"}],
            [ActionType.UPDATE_NODE_CONDITION],
        ),
        (
            "status.conditions",
            [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}],
            [],
        ),
    ],
)
def test_a_node_update_is_an_event_only_if_it_matters(
    path: str, value: Any, actions: list[ActionType]
) -> None:
    events = property_changes.of_node(NODE, changed(NODE, path, value))
    assert [event.action for event in events] == actions


def test_a_node_that_takes_pods_again_is_told_as_a_taint_that_went() -> None:
    cordoned = changed(NODE, "spec.unschedulable", True)
    events = property_changes.of_node(cordoned, NODE)
    assert [event.action for event in events] == [ActionType.UPDATE_NODE_TAINT]
