"""Kinds that are served in another version than they are stored in."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from kubestage.errors import BadRequest, Conflict, Invalid, NotFound
from kubestage.objects import conversion
from tests.store.samples import make_store

CORE = ("v1", "Event")
NEW = ("events.k8s.io/v1", "Event")
V1 = ("autoscaling/v1", "HorizontalPodAutoscaler")
V2 = ("autoscaling/v2", "HorizontalPodAutoscaler")


def event(name: str = "e", **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": name},
        "eventTime": "2024-01-01T00:00:00.000000Z",
        "action": "Act",
        "reason": "R",
        "note": "hello",
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "reportingController": "a.b/c",
        "reportingInstance": "i",
        "type": "Normal",
        **fields,
    }


def autoscaler(**spec: Any) -> dict[str, Any]:
    target = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "h"},
        "spec": {"scaleTargetRef": target, "maxReplicas": 3, **spec},
    }


def test_one_object_is_found_under_both_names() -> None:
    store = make_store()
    made = store.create(event())
    assert made["apiVersion"] == "v1"
    assert made["message"] == "hello"
    assert store.get(CORE, "e") is store.get(NEW, "e") is made
    assert store.list(NEW).items == store.list(CORE).items == [made]
    assert [each.kind.api_version for each in store.collections()].count("v1") >= 1
    assert not any(each.kind.group == "events.k8s.io" for each in store.collections())


def test_a_watch_of_either_sees_the_changes_of_both() -> None:
    store = make_store()
    watches = [store.watch(CORE), store.watch(NEW)]
    store.create(event())
    store.delete(NEW, "e")
    seen = [[(each.type, each.object["kind"]) for each in watch.poll()] for watch in watches]
    assert seen == [[("ADDED", "Event"), ("DELETED", "Event")]] * 2


def test_fields_are_selected_by_the_names_of_the_served_kind() -> None:
    store = make_store()
    store.create(event("a"))
    store.create(event("b", regarding={"kind": "Pod", "name": "q", "namespace": "default"}))
    chosen = store.list(NEW, field_selector="regarding.name=q,reportingController=a.b/c").items
    assert [each["metadata"]["name"] for each in chosen] == ["b"]
    with pytest.raises(BadRequest, match=r"field label not supported: involvedObject.name"):
        store.list(NEW, field_selector="involvedObject.name=q")
    with pytest.raises(BadRequest, match=r"field label not supported: regarding.name"):
        store.list(CORE, field_selector="regarding.name=q")


def test_the_version_of_the_request_says_how_strict_the_rules_are() -> None:
    store = make_store()
    bare = event()
    for key in ("eventTime", "action", "type", "reportingController", "reportingInstance"):
        del bare[key]
    with pytest.raises(Invalid) as refusal:
        store.create(bare)
    assert refusal.value.message == (
        'Event "e" is invalid: [eventTime: Required value, type: Invalid value: "": has invalid '
        "value: ]"
    )
    row = store.kind(NEW)
    store.create(conversion.to_stored(row, bare))


def test_such_an_event_goes_on_only_in_its_series() -> None:
    store = make_store()
    store.create(event())
    series = {"count": 2, "lastObservedTime": "2024-01-01T00:01:00.000000Z"}
    assert store.patch(NEW, "e", {"series": series})["series"] == series
    with pytest.raises(Invalid) as refusal:
        store.patch(NEW, "e", {"note": "other"})
    assert refusal.value.message == (
        'Event "e" is invalid: message: Invalid value: "other": field is immutable'
    )
    # By way of the core group, it may say something else.
    assert store.patch(CORE, "e", {"message": "other"})["message"] == "other"


def test_refusals_name_the_kind_that_was_asked_for() -> None:
    store = make_store()
    with pytest.raises(NotFound, match=r'events\.events\.k8s\.io "e" not found'):
        store.get(NEW, "e")
    store.create(event())
    stale = event(metadata={"name": "e", "resourceVersion": "1"})
    with pytest.raises(Conflict, match=r'cannot be fulfilled on events\.events\.k8s\.io "e"'):
        store.update(stale)


def test_an_update_through_the_older_version_keeps_what_that_cannot_say() -> None:
    store = make_store()
    made = store.create(autoscaler(targetCPUUtilizationPercentage=50))
    assert made["apiVersion"] == "autoscaling/v2"
    memory = {
        "type": "Resource",
        "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}},
    }
    store.patch(V2, "h", {"spec": {"metrics": [*made["spec"]["metrics"], memory]}})
    changed = store.patch(V1, "h", {"spec": {"targetCPUUtilizationPercentage": 60}})
    assert changed["spec"]["metrics"][0] == memory
    assert changed["spec"]["metrics"][1]["resource"]["target"]["averageUtilization"] == 60
    assert "annotations" not in changed["metadata"]


def test_a_recorded_object_of_the_older_version_is_loaded() -> None:
    store = make_store()
    loaded = store.load({**autoscaler(), "status": {"currentReplicas": 1, "desiredReplicas": 2}})
    assert loaded["apiVersion"] == "autoscaling/v2"
    assert loaded["status"]["desiredReplicas"] == 2


def test_a_store_with_such_objects_pickles() -> None:
    store = make_store()
    store.create(event())
    copy = pickle.loads(pickle.dumps(store))
    copy.create(event("f"))
    assert [each["metadata"]["name"] for each in copy.list(CORE).items] == ["e", "f"]


def test_a_name_means_the_stored_kind_unless_the_other_is_spelt_out() -> None:
    table = make_store().kinds
    assert [row.api_version for row in table.find("events")] == ["v1"]
    assert [row.api_version for row in table.find("hpa")] == ["autoscaling/v2"]
    assert [row.api_version for row in table.find("events.events.k8s.io")] == ["events.k8s.io/v1"]
    assert all(row.stored_as is None for row in table.find("all"))
