"""Schemas of custom resources: those of their definitions, with the fields of every object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import own_definitions
from kubestage.server.openapi.definitions import REF

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.server.openapi.definitions import Definitions


OBJECT_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_HEAD: Final[Json] = {
    "apiVersion": {
        "type": "string",
        "description": "The group and version in which this object is written.",
    },
    "kind": {"type": "string", "description": "The kind of this object."},
    "metadata": {
        "allOf": [{"$ref": REF + OBJECT_META}],
        "description": "Name, labels, annotations and all else that every object has.",
    },
}
# A kind whose published definition has the same head as all others, and hardly anything else.
_PLAIN_KIND: Final = ("", "v1", "ConfigMap")
PRESERVES: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_EITHER: Final[list[Json]] = [{"type": "integer"}, {"type": "string"}]
_ANYTHING: Final[Json] = {"type": "object", PRESERVES: True}
_USAGE: Final[Json] = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "How much of each resource was used.",
}
_MEASURED: Final[Json] = {
    "timestamp": {"type": "string", "format": "date-time", "description": "When it was measured."},
    "window": {"type": "string", "description": "The span over which it was measured."},
}
# What the metrics API answers with.
_METRICS: Final[dict[str, Json]] = {
    "NodeMetrics": {"properties": {**_MEASURED, "usage": _USAGE}},
    "PodMetrics": {
        "properties": {
            **_MEASURED,
            "containers": {
                "type": "array",
                "description": "What each container used.",
                "items": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "usage": _USAGE},
                },
            },
        }
    },
}
# Kinds of ours whose definition is part of the package.
_OWN: Final = frozenset({
    "ec2nodeclasses", "nodeclaims", "nodegroups", "nodeoverlays", "nodepools", "pricecatalogs",
    "scenarios", "stagenodeclasses", "traffics",
})  # fmt: skip


def public_name(group: str, version: str, kind: str) -> str:
    """``com.example.v1.Widget`` for a kind of the group ``example.com``."""
    return ".".join([*reversed((group or "core").split(".")), version, kind])


def head(published: Definitions | None) -> Json:
    """The properties that every object has, in published words where there are some."""
    name = published.name_of(*_PLAIN_KIND) if published else None
    schema = published.schema(name) if published and name else None
    return {key: schema["properties"][key] for key in _HEAD} if schema else _HEAD


def of(row: Kind | None, kind: str, published: Definitions | None = None) -> Json:
    """The schema of a custom resource; a kind about which nothing is known may hold anything."""
    fields = head(published)
    schema: Json = completed(_unfolded(declared(row, kind)), fields)
    properties = {**schema.get("properties", {}), **fields}
    return {**schema, "type": "object", "properties": properties, **selectable_fields(row)}


def declared(row: Kind | None, kind: str) -> Json:
    """The schema that a definition declares."""
    return _METRICS.get(kind, _ANYTHING) if row is None else _schema_of_row(row)


def selectable_fields(row: Kind | None) -> Json:
    """The fields that lists can be selected by, as an extension of the schema."""
    found = ((row.definition or {}) if row is not None else {}).get("selectableFields") or ()
    if not found:
        return {}
    paths = [{"fieldPath": each["jsonPath"].removeprefix(".")} for each in found]
    return {"x-kubernetes-selectable-fields": paths}


def completed(schema: Any, fields: Json, *, keeps_open: bool = False) -> Any:
    """A schema whose embedded objects have the fields of every object.

    `keeps_open` leaves those alone that preserve unknown fields.
    """
    if not isinstance(schema, dict):
        return schema
    out = dict(schema)
    for key in ("items", "additionalProperties"):
        if key in out:
            out[key] = completed(out[key], fields, keeps_open=keeps_open)
    if "properties" in out:
        out["properties"] = {
            name: completed(each, fields, keeps_open=keeps_open)
            for name, each in out["properties"].items()
        }
    if out.get(_EMBEDDED) and not (keeps_open and out.get(PRESERVES)):
        out["properties"] = {**out.get("properties", {}), **fields}
        required = out.get("required") or []
        out["required"] = required + [
            each for each in ("kind", "apiVersion") if each not in required
        ]
    return out


def _unfolded(schema: Any) -> Any:
    """A schema in which values that may be numbers or texts say so in words of OpenAPI."""
    if not isinstance(schema, dict):
        return schema
    out = dict(schema)
    for key in ("items", "additionalProperties"):
        if key in out:
            out[key] = _unfolded(out[key])
    if "properties" in out:
        out["properties"] = {name: _unfolded(each) for name, each in out["properties"].items()}
    if not out.get(_INT_OR_STRING):
        return out
    any_of, all_of = out.get("anyOf"), out.get("allOf") or []
    if any_of == _EITHER or (all_of and all_of[0].get("anyOf") == _EITHER):
        return out
    if any_of:
        return {**out, "allOf": [{"anyOf": _EITHER}, *all_of]}
    return {**out, "anyOf": _EITHER}


def _schema_of_row(row: Kind) -> Json:
    if row.definition is not None:
        found: Json | None = (row.definition.get("schema") or {}).get("openAPIV3Schema")
        return found or _ANYTHING
    if row.plural in _OWN:
        definition = own_definitions.definition(row.plural)
        for version in definition["spec"]["versions"]:
            if (definition["spec"]["group"], version["name"]) == (row.group, row.version):
                own_schema: Json = version["schema"]["openAPIV3Schema"]
                return own_schema
    return _ANYTHING
