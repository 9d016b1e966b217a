"""Claims, classes, budgets, leases, events: rules that the recording meets seldom or never."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import defaulting, strategy
from kubestage.objects.validation import conditions, rules


def make(api_version: str, kind: str, **parts: Any) -> dict[str, Any]:
    meta = {"name": "x", "namespace": "n", "resourceVersion": "1", "uid": "u"}
    return defaulting.stored({"apiVersion": api_version, "kind": kind, "metadata": meta, **parts})


def change(new: dict[str, Any], old: dict[str, Any], subresource: str = "") -> list[str]:
    prepared = strategy.prepare_for_update(new, old, subresource)
    return [str(error) for error in rules.validate_update(prepared, old, subresource)]


def claim(size: str = "1Gi", status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    resources = {"requests": {"storage": size}}
    spec = {"accessModes": ["ReadWriteOnce"], "resources": resources, **spec}
    obj = make("v1", "PersistentVolumeClaim", spec=spec, status=status or {})
    return strategy.prepare_for_update(obj, obj)


BOUND = {"phase": "Bound", "capacity": {"storage": "1Gi"}}


def test_a_bound_claim_may_grow_and_not_shrink_below_what_it_has() -> None:
    old = claim("2Gi", BOUND)
    assert change(claim("3Gi", BOUND), old) == []
    assert change(claim("1500Mi", BOUND), old) == []
    assert change(claim("1Gi", BOUND), old) == [
        ("spec.resources.requests.storage: Forbidden: field can not be less than status.capacity")
    ]


def test_a_claim_is_given_a_class_once() -> None:
    assert change(claim(storageClassName="fast"), claim()) == []
    (text,) = change(claim(storageClassName="fast"), claim(storageClassName="slow"))
    assert '- "StorageClassName": "slow",\n+ "StorageClassName": "fast",' in text


def test_the_class_moves_from_annotation_to_field() -> None:
    old = claim()
    old["metadata"]["annotations"] = {"volume.beta.kubernetes.io/storage-class": "fast"}
    new = {**old, "spec": {**old["spec"], "storageClassName": "fast"}}
    assert change(new, old) == []
    (text,) = change({**old, "metadata": {**old["metadata"], "annotations": {}}}, old)
    assert text.startswith("metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid")


def test_attributes_once_applied_are_not_taken_away() -> None:
    status = {**BOUND, "currentVolumeAttributesClassName": "gold"}
    old = claim(status=status, volumeAttributesClassName="gold")
    (text,) = change(claim(status=status), old)
    assert text.startswith("spec.volumeAttributesClassName: Forbidden: update to nil is forbidden")


def test_what_a_claim_was_given_is_a_storage_amount() -> None:
    old = claim()
    status = {
        "capacity": {"storage": "-1"},
        "allocatedResources": {"cpu": "1"},
        "allocatedResourceStatuses": {"storage": "Foo"},
    }
    assert [text.split(": ")[0:2] for text in change({**old, "status": status}, old, "status")] == [
        ["status.capacity[storage]", "Invalid value"],
        ["status.allocatedResourceStatuses", "Unsupported value"],
        ["status.allocatedResources", "Unsupported value"],
    ]


def event(**parts: Any) -> list[str]:
    obj = make("v1", "Event", involvedObject={"namespace": "n"}, **parts)
    return [error.field for error in rules.validate_create(obj)]


def test_an_event_with_a_time_names_who_reports_it() -> None:
    assert event() == []
    assert event(eventTime="2026-01-01T00:00:00.000000Z") == [
        "reportingComponent",
        "reportingComponent",
        "reportingComponent",
        "reportingInstance",
        "action",
        "reason",
    ]


def test_a_frozen_config_map_stays_as_it_is() -> None:
    old = make("v1", "ConfigMap", immutable=True, data={"a": "b"})
    assert change({**old, "data": {"a": "c"}}, old) == [
        "data: Forbidden: field is immutable when `immutable` is set"
    ]


def test_the_priority_of_a_class_does_not_change() -> None:
    old = make("scheduling.k8s.io/v1", "PriorityClass", value=1)
    old["metadata"].pop("namespace")
    assert change({**old, "value": 2}, old) == [
        "value: Forbidden: may not be changed in an update."
    ]


@pytest.mark.parametrize(
    ("condition", "fields"),
    [
        ({}, []),
        ({"type": "a b"}, ["c[0].type"]),
        ({"status": "Foo"}, ["c[0].status"]),
        ({"reason": "bad reason"}, ["c[0].reason"]),
        ({"reason": ""}, ["c[0].reason"]),
        ({"lastTransitionTime": None}, ["c[0].lastTransitionTime"]),
        ({"observedGeneration": -1}, ["c[0].observedGeneration"]),
        ({"message": "x" * 40_000}, ["c[0].message"]),
    ],
)
def test_a_condition_is_complete(condition: dict[str, Any], fields: list[str]) -> None:
    good = {
        "type": "Ready",
        "status": "True",
        "reason": "Good",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    found = conditions.validate_conditions([{**good, **condition}], "c")
    assert [error.field for error in found] == fields
    twice = conditions.validate_conditions([good, good], "c")
    assert [str(error) for error in twice] == ['c[1].type: Duplicate value: "Ready"']
