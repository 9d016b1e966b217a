from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import BadRequest, Forbidden, Invalid
from kubestage.objects import conversion
from tests.objects.custom.samples import COUNT, TEXT, struct
from tests.store.samples import DEFINITION, WIDGET, make_store, names, widget, widgets_definition

if TYPE_CHECKING:
    from kubestage.store.store import Store

NAME = "widgets.example.com"
SPEC = struct(["size"], size={**COUNT, "maximum": 10}, mode={**TEXT, "default": "fast"})
SCHEMA = {"openAPIV3Schema": struct(["spec"], spec=SPEC, status=struct(phase=TEXT))}


@pytest.fixture
def store() -> Store:
    made = make_store()
    made.create(widgets_definition(schema=SCHEMA, subresources={"status": {}}))
    return made


def test_a_new_object_is_pruned_and_defaulted(store: Store) -> None:
    given = widget("w", spec={"size": 3, "odd": 1}, top=1)
    created = store.create(given)
    assert created["spec"] == {"size": 3, "mode": "fast"}
    assert "top" not in created
    assert given["spec"] == {"size": 3, "odd": 1}


def test_a_new_object_is_judged(store: Store) -> None:
    with pytest.raises(Invalid) as refused:
        store.create(widget("w", spec={"size": 11}))
    assert refused.value.message == (
        'Widget.example.com "w" is invalid: spec.size: Invalid value: 11: spec.size in body should '
        "be less than or equal to 10"
    )
    assert not store.list(WIDGET).items


def test_a_name_that_is_no_text_is_a_bad_request(store: Store) -> None:
    with pytest.raises(BadRequest, match=r"cannot unmarshal number into Go struct field"):
        store.create({**widget("w", spec={"size": 1}), "metadata": {"name": 5}})
    store.create(widget("w", spec={"size": 1}))
    with pytest.raises(BadRequest, match=r"ObjectMeta\.labels"):
        store.patch(WIDGET, "w", {"metadata": {"labels": {"a": 1}}})
    with pytest.raises(BadRequest, match=r"into Go value of type v1\.ObjectMeta"):
        store.update({**widget("w"), "metadata": 3}, kind=WIDGET, name="w")


def test_another_kind_is_refused_under_its_own_name(store: Store) -> None:
    other = {**widget("w", spec={"size": 1}), "kind": "Other"}
    with pytest.raises(Invalid) as refused:
        store.create(other, kind=WIDGET)
    assert refused.value.message == (
        'Other.example.com "w" is invalid: kind: Invalid value: "Other": must be Widget'
    )


def test_a_patch_is_pruned_judged_and_told_of(store: Store) -> None:
    store.create(widget("w", spec={"size": 3}))
    told: list[str] = []
    patch = {"spec": {"size": 4, "odd": 1, "mode": None}}
    patched = store.patch(WIDGET, "w", patch, field_validation="Warn", warnings=told)
    assert (patched["spec"], told) == ({"size": 4, "mode": "fast"}, ['unknown field "spec.odd"'])
    with pytest.raises(Invalid, match=r"patch: Invalid value: .*: strict decoding error: unknown"):
        store.patch(WIDGET, "w", patch, field_validation="Strict")
    with pytest.raises(Invalid, match=r"spec\.size in body must be of type integer"):
        store.patch(WIDGET, "w", {"spec": {"size": "x"}})


def test_a_status_is_judged_apart(store: Store) -> None:
    store.create(widget("w", spec={"size": 3}))
    with pytest.raises(Invalid, match=r'status\.phase: Invalid value: "integer": phase in body'):
        store.patch(WIDGET, "w", {"status": {"phase": 1}}, subresource="status")
    patch = {"status": {"phase": "On", "odd": 1}, "spec": {"size": 99}}
    done = store.patch(WIDGET, "w", patch, subresource="status")
    assert (done["status"], done["spec"]["size"]) == ({"phase": "On"}, 3)


def test_what_a_changed_schema_forbids_may_stay_as_it_is(store: Store) -> None:
    store.create(widget("w", spec={"size": 9}))
    tight = struct(size={**COUNT, "maximum": 5}, mode=TEXT)
    version = {"schema": {"openAPIV3Schema": struct(spec=tight)}}
    patch = {"spec": {"versions": widgets_definition(**version)["spec"]["versions"]}}
    store.patch(DEFINITION, NAME, patch)
    assert store.patch(WIDGET, "w", {"spec": {"mode": "slow"}})["spec"]["mode"] == "slow"
    with pytest.raises(Invalid, match=r"should be less than or equal to 5"):
        store.patch(WIDGET, "w", {"spec": {"size": 8}})


def test_nothing_is_created_while_the_definition_ends(store: Store) -> None:
    held = widget("w", spec={"size": 1})
    held["metadata"]["finalizers"] = ["x.io/f"]
    store.create(held)
    store.delete(DEFINITION, NAME)
    with pytest.raises(Forbidden) as refused:
        store.create(widget("x", spec={"size": 1}))
    assert refused.value.message == (
        'widgets.example.com "x" is forbidden: create not allowed while custom resource definition '
        "is terminating"
    )


def test_rules_survive_a_copy_of_the_store(store: Store) -> None:
    copied: Store = pickle.loads(pickle.dumps(store))
    assert copied.create(widget("w", spec={"size": 1}))["spec"]["mode"] == "fast"
    with pytest.raises(Invalid):
        copied.create(widget("x", spec={"size": 11}))


def _versions(stored: str) -> list[dict[str, Any]]:
    fields = {"v1": struct(a=TEXT, b=TEXT), "v2": struct(b=TEXT, c={**TEXT, "default": "new"})}
    return [
        {
            "name": name,
            "served": True,
            "storage": name == stored,
            "schema": {"openAPIV3Schema": struct(spec=spec)},
        }
        for name, spec in fields.items()
    ]


V2 = ("example.com/v2", "Widget")


@pytest.fixture
def two_versions() -> Store:
    made = make_store()
    definition = widgets_definition()
    definition["spec"]["versions"] = _versions("v1")
    made.create(definition)
    return made


def test_all_versions_are_stored_as_one(two_versions: Store) -> None:
    two_versions.create(widget("a", spec={"a": "1", "b": "2"}))
    made = {**widget("b", spec={"a": "1", "b": "2"}), "apiVersion": "example.com/v2"}
    two_versions.create(made)
    found = two_versions.list(V2).items
    assert names(found) == ["a", "b"]
    assert {each["apiVersion"] for each in found} == {"example.com/v1"}
    assert found[1]["spec"] == {"b": "2", "c": "new"}


def test_an_object_is_shown_in_the_version_that_is_asked_for(two_versions: Store) -> None:
    stored = two_versions.create(widget("a", spec={"a": "1", "b": "2"}))
    row = two_versions.kinds.get(*V2)
    assert row is not None
    shown = conversion.to_served(row, stored)
    assert (shown["apiVersion"], shown["spec"]) == ("example.com/v2", {"b": "2", "c": "new"})
    assert stored["spec"] == {"a": "1", "b": "2"}


def test_objects_follow_the_version_that_is_stored(two_versions: Store) -> None:
    two_versions.create(widget("a", spec={"b": "2"}))
    two_versions.patch(DEFINITION, NAME, {"spec": {"versions": _versions("v2")}})
    assert two_versions.get(V2, "a")["apiVersion"] == "example.com/v2"
    assert two_versions.get(DEFINITION, NAME)["status"]["storedVersions"] == ["v1", "v2"]
    two_versions.delete(DEFINITION, NAME)
    assert two_versions.kinds.get(*V2) is None
