from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import BadRequest, Conflict, Invalid, NotFound
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
    spec = {"type": "object", "properties": {"colour": {"type": "string"}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    fields = [{"jsonPath": ".spec.colour"}]
    store.create(widgets_definition(schema=schema, selectableFields=fields))
    store.create(widget("a", spec={"colour": "red"}))
    store.create(widget("b", spec={"colour": "blue"}))
    assert names(store.list(WIDGET, field_selector="spec.colour=blue").items) == ["b"]
    with pytest.raises(BadRequest, match=r"field label not supported: spec.size"):
        store.list(WIDGET, field_selector="spec.size=3")


def test_a_changed_definition_changes_the_kind(store: Store) -> None:
    (version,) = widgets_definition(subresources={})["spec"]["versions"]
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


def test_a_definition_is_emptied_whoever_collects_garbage() -> None:
    store = make_store(garbage="manual")
    store.create(widgets_definition())
    store.create(widget("w"))
    ending = store.delete(DEFINITION, NAME)
    assert conditions(ending.object)["Terminating"] == "True"
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


def other_definition(plural: str, **named: Any) -> dict[str, Any]:
    """A definition of the same group, with names of its own unless told otherwise."""
    made = widgets_definition()
    made["metadata"]["name"] = f"{plural}.example.com"
    given = {"plural": plural, "singular": plural[:-1], "kind": plural.title()[:-1]}
    made["spec"]["names"] = {**given, **named}
    return made


def verdict(store: Store, plural: str, kind: str = "NamesAccepted") -> tuple[str, str, str]:
    found = store.get(DEFINITION, f"{plural}.example.com")["status"]["conditions"]
    (each,) = [condition for condition in found if condition["type"] == kind]
    return each["status"], each["reason"], each["message"]


@pytest.mark.parametrize(
    ("named", "reason", "name"),
    [
        ({"kind": "Widget", "listKind": "GadgetList"}, "KindConflict", "Widget"),
        ({"singular": "widget"}, "SingularConflict", "widget"),
        ({"shortNames": ["ok", "widgets"]}, "ShortNamesConflict", "widgets"),
        ({"listKind": "WidgetList"}, "ListKindConflict", "WidgetList"),
    ],
)
def test_a_name_that_is_taken_is_not_accepted(
    store: Store, named: dict[str, Any], reason: str, name: str
) -> None:
    store.create(other_definition("gadgets", **named))
    assert verdict(store, "gadgets") == ("False", reason, f'"{name}" is already in use')
    assert verdict(store, "gadgets", "Established") == (
        "False", "NotAccepted", "not all names are accepted",
    )  # fmt: skip
    assert store.kinds.by_plural("example.com", "v1", "gadgets") is None
    widgets = store.kinds.get(*WIDGET)
    assert widgets is not None
    assert widgets.plural == "widgets"


def test_names_that_become_free_are_accepted(store: Store) -> None:
    store.create(other_definition("gadgets", kind="Widget"))
    store.delete(DEFINITION, NAME)
    assert verdict(store, "gadgets")[0] == "True"
    row = store.kinds.get(*WIDGET)
    assert row is not None
    assert row.plural == "gadgets"


def test_a_changed_name_is_looked_at_anew(store: Store) -> None:
    store.create(other_definition("gadgets"))
    store.patch(DEFINITION, "gadgets.example.com", {"spec": {"names": {"shortNames": ["widget"]}}})
    assert verdict(store, "gadgets")[:2] == ("False", "ShortNamesConflict")
    assert verdict(store, "gadgets", "Established")[0] == "True"
    store.patch(DEFINITION, "gadgets.example.com", {"spec": {"names": {"shortNames": ["gd"]}}})
    changed = store.get(DEFINITION, "gadgets.example.com")
    assert changed["status"]["acceptedNames"]["shortNames"] == ["gd"]
    assert verdict(store, "gadgets")[0] == "True"


def test_other_groups_have_names_of_their_own(store: Store) -> None:
    made = widgets_definition()
    made["metadata"]["name"] = "widgets.other.com"
    made["spec"]["group"] = "other.com"
    store.create(made)
    assert store.kinds.get("other.com/v1", "Widget") is not None


def test_groups_of_the_community_show_their_approval() -> None:
    store = make_store()
    made = widgets_definition()
    made["metadata"] = {
        "name": "widgets.example.k8s.io",
        "annotations": {"api-approved.kubernetes.io": "https://github.com/x/y/pull/1"},
    }
    made["spec"]["group"] = "example.k8s.io"
    store.create(made)
    conditions_of = store.get(DEFINITION, "widgets.example.k8s.io")["status"]["conditions"]
    assert conditions_of[-1]["type"] == "KubernetesAPIApprovalPolicyConformant"
    assert (conditions_of[-1]["status"], conditions_of[-1]["reason"]) == (
        "True", "ApprovedAnnotation",
    )  # fmt: skip
    del made["metadata"]["annotations"]
    with pytest.raises(Invalid, match=r"protected groups must have approval annotation"):
        store.create(made)


def test_the_time_of_a_condition_is_that_of_its_state(store: Store) -> None:
    before = store.get(DEFINITION, NAME)["status"]["conditions"][0]
    store.clock.now_ns += 5_000_000_000
    store.patch(DEFINITION, NAME, {"spec": {"names": {"shortNames": ["wd"]}}})
    changed = store.get(DEFINITION, NAME)["status"]
    assert changed["acceptedNames"]["shortNames"] == ["wd"]
    assert changed["conditions"][0] == before


def test_a_definition_tells_what_it_waits_for(store: Store) -> None:
    held = widget("w")
    held["metadata"]["finalizers"] = ["x.io/f"]
    store.create(held)
    ending = store.delete(DEFINITION, NAME).object
    assert ending["status"]["conditions"][-1]["reason"] == "InstanceDeletionPending"
    assert verdict(store, "widgets", "Terminating") == (
        "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress",
    )  # fmt: skip


def test_a_bad_definition_is_refused(store: Store) -> None:
    with pytest.raises(Invalid, match=r"spec\.scope: Unsupported value"):
        store.create({**other_definition("gadgets"), "spec": {
            **other_definition("gadgets")["spec"], "scope": "Galaxy",
        }})  # fmt: skip
    with pytest.raises(Invalid, match=r"spec\.names\.plural: .*field is immutable"):
        store.patch(DEFINITION, NAME, {"spec": {"names": {"plural": "gadgets"}}})
