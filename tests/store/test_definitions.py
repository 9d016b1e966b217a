from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import BadRequest, Conflict, Invalid, NotFound
from kubestage.store import garbage
from kubestage.store.deletion import DeleteOptions
from tests.store.samples import (
    DEFINITION,
    WIDGET,
    make_store,
    names,
    widget,
    widgets_definition,
)

if TYPE_CHECKING:
    from kubestage.store.store import Store

NAME = "widgets.example.com"


@pytest.fixture
def store() -> Store:
    made = make_store()
    made.create(widgets_definition(subresources={"status": {}}))
    return made


def conditions(definition: dict[str, Any]) -> dict[str, str]:
    return {each["type"]: each["status"] for each in definition["status"]["conditions"]}


def test_a_definition_adds_a_kind(store: Store) -> None:
    created = store.create(widget("w", spec={"any": {"thing": [1]}}))
    assert created["spec"] == {"any": {"thing": [1]}}
    assert created["metadata"]["generation"] == 1
    assert names(store.list(WIDGET).items) == ["w"]
    assert store.kinds.find("widgets")[0].kind == "Widget"


def test_a_definition_is_established(store: Store) -> None:
    definition = store.get(DEFINITION, NAME)
    assert conditions(definition) == {"NamesAccepted": "True", "Established": "True"}
    assert definition["status"]["storedVersions"] == ["v1"]
    assert definition["status"]["acceptedNames"]["kind"] == "Widget"


def test_create_answers_with_the_definition_before_that() -> None:
    created = make_store().create(widgets_definition())
    assert created["status"] == {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": ["v1"],
    }


def test_status_is_apart_where_the_definition_says_so(store: Store) -> None:
    created = store.create(widget("w", spec={"size": 1}, status={"x": 1}))
    assert "status" not in created
    store.patch(WIDGET, "w", {"status": {"x": 2}})
    assert "status" not in store.get(WIDGET, "w")
    both = {"spec": {"size": 9}, "status": {"x": 3}}
    updated = store.patch(WIDGET, "w", both, subresource="status")
    assert (updated["spec"], updated["status"]) == ({"size": 1}, {"x": 3})
    assert updated["metadata"]["generation"] == 1


def test_status_is_a_field_like_any_other_where_it_does_not() -> None:
    store = make_store()
    store.create(widgets_definition())
    assert store.create(widget("w", status={"x": 1}))["status"] == {"x": 1}
    updated = store.patch(WIDGET, "w", {"status": {"x": 2}})
    assert updated["status"] == {"x": 2}
    assert updated["metadata"]["generation"] == 2
    assert "status" not in store.patch(WIDGET, "w", {"status": None})
    with pytest.raises(NotFound):
        store.patch(WIDGET, "w", {"status": {"x": 3}}, subresource="status")


def test_fields_that_a_definition_declares_can_be_selected_by() -> None:
    store = make_store()
    store.create(widgets_definition(selectableFields=[{"jsonPath": ".spec.colour"}]))
    store.create(widget("a", spec={"colour": "red"}))
    store.create(widget("b", spec={"colour": "blue"}))
    assert names(store.list(WIDGET, field_selector="spec.colour=blue").items) == ["b"]
    with pytest.raises(BadRequest, match=r"field label not supported: spec.size"):
        store.list(WIDGET, field_selector="spec.size=3")


def test_a_changed_definition_changes_the_kind(store: Store) -> None:
    version = {"name": "v1", "served": True, "storage": True, "schema": {}, "subresources": {}}
    store.patch(DEFINITION, NAME, {"spec": {"versions": [version]}})
    row = store.kinds.get(*WIDGET)
    assert row is not None
    assert row.subresources == frozenset()


def test_a_definition_takes_its_objects_along(store: Store) -> None:
    store.create(widget("w"))
    store.delete(DEFINITION, NAME)
    assert NAME not in store.read(DEFINITION)
    assert store.kinds.get(*WIDGET) is None
    with pytest.raises(NotFound, match=r"could not find the requested resource"):
        store.list(WIDGET)


def test_a_definition_waits_for_objects_that_are_held(store: Store) -> None:
    held = widget("w")
    held["metadata"]["finalizers"] = ["x.io/f"]
    store.create(held)
    ending = store.delete(DEFINITION, NAME)
    assert conditions(ending.object)["Terminating"] == "True"
    assert store.delete(DEFINITION, NAME).removed is False
    assert store.get(WIDGET, "w")["metadata"]["deletionTimestamp"]
    store.patch(WIDGET, "w", {"metadata": {"finalizers": None}})
    assert NAME not in store.read(DEFINITION)


def test_by_hand_a_definition_stays_until_collected() -> None:
    store = make_store(garbage="manual")
    store.create(widgets_definition())
    store.create(widget("w"))
    store.delete(DEFINITION, NAME)
    assert store.get(WIDGET, "w")
    garbage.collect(store)
    assert store.kinds.get(*WIDGET) is None


def test_a_definition_that_is_not_served_can_go() -> None:
    store = make_store()
    store.create(widgets_definition(served=False))
    assert store.kinds.get(*WIDGET) is None
    store.delete(DEFINITION, NAME)
    assert NAME not in store.read(DEFINITION)


def test_a_finalizer_of_its_own_holds_a_definition(store: Store) -> None:
    store.patch(DEFINITION, NAME, {"metadata": {"finalizers": ["x.io/f"]}})
    store.delete(DEFINITION, NAME)
    assert store.get(DEFINITION, NAME)["metadata"]["finalizers"] == ["x.io/f"]
    store.patch(DEFINITION, NAME, {"metadata": {"finalizers": None}})
    assert NAME not in store.read(DEFINITION)


def test_a_custom_resource_needs_a_name(store: Store) -> None:
    with pytest.raises(Invalid, match=r"name or generateName is required"):
        store.create({"apiVersion": "example.com/v1", "kind": "Widget"})


def test_a_kind_can_come_back(store: Store) -> None:
    store.create(widget("w"))
    version = store.resource_version
    store.delete(DEFINITION, NAME)
    store.create(widgets_definition())
    assert not store.list(WIDGET).items
    store.create(widget("x"))
    told = [event.type for event in store.watch(WIDGET, resource_version=version).poll()]
    assert told == ["DELETED", "ADDED"]


def test_preconditions_and_rehearsals(store: Store) -> None:
    with pytest.raises(Conflict):
        store.delete(DEFINITION, NAME, options=DeleteOptions(uid="x"))
    store.delete(DEFINITION, NAME, options=DeleteOptions(dry_run=True))
    assert "deletionTimestamp" not in store.get(DEFINITION, NAME)["metadata"]
