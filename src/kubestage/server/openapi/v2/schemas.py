"""Schemas of OpenAPI v3, in the words of v2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.server.openapi import custom_schemas
from kubestage.server.openapi.definitions import REF

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.server.openapi.definitions import Definitions

DEFINITION: Final = "#/definitions/"
# What has two types is a text in v2.
_TEXTS: Final[dict[str, Json]] = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "type": "string",
        "format": "int-or-string",
    },
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": "string"},
}
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")


def convert(name: str, schema: Json) -> Json:
    """The definition of a schema of v3."""
    found: Json = _TEXTS.get(name) or _convert(schema)
    return found


def reference(value: Json) -> Json:
    """A schema within an operation: mostly a reference."""
    found: Json = _convert(value)
    return found


def _convert(value: Any) -> Any:
    if isinstance(value, list):
        return [_convert(each) for each in value]
    if not isinstance(value, dict):
        return value
    out: Json = {}
    for key, each in value.items():
        if key == "$ref" and isinstance(each, str):
            out[key] = DEFINITION + each.removeprefix(REF)
        elif key == "allOf" and len(each) == 1 and "$ref" in each[0]:
            # A description stands beside a reference.
            out |= _convert(each[0])
        elif key == "properties":
            out[key] = {name: _convert(schema) for name, schema in each.items()}
        elif key in ("items", "additionalProperties"):
            out[key] = _convert(each)
        else:
            out[key] = each
    return out


def of_custom(row: Kind | None, kind: str, published: Definitions | None = None) -> Json:
    """The schema of a custom resource, less what v2 has no words for; references are v3's."""
    declared = custom_schemas.declared(row, kind)
    selectable = custom_schemas.selectable_fields(row)
    if declared.get(custom_schemas.PRESERVES):
        # With any property, kubectl would refuse all others.
        return {"type": "object", **selectable}
    fields = custom_schemas.head(published)
    schema = custom_schemas.completed(_reduced(declared), fields, keeps_open=True)
    properties = {**schema.get("properties", {}), **fields}
    return {**schema, "type": "object", "properties": properties, **selectable}


def _reduced(schema: Any) -> Any:
    """A structural schema without alternatives, and without types where kubectl must accept all."""
    if not isinstance(schema, dict):
        return schema
    out = {key: each for key, each in schema.items() if key not in (*_JUNCTORS, "nullable")}
    if schema.get("nullable"):
        out.pop("type", None)
    if schema.get("nullable") or schema.get(custom_schemas.PRESERVES):
        out.pop("items", None)
        out.pop("properties", None)
        if out.get("type") == "object":
            del out["type"]
    if out.get("type") == "array" and "items" not in out:
        del out["type"]
    _require_less(out)
    for key in ("items", "additionalProperties"):
        if key in out:
            out[key] = _reduced(out[key])
    if "properties" in out:
        out["properties"] = {name: _reduced(each) for name, each in out["properties"].items()}
    return out


def _require_less(out: Json) -> None:
    """Fields that may be null are not required: their schemas no longer say so."""
    if "required" not in out:
        return
    nullable = {name for name, each in out.get("properties", {}).items() if each.get("nullable")}
    others = out.get("additionalProperties")
    if isinstance(others, dict) and others.get("nullable"):
        required = []
    else:
        required = [each for each in out["required"] if each not in nullable]
    if required:
        out["required"] = required
    else:
        del out["required"]
