"""Schemas of the objects that a policy is for, built in or defined, as type checking needs them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import own_definitions, schema
from kubestage.objects.custom.nodes import INT_OR_STRING, Node
from kubestage.objects.schema import Form

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.schema import Type

# Types that hold themselves are known so deep.
_DEPTH: Final = 14
_SCALARS: Final = {
    Form.STRING: "string",
    Form.BOOL: "boolean",
    Form.INTEGER: "integer",
    Form.FLOAT: "number",
}
_UNKNOWN: Final = {INT_OR_STRING: True}


def node_of(kind: Kind) -> Node | None:
    """The schema of a kind's objects; None if nothing is known of them."""
    version = own_definitions.version(kind)
    if version is not None:
        written = (version.get("schema") or {}).get("openAPIV3Schema")
        return None if written is None else _defined(written)
    struct = schema.kind_struct(kind.api_version, kind.kind)
    return None if struct is None else _built_in(struct.name)


def _defined(written: Json) -> Node:
    metadata = _of_struct("meta/v1.ObjectMeta", _DEPTH)
    own = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": metadata}
    return Node({**written, "properties": {**(written.get("properties") or {}), **own}})


@functools.lru_cache(maxsize=64)
def _built_in(name: str) -> Node:
    return Node(_of_struct(name, _DEPTH))


def _of_struct(name: str, depth: int) -> Json:
    fields = schema.struct(name).by_json
    return {
        "type": "object",
        "properties": {key: _of(each.type, depth) for key, each in fields.items()},
    }


def _of(found: Type, depth: int) -> Any:
    bare = found.bare
    if bare.form in _SCALARS:
        return {"type": _SCALARS[bare.form]}
    if not depth or bare.form in (Form.OPAQUE, Form.BYTES):
        return _UNKNOWN
    if bare.form is Form.STRUCT:
        return _of_struct(bare.name, depth - 1)
    assert bare.element is not None, bare.name
    below = _of(bare.element, depth - 1)
    if bare.form is Form.LIST:
        return {"type": "array", "items": below}
    return {"type": "object", "additionalProperties": below}
