from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import metadata, names


def created(meta: dict[str, Any], *, namespaced: bool = True) -> list[str]:
    found = metadata.validate_object_meta(meta, namespaced, names.name_is_dns_subdomain)
    return [str(error) for error in found]


def changed(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    full = {"name": "a", "namespace": "n", "resourceVersion": "1", "uid": "u"}
    found = metadata.validate_object_meta_update({**full, **new}, {**full, **old})
    return [str(error) for error in found]


def test_an_object_needs_a_name_and_a_namespace() -> None:
    assert created({}) == [
        "metadata.name: Required value: name or generateName is required",
        "metadata.namespace: Required value",
    ]


def test_a_cluster_scoped_object_has_no_namespace() -> None:
    meta = {"name": "a", "namespace": "n"}
    assert created(meta, namespaced=False) == [
        "metadata.namespace: Forbidden: not allowed on this type"
    ]


def test_a_bad_prefix_is_reported_beside_the_bad_name() -> None:
    found = created({"name": "A", "generateName": "A_b-", "namespace": "n"})
    assert [text.split(":")[0] for text in found] == ["metadata.generateName", "metadata.name"]


def test_annotations_have_keys_of_any_case_and_a_total_size() -> None:
    meta = {"name": "a", "namespace": "n", "annotations": {"Example.COM/Key": "x"}}
    assert created(meta) == []
    meta["annotations"] = {"a": "x" * metadata.ANNOTATIONS_LIMIT}
    assert created(meta) == ["metadata.annotations: Too long: may not be more than 262144 bytes"]


def test_an_owner_is_complete_and_no_event() -> None:
    meta = {"name": "a", "namespace": "n", "ownerReferences": [{"apiVersion": "a/b/c"}]}
    assert [text.split(":")[0] for text in created(meta)] == [
        "metadata.ownerReferences.apiVersion",
        "metadata.ownerReferences.kind",
        "metadata.ownerReferences.name",
        "metadata.ownerReferences.uid",
    ]
    event = {"apiVersion": "v1", "kind": "Event", "name": "x", "uid": "u"}
    assert created({**meta, "ownerReferences": [event]}) == [
        (
            'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"x",'
            '"uid":"u"}: /v1, Kind=Event is disallowed from being an owner'
        )
    ]


def test_only_one_owner_controls() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u", "controller": True}
    meta = {"name": "a", "namespace": "n", "ownerReferences": [owner, {**owner, "name": "y"}]}
    (text,) = created(meta)
    assert text.endswith('Found "true" in references for Pod/x and Pod/y')


@pytest.mark.parametrize("finalizer", ["orphan", "kubernetes", "example.com/x"])
def test_a_finalizer_is_well_known_or_qualified(finalizer: str) -> None:
    assert created({"name": "a", "namespace": "n", "finalizers": [finalizer]}) == []


def test_an_unknown_finalizer_is_refused_by_its_index() -> None:
    meta = {"name": "a", "namespace": "n", "finalizers": ["orphan", "mine"]}
    assert created(meta) == [
        (
            'metadata.finalizers[1]: Invalid value: "mine": name is neither a standard '
            "finalizer name nor is it fully qualified"
        )
    ]


def test_dependents_are_orphaned_or_deleted_not_both() -> None:
    meta = {"name": "a", "namespace": "n", "finalizers": ["orphan", "foregroundDeletion"]}
    (text,) = created(meta)
    assert text.endswith("finalizer orphan and foregroundDeletion cannot be both set")


def test_a_manager_is_short_and_printable() -> None:
    entry = {"operation": "Foo", "fieldsType": "X", "manager": "a\x07", "subresource": "s" * 257}
    found = created({"name": "a", "namespace": "n", "managedFields": [entry]})
    assert found == [
        'metadata.managedFields[0].operation: Invalid value: "Foo": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "X": must be `FieldsV1`',
        (
            'metadata.managedFields[0].manager: Invalid value: "a\\a": invalid character U+0007 '
            "(at position 1)"
        ),
        "metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes",
    ]


@pytest.mark.parametrize(
    ("key", "value"), [("name", "b"), ("namespace", "m"), ("uid", "v"), ("generation", 1)]
)
def test_identity_does_not_change(key: str, value: object) -> None:
    (text,) = changed({key: value}, {"generation": 2} if key == "generation" else {})
    assert text.startswith(f"metadata.{key}: Invalid value")


def test_an_update_says_which_version_it_saw() -> None:
    assert changed({"resourceVersion": ""}, {}) == [
        'metadata.resourceVersion: Invalid value: "": must be specified for an update'
    ]


def test_an_object_being_deleted_gets_no_new_finalizers() -> None:
    old = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a/b"]}
    assert changed({**old, "finalizers": ["a/c", "a/b"]}, old) == [
        (
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
            'deleted, found new finalizers []string{"a/c"}'
        )
    ]
