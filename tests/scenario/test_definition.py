"""The definition says of the kind what the type table, the columns and the readers say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.objects import kinds, schema
from kubestage.objects.schema import Form
from kubestage.objects.tables import custom
from kubestage.objects.validation import rules, structural
from kubestage.scenario import definition, resource
from kubestage.scenario.settings import Detail, Settings
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from kubestage.testing import make_node, make_pod
from tests.scenario.building import (
    NODE,
    create,
    delete,
    done,
    happenings,
    importance,
    important,
    patch,
    run,
    scenario,
    status,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json

TYPES = {
    Form.STRING: "string", Form.BOOL: "boolean", Form.INTEGER: "integer", Form.LIST: "array",
    Form.MAP: "object", Form.STRUCT: "object", Form.OPAQUE: "object", Form.FLOAT: "number",
}  # fmt: skip
OPEN = "x-kubernetes-preserve-unknown-fields"


def _version() -> Json:
    (version,) = definition.custom_resource_definition()["spec"]["versions"]
    assert isinstance(version, dict)
    return version


def _differences(of: schema.Type, said: Json, path: str) -> list[str]:
    """Where schema and type table disagree."""
    bare = of.bare
    wanted = "string" if bare.name == "meta/v1.Duration" else TYPES[bare.form]
    found = [] if said.get("type") == wanted else [f"{path}: {said.get('type')}, not {wanted}"]
    if of.form is Form.POINTER and not said.get("nullable"):
        found.append(f"{path}: null is refused")
    if bare.form is Form.INTEGER and said.get("format") != bare.name:
        found.append(f"{path}: format {said.get('format')}, not {bare.name}")
    if bare.name == "runtime.Unstructured" and not said.get(OPEN):
        found.append(f"{path}: fields would be dropped")
    if bare.form is Form.LIST:
        assert bare.element is not None
        found += _differences(bare.element, said["items"], f"{path}[]")
    if bare.form is Form.MAP:
        assert bare.element is not None
        found += _differences(bare.element, said["additionalProperties"], f"{path}.*")
    if bare.form is Form.STRUCT and not said.get(OPEN):
        found += _of_fields(bare.struct, said["properties"], path)
    return found


def _of_fields(struct: schema.Struct, said: Json, path: str) -> list[str]:
    found = [f"{path}: {sorted(said.keys() ^ struct.by_json.keys())}"]
    if said.keys() == struct.by_json.keys():
        found = []
    for name in said.keys() & struct.by_json.keys():
        field, where = struct.by_json[name], f"{path}.{name}"
        if field.list_type != said[name].get("x-kubernetes-list-type"):
            found.append(f"{where}: list type {field.list_type}")
        if list(field.list_map_keys) != said[name].get("x-kubernetes-list-map-keys", []):
            found.append(f"{where}: list keys {field.list_map_keys}")
        found += _differences(field.type, said[name], where)
    return found


def test_the_schema_has_the_fields_of_the_type_table_and_no_others() -> None:
    said = _version()["schema"]["openAPIV3Schema"]["properties"]
    struct = schema.own_struct(*resource.SCENARIO)
    assert struct is not None
    assert said.keys() == struct.by_json.keys()
    for part in ("spec", "status"):
        assert _differences(struct.by_json[part].type, said[part], part) == []


def _lists(said: Json) -> list[Json]:
    below = [
        *said.get("properties", {}).values(),
        said.get("items"),
        said.get("additionalProperties"),
    ]
    found = [each for part in below if part for each in _lists(part)]
    return [said, *found] if said["type"] == "array" else found


def test_lists_with_keys_need_them_or_have_a_default() -> None:
    keyed = [each for each in _lists(_version()["schema"]["openAPIV3Schema"]) if
             each.get("x-kubernetes-list-type") == "map"]  # fmt: skip
    assert len(keyed) == 3
    for each in keyed:
        items = each["items"]
        for key in each["x-kubernetes-list-map-keys"]:
            assert key in items.get("required", ()) or "default" in items["properties"][key]


def test_names_scope_and_subresources_are_those_of_the_kind_table() -> None:
    table = kinds.KindTable()
    built_in = table.of(scenario())
    (defined,) = table.register(definition.custom_resource_definition())
    assert defined == built_in


def test_columns_are_those_that_a_table_shows() -> None:
    shown = [{"priority": 0, **each} for each in _version()["additionalPrinterColumns"]]
    assert shown == custom.OWN[resource.SCENARIO]


def test_a_cluster_takes_the_definition_and_serves_the_kind_as_before() -> None:
    store = Store(Clock(), Streams(1))
    store.create(definition.custom_resource_definition())
    made = store.create(scenario(done()))
    assert rules.validate_create(made) == []
    store.delete(("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
                 "scenarios.simulation.kube-scheduler-simulator.x-k8s.io")  # fmt: skip
    assert store.create(scenario(done(), name="after"))["metadata"]["name"] == "after"


@pytest.mark.parametrize("detail", list(Detail))
def test_the_schema_knows_every_field_that_a_run_writes(detail: Detail) -> None:
    stage = run(
        importance(),
        create(make_node("n", cpu="1"), 0),
        create(make_pod("low", cpu="1"), 0),
        patch(NODE, "n", {"metadata": {"labels": {"a": "b"}}}, 1),
        create(important("high", cpu="1"), 2),
        create(make_pod("waiting", cpu="1"), 3),
        delete(NODE, "n", 4),
        done(5),
        settings=Settings(detail=detail),
    )
    told = {event["operation"] for event in happenings(stage)}
    assert told == {
        "Create", "Patch", "Delete", "Done", "PodScheduled", "PodUnscheduled", "PodPreempted"
    }  # fmt: skip
    schema = _version()["schema"]["openAPIV3Schema"]["properties"]["status"]
    assert structural.validate_strictly(schema, status(stage), "status") == []


def test_a_definition_that_is_changed_changes_no_other() -> None:
    definition.custom_resource_definition()["spec"]["versions"].clear()
    assert _version()["name"] == "v1alpha1"
