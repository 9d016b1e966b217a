"""``/openapi/v2``: one document of all kinds, in the words of Swagger 2.0 and in protobuf."""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.objects import kinds
from kubestage.server.openapi.v2 import document, parts, schemas
from kubestage.server.protobuf import wire
from tests.server import calling
from tests.server.discovery.widgets import WIDGETS, widgets

if TYPE_CHECKING:
    from kubestage.aliases import Json

PATH = "/openapi/v2"
PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
WIDGET = "com.example.crud.v2.Widget"
REF = "#/definitions/"
POD = "io.k8s.api.core.v1.Pod"


def swagger(table: kinds.KindTable) -> Json:
    decoded: Json = msgspec.json.decode(document.of(table, "v1").json)
    return decoded


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def custom(schema: Json, **version: Any) -> Json:
    """The definition in v2 of a custom resource with that schema, less what all objects have."""
    definition = msgspec.json.decode(msgspec.json.encode(WIDGETS))
    entry = {"name": "v1", "served": True, "storage": True, **version}
    definition["spec"]["versions"] = [{**entry, "schema": {"openAPIV3Schema": schema}}]
    table = kinds.KindTable()
    table.register(definition)
    found: Json = swagger(table)["definitions"]["com.example.crud.v1.Widget"]
    found.pop("x-kubernetes-group-version-kind")
    for name in ("apiVersion", "kind", "metadata"):
        found.get("properties", {}).pop(name, None)
    return found


def test_every_reference_leads_somewhere() -> None:
    found = swagger(widgets())
    places = {REF + name for name in found["definitions"]}
    places |= {f"#/parameters/{name}" for name in found["parameters"]}
    assert references(found) <= places
    assert found["swagger"] == "2.0"


def test_kinds_are_named_as_published() -> None:
    definitions = swagger(kinds.KindTable())["definitions"]
    pod = definitions[POD]
    assert pod["x-kubernetes-group-version-kind"] == [{"group": "", "version": "v1", "kind": "Pod"}]
    spec = pod["properties"]["spec"]
    assert spec["$ref"] == f"{REF}io.k8s.api.core.v1.PodSpec"
    assert "allOf" not in spec
    assert spec["description"]
    quantity = definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"]
    assert quantity["type"] == "string"
    assert "oneOf" not in quantity


def test_operations_say_what_they_take_and_answer() -> None:
    item = swagger(kinds.KindTable())["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments"]
    assert item["post"]["parameters"][0] == {
        "name": "body",
        "in": "body",
        "required": True,
        "schema": {"$ref": f"{REF}io.k8s.api.apps.v1.Deployment"},
    }
    assert {"$ref": "#/parameters/dryRun"} in item["post"]["parameters"]
    listed = item["get"]["responses"]["200"]["schema"]
    assert listed == {"$ref": f"{REF}io.k8s.api.apps.v1.DeploymentList"}
    named = swagger(kinds.KindTable())["paths"][
        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
    ]
    assert "application/strategic-merge-patch+json" in named["patch"]["consumes"]


def test_custom_resources_come_and_go_with_their_definitions() -> None:
    table = widgets()
    assert swagger(table)["definitions"][WIDGET]["description"] == "A widget."
    table.unregister(WIDGETS)
    assert WIDGET not in swagger(table)["definitions"]


def test_a_changed_definition_costs_one_part() -> None:
    before = parts.of(widgets())
    changed = msgspec.json.decode(msgspec.json.encode(WIDGETS))
    changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = "Other."
    table = kinds.KindTable()
    table.register(changed)
    after = parts.of(table)
    assert sum(one is not other for one, other in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {"type": "object"}),
        (
            {"type": "object", "properties": {"a": {"type": "string", "nullable": True}}},
            {"type": "object", "properties": {"a": {}}},
        ),
        (
            {
                "type": "object",
                "required": ["a", "b"],
                "properties": {
                    "a": {"type": "array", "nullable": True, "items": {"type": "string"}},
                    "b": {"type": "integer", "minimum": 1},
                },
            },
            {
                "type": "object",
                "required": ["b"],
                "properties": {"a": {}, "b": {"type": "integer", "minimum": 1}},
            },
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string", "oneOf": [{"maxLength": 2}]}},
                "not": {"required": ["b"]},
            },
            {"type": "object", "properties": {"a": {"type": "string"}}},
        ),
        (
            {
                "type": "object",
                "properties": {
                    "a": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                        "properties": {"b": {"type": "string"}},
                    },
                    "p": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}]},
                },
            },
            {
                "type": "object",
                "properties": {
                    "a": {"x-kubernetes-preserve-unknown-fields": True},
                    "p": {"x-kubernetes-int-or-string": True},
                },
            },
        ),
    ],
    ids=["open", "nullable", "required", "alternatives", "open-inside"],
)
def test_custom_schemas_lose_what_v2_has_no_words_for(given: Json, shown: Json) -> None:
    assert custom(given) == shown


def test_an_embedded_object_has_the_fields_of_every_object() -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True}
    found = custom({"type": "object", "properties": {"of": embedded}})["properties"]["of"]
    assert set(found["properties"]) == {"apiVersion", "kind", "metadata"}
    assert found["required"] == ["kind", "apiVersion"]


def test_fields_that_can_be_selected_by_are_named() -> None:
    found = custom({"type": "object"}, selectableFields=[{"jsonPath": ".spec.color"}])
    assert found["x-kubernetes-selectable-fields"] == [{"fieldPath": "spec.color"}]


def _entries(data: bytes) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for number, _, value in wire.entries(data):
        found.setdefault(number, []).append(value)
    return found


def test_the_protobuf_form_has_the_same_definitions_and_paths() -> None:
    whole = document.of(widgets(), "v1")
    found, as_json = _entries(whole.protobuf), msgspec.json.decode(whole.json)
    assert found[1] == [b"2.0"]
    named = [_entries(each) for each in _entries(found[9][0])[1]]
    assert {each[1][0].decode() for each in named} == set(as_json["definitions"])
    assert len(_entries(found[8][0])[2]) == len(as_json["paths"])
    pod = _entries(next(each[2][0] for each in named if each[1][0].decode() == POD))
    assert pod[4][0].decode() == as_json["definitions"][POD]["description"]
    properties = {
        _entries(each)[1][0].decode(): _entries(_entries(each)[2][0])
        for each in _entries(pod[25][0])[1]
    }
    assert properties["spec"][1] == [f"{REF}io.k8s.api.core.v1.PodSpec".encode()]
    assert _entries(properties["kind"][22][0])[1] == [b"string"]


def test_clients_choose_the_form_and_read_it_once() -> None:
    async def story() -> None:
        app = calling.application()
        plain = await calling.call(app, "GET", PATH)
        assert POD in plain.json["definitions"]
        (etag,) = plain.header("etag")
        packed = await calling.call(app, "GET", PATH, headers={"accept-encoding": "gzip"})
        assert gzip.decompress(packed.body) == plain.body
        again = await calling.call(app, "GET", PATH, headers={"if-none-match": etag})
        assert (again.status, again.body) == (304, b"")
        encoded = await calling.call(app, "GET", PATH, headers={"accept": PROTOBUF})
        assert encoded.header("content-type") == [document.PROTOBUF.decode()]
        assert encoded.header("etag") == [etag]
        assert encoded.body.startswith(b"\x0a\x032.0")
        refused = await calling.call(app, "GET", PATH, headers={"accept": "text/html"})
        assert refused.status == 406
        assert refused.header("content-type") == ["text/plain; charset=utf-8"]
        assert b"Available representations: application/json, " in refused.body

    asyncio.run(story())


def test_a_reference_beside_others_keeps_its_words() -> None:
    given = {"allOf": [{"$ref": "#/components/schemas/a.B"}], "description": "Why."}
    assert schemas.convert("x", given) == {"$ref": f"{REF}a.B", "description": "Why."}
