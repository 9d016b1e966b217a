"""Schemas of custom resources: those of their definitions, with the fields of every object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import own_definitions
from kubestage.server.openapi.definitions import REF

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind


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
_ANYTHING: Final[Json] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
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
_OWN: Final = ("nodegroups", "pricecatalogs", "scenarios", "traffics")


def public_name(group: str, version: str, kind: str) -> str:
    """``com.example.v1.Widget`` for a kind of the group ``example.com``."""
    return ".".join([*reversed((group or "core").split(".")), version, kind])


def of(row: Kind | None, kind: str) -> Json:
    """The schema of a custom resource; a kind about which nothing is known may hold anything."""
    schema = _METRICS.get(kind, _ANYTHING) if row is None else _schema_of_row(row)
    properties = {**schema.get("properties", {}), **_HEAD}
    return {**schema, "type": "object", "properties": properties}


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
