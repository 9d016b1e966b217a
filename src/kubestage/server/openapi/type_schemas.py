"""Schemas made from the type table: for kinds that have no published definition.

They have no descriptions, but all fields, and what patches need to know of lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import schema
from kubestage.objects.schema import Form
from kubestage.server.openapi.definitions import REF

if TYPE_CHECKING:
    from kubestage.aliases import Json

_PREFIXES: Final = {
    "meta/": "io.k8s.apimachinery.pkg.apis.meta/",
    "apiextensions/": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions/",
    "runtime.": "io.k8s.apimachinery.pkg.runtime.",
    "intstr.": "io.k8s.apimachinery.pkg.util.intstr.",
    "resource.": "io.k8s.apimachinery.pkg.api.resource.",
    "types.": "io.k8s.apimachinery.pkg.types.",
}
_SCALARS: Final = {
    Form.STRING: "string",
    Form.BOOL: "boolean",
    Form.INTEGER: "integer",
    Form.FLOAT: "number",
}
_FORMATS: Final = {"int32": "int32", "int64": "int64", "float64": "double"}
_OPAQUE: Final[dict[str, Json]] = {
    "intstr.IntOrString": {
        "format": "int-or-string",
        "oneOf": [{"type": "integer"}, {"type": "string"}],
    },
    "resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "meta/v1.Time": {"type": "string", "format": "date-time"},
    "meta/v1.MicroTime": {"type": "string", "format": "date-time"},
    "meta/v1.Duration": {"type": "string"},
    "meta/v1.FieldsV1": {"type": "object"},
    "runtime.RawExtension": {"type": "object"},
}


def public_name(name: str) -> str:
    """``io.k8s.api.core.v1.PodSpec`` for ``core/v1.PodSpec``."""
    for prefix, full in _PREFIXES.items():
        if name.startswith(prefix):
            return (full + name.removeprefix(prefix)).replace("/", ".")
    return "io.k8s.api." + name.replace("/", ".")


def of_kind(api_version: str, kind: str) -> schema.Struct | None:
    """The struct of a kind, if the table has it."""
    return schema.kind_struct(api_version, kind)


def collect(struct: schema.Struct, into: dict[str, Json]) -> str:
    """Add the schema of a struct, and of all it refers to, by public name; its own is returned."""
    name = public_name(struct.name)
    waiting = [struct.name]
    while waiting:
        current = waiting.pop()
        public = public_name(current)
        if public not in into:
            into[public] = _opaque(current) or _struct(schema.struct(current), waiting)
    return name


def _opaque(name: str) -> Json | None:
    if schema.type_of(name).form is Form.OPAQUE:
        return _OPAQUE.get(name, {})
    return None


def _struct(struct: schema.Struct, waiting: list[str]) -> Json:
    properties: Json = {}
    required = []
    for name, field in struct.by_json.items():
        typed, marked = _type(field.type, waiting), _markers(field)
        if marked and "$ref" in typed:
            typed = {"allOf": [typed]}
        properties[name] = {**typed, **marked}
        if not field.omitempty and not field.omitzero and field.type.form is not Form.STRUCT:
            required.append(name)
    out: Json = {"type": "object", "properties": properties}
    return {**out, "required": sorted(required)} if required else out


def _type(type_: schema.Type, waiting: list[str]) -> Json:
    bare = type_.bare
    if bare.form in _SCALARS:
        out: Json = {"type": _SCALARS[bare.form]}
        return {**out, "format": _FORMATS[bare.name]} if bare.name in _FORMATS else out
    if bare.form is Form.BYTES:
        return {"type": "string", "format": "byte"}
    if bare.form is Form.LIST:
        assert bare.element is not None
        return {"type": "array", "items": _type(bare.element, waiting)}
    if bare.form is Form.MAP:
        assert bare.element is not None
        return {"type": "object", "additionalProperties": _type(bare.element, waiting)}
    waiting.append(bare.name)
    return {"$ref": REF + public_name(bare.name)}


def _markers(field: schema.Field) -> Json:
    marked: Json = {}
    if field.patch_strategies:
        marked["x-kubernetes-patch-strategy"] = ",".join(field.patch_strategies)
    if field.patch_merge_key:
        marked["x-kubernetes-patch-merge-key"] = field.patch_merge_key
    if field.list_type:
        marked["x-kubernetes-list-type"] = field.list_type
    if field.list_map_keys:
        marked["x-kubernetes-list-map-keys"] = list(field.list_map_keys)
    if field.map_type:
        marked["x-kubernetes-map-type"] = field.map_type
    return marked
