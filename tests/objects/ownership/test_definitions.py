"""The shape of custom resources, from their definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.ownership import checking, collecting, comparing, definitions, tracking

if TYPE_CHECKING:
    from kubestage.aliases import Json


def version(**properties: Any) -> Json:
    spec = {"type": "object", "properties": properties}
    schema = {"type": "object", "properties": {"spec": spec}}
    return {"name": "v1", "schema": {"openAPIV3Schema": schema}}


def array(kind: str, **more: Any) -> Json:
    return {"type": "array", "x-kubernetes-list-type": kind, **more}


PORT = {
    "type": "object",
    "properties": {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}},
}
KEYS = ["port", "protocol"]


def test_lists_are_what_their_type_says() -> None:
    atom = definitions.of_version(
        version(
            tags=array("set", items={"type": "string"}),
            ports=array("map", items=PORT, **{"x-kubernetes-list-map-keys": KEYS}),
            plain={"type": "array", "items": PORT},
            whole={"type": "object", "x-kubernetes-map-type": "atomic"},
            either={"x-kubernetes-int-or-string": True},
        )
    )
    obj = {
        "apiVersion": "a/v1",
        "metadata": {"labels": {"x": "y"}},
        "spec": {
            "tags": ["a"],
            "ports": [{"port": 1}],
            "plain": [{"port": 1}],
            "whole": {"a": 1},
            "either": "5%",
        },
    }
    assert not checking.check(atom, obj)
    assert collecting.fields_of(atom, obj)["f:spec"] == {
        "f:tags": {'v:"a"': {}},
        "f:ports": {'k:{"port":1,"protocol":"TCP"}': {".": {}, "f:port": {}}},
        "f:plain": {},
        "f:whole": {},
        "f:either": {},
    }


def test_unknown_fields_are_declared_where_they_are_preserved() -> None:
    strict = definitions.of_version(version(a={"type": "object", "properties": {"b": {}}}))
    open_ = {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"b": {}},
    }
    loose = definitions.of_version(version(a=open_))
    obj = {"spec": {"a": {"c": {"d": 1}}}}
    assert str(checking.check(strict, obj)[0]) == ".spec.a.c: field not declared in schema"
    assert not checking.check(loose, obj)
    assert collecting.fields_of(loose, obj) == {"f:spec": {"f:a": {"f:c": {".": {}, "f:d": {}}}}}


def test_values_of_maps_have_the_shape_that_is_said() -> None:
    numbers = {"type": "object", "additionalProperties": {"type": "integer"}}
    atom = definitions.of_version(version(a=numbers))
    assert not checking.check(atom, {"spec": {"a": {"x": 1}}})
    assert checking.check(atom, {"spec": {"a": {"x": "1"}}})


def test_without_a_schema_maps_have_parts_and_lists_have_none() -> None:
    atom = definitions.of_version({"name": "v1"})
    found = comparing.compare(atom, {}, {"spec": {"list": [1], "map": {"a": 1}}})
    assert found.added == {"f:spec": {".": {}, "f:list": {}, "f:map": {".": {}, "f:a": {}}}}


def test_an_embedded_object_has_an_identity() -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"x": {}}}
    atom = definitions.of_version(version(a=embedded))
    inner = {"apiVersion": "v1", "kind": "X", "metadata": {"finalizers": ["a/b"]}, "x": 1}
    found = collecting.fields_of(atom, {"spec": {"a": inner}})
    assert found["f:spec"]["f:a"]["f:metadata"] == {"f:finalizers": {'v:"a/b"': {}}}


def test_what_has_become_one_piece_is_owned_whole() -> None:
    atom = definitions.of_version(version(plain={"type": "array", "items": PORT}, kept=PORT))
    before = {
        "f:spec": {
            "f:plain": {'k:{"port":1}': {".": {}, "f:port": {}}},
            "f:kept": {"f:port": {}},
        }
    }
    after = tracking.reconcile(atom, before)
    assert after == {"f:spec": {"f:plain": {}, "f:kept": {"f:port": {}}}}
    assert tracking.reconcile(atom, after) is after
