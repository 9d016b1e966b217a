"""The shapes of custom resources, from the schema of their definition."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects.ownership import api_types, topology
from kubestage.objects.ownership.topology import Atom, List, Map

if TYPE_CHECKING:
    from kubestage.aliases import Json

_SCALARS: Final = {
    "integer": topology.NUMERIC,
    "number": topology.NUMERIC,
    "boolean": topology.BOOLEAN,
}
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"


def of_version(version: Json) -> Atom:
    """The shape of a version of a definition; without a schema it is deduced from what is there."""
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    return topology.DEDUCED if not schema else _of_object(schema, keeps_unknown=False)


def _of_object(schema: Json, *, keeps_unknown: bool) -> Atom:
    """A whole object: its identity is declared whether or not the schema says so."""
    keeps_unknown = keeps_unknown or schema.get(_PRESERVE) is True
    properties = {
        name: part
        for name, part in (schema.get("properties") or {}).items()
        if name not in ("apiVersion", "kind", "metadata")
    }
    declare = functools.partial(_object_fields, properties, keeps_unknown)
    element = _element(schema, keeps_unknown) if properties or keeps_unknown else None
    return Atom(map=Map(declare, element, _is_atomic(schema)))


def _object_fields(properties: Json, keeps_unknown: bool) -> dict[str, Atom]:
    return {
        "apiVersion": topology.STRING,
        "kind": topology.STRING,
        "metadata": api_types.of_struct("meta/v1.ObjectMeta"),
        **_fields(properties, keeps_unknown),
    }


def _fields(properties: Json, keeps_unknown: bool) -> dict[str, Atom]:
    return {name: _of(part, keeps_unknown) for name, part in properties.items()}


def _of(schema: Json, keeps_unknown: bool) -> Atom:
    keeps_unknown = keeps_unknown or schema.get(_PRESERVE) is True
    if schema.get("x-kubernetes-embedded-resource"):
        return _of_object(schema, keeps_unknown=keeps_unknown)
    type_ = "" if schema.get("x-kubernetes-int-or-string") else schema.get("type") or ""
    if type_ == "string":
        return topology.STRING if schema.get("format") in (None, "", "byte") else topology.UNTYPED
    if type_ in _SCALARS:
        return _SCALARS[type_]
    if type_ == "array":
        return Atom(list=_list(schema, keeps_unknown))
    map_ = Map(
        functools.partial(_fields, schema.get("properties") or {}, keeps_unknown),
        _element(schema, keeps_unknown),
        _is_atomic(schema),
    )
    if type_ == "object":
        return Atom(map=map_)
    return Atom("untyped", _list(schema, keeps_unknown), map_)


def _is_atomic(schema: Json) -> bool:
    return schema.get("x-kubernetes-map-type") == "atomic"


def _element(schema: Json, keeps_unknown: bool) -> Atom | None:
    """What keys hold that no property declares."""
    others = schema.get("additionalProperties")
    if others is None:
        free = keeps_unknown or not schema.get("properties")
        return topology.DEDUCED if free else None
    if isinstance(others, dict):
        return _of(others, keeps_unknown)
    return topology.DEDUCED if others else None


def _list(schema: Json, keeps_unknown: bool) -> List:
    items = schema.get("items")
    element = topology.UNTYPED_ATOMIC if not items else _of(items, keeps_unknown)
    kind = schema.get("x-kubernetes-list-type") or "atomic"
    if kind == "atomic":
        return List(element)
    keys = tuple(schema.get("x-kubernetes-list-map-keys") or ()) if kind == "map" else ()
    properties = (items or {}).get("properties") or {}
    defaults = {
        key: properties[key]["default"]
        for key in keys
        if (properties.get(key) or {}).get("default") is not None
    }
    return List(element, atomic=False, keys=keys, defaults=defaults)
