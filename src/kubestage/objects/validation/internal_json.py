"""Values as the API server prints them inside messages.

The server marshals its working types, which have no JSON names: ``{"Key":"a","Value":"",...}``
with every field, zero or not. Types of the metadata package keep their JSON names.
"""

from __future__ import annotations

import json
from typing import Any, Final

from kubestage.objects import quantity, schema
from kubestage.objects.schema import Form
from kubestage.objects.validation import internal_shapes
from kubestage.objects.validation.field import HTML, Rendered, json_text

_ZERO: Final[dict[Form, Any]] = {
    Form.STRING: "",
    Form.BOOL: False,
    Form.INTEGER: 0,
    Form.FLOAT: 0,
}
_OPAQUE_ZERO: Final[dict[str, Any]] = {
    "resource.Quantity": "0",
    "intstr.IntOrString": 0,
    "meta/v1.Duration": "0s",
}
_POD_SPEC: Final = "core/v1.PodSpec"
_POD_SECURITY: Final = "core/v1.PodSecurityContext"


def render(expression: str, value: Any) -> Rendered:
    """The text of a value of that type (``core/v1.Taint``, ``[]core/v1.PodIP``) in a message."""
    return Rendered(compact(tree(expression, value)))


def text(value: Any) -> Rendered:
    """The text of plain JSON, and of strings whose type has a name of its own."""
    return Rendered(compact(value))


def compact(value: Any) -> str:
    """One line of JSON, escaped as Go escapes it."""
    return json_text(value)


def indented(value: Any) -> str:
    """JSON over many lines, one space a level."""
    return json.dumps(value, indent=1, ensure_ascii=False).translate(HTML)


def tree(expression: str, value: Any) -> Any:
    """The value with the fields of the working type, in its order."""
    return _tree(schema.type_of(expression), value)


def _tree(shape: schema.Type, value: Any) -> Any:
    if value is None:
        return _zero(shape)
    form = shape.form
    if form is Form.POINTER or form is Form.LIST or form is Form.MAP:
        assert shape.element is not None
        if form is Form.POINTER:
            return _tree(shape.element, value)
        if form is Form.LIST:
            return [_tree(shape.element, item) for item in value]
        return {key: _tree(shape.element, value[key]) for key in sorted(value)}
    if form is Form.STRUCT:
        return _struct(shape.name, value)
    if shape.name == "resource.Quantity":
        return str(quantity.of(value))
    return value


def _zero(shape: schema.Type) -> Any:
    if shape.form is Form.STRUCT:
        return _struct(shape.name, {})
    if shape.form is Form.OPAQUE:
        return _OPAQUE_ZERO.get(shape.name)
    return _ZERO.get(shape.form)


def _struct(name: str, value: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if name.startswith("meta/v1."):
        _add_tagged(name, value, out)
        return out
    for field in internal_shapes.fields(name):
        shape = internal_shapes.type_of(name, field)
        if field.inline:
            out.update(_struct(shape.bare.name, value))
        elif field.go_name == "ObjectMeta":
            out.update(_struct("meta/v1.ObjectMeta", value.get("metadata") or {}))
        else:
            out[field.go_name] = _tree(shape, value.get(field.json_name))
    if name == _POD_SPEC:
        out["SecurityContext"] = internal_shapes.security_context(
            value, out["SecurityContext"] or _struct(_POD_SECURITY, {})
        )
    return out


def _add_tagged(name: str, value: dict[str, Any], out: dict[str, Any]) -> None:
    for field in schema.struct(name).fields:
        if field.inline:
            _add_tagged(field.type.bare.name, value, out)
            continue
        item = value.get(field.json_name)
        if not ((field.omitempty or field.omitzero) and _is_empty(field.type, item)):
            out[field.json_name] = _tree(field.type, item)


def _is_empty(shape: schema.Type, item: Any) -> bool:
    if item is None:
        return True
    return shape.form is not Form.POINTER and item in ("", 0, [], {})
