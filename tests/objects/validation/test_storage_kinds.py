from __future__ import annotations

from typing import Any

from tests.objects.validation.judging import changes, make, problems

STORAGE = "storage.k8s.io/v1"


def capacity(**parts: Any) -> dict[str, Any]:
    parts = {"storageClassName": "s", **parts}
    return make(STORAGE, "CSIStorageCapacity", namespaced=True, **parts)


def attributes_class(**parts: Any) -> dict[str, Any]:
    parts = {"driverName": "d.x", "parameters": {"iops": "1"}, **parts}
    return make(STORAGE, "VolumeAttributesClass", **parts)


def test_a_capacity_is_of_a_class_and_not_negative() -> None:
    assert problems(capacity(capacity="1Gi")) == []
    assert problems(capacity(capacity="-1")) == [
        'capacity: Invalid value: "-1": must be greater than or equal to 0'
    ]
    (text,) = problems(capacity(storageClassName=""))
    assert text.startswith('storageClassName: Invalid value: "": a lowercase RFC 1123 subdomain')


def test_what_a_capacity_is_about_stays() -> None:
    old = capacity(nodeTopology={"matchLabels": {"a": "b"}})
    same = capacity(nodeTopology={"matchLabels": {"a": "b"}}, capacity="1")
    assert changes(same, old) == []
    assert changes(capacity(storageClassName="t"), old) == [
        "nodeTopology: Invalid value: null: field is immutable",
        'storageClassName: Invalid value: "t": field is immutable',
    ]


def test_a_selector_that_was_wrong_may_stay_wrong() -> None:
    wrong = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["?"]}]}
    assert len(problems(capacity(nodeTopology=wrong))) == 1
    assert changes(capacity(nodeTopology=wrong, capacity="1"), capacity(nodeTopology=wrong)) == []


def test_a_class_of_attributes_has_some_for_a_driver() -> None:
    assert problems(attributes_class()) == []
    assert problems(attributes_class(driverName="", parameters={})) == [
        "driverName: Required value",
        "parameters: Required value: must contain at least one key/value pair",
    ]


def test_a_class_of_attributes_keeps_them() -> None:
    assert changes(attributes_class(), attributes_class()) == []
    assert changes(
        attributes_class(driverName="e.x", parameters={"a": "b"}), attributes_class()
    ) == [
        "driverName: Forbidden: updates to driverName are forbidden.",
        "parameters: Forbidden: updates to parameters are forbidden.",
    ]


def test_faults_of_metadata_are_told_with_the_others() -> None:
    wrong = {"labels": {"a": "?"}}
    first, second = problems(attributes_class(metadata=wrong, driverName=""))
    assert first.startswith('metadata.labels: Invalid value: "?"')
    assert second == "driverName: Required value"
    first, second = problems(capacity(metadata=wrong, capacity="-1"))
    assert first.startswith('metadata.labels: Invalid value: "?"')
    assert second.startswith("capacity: Invalid value")
