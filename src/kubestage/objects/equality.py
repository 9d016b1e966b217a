"""Equality as the API means it: of amounts, not of their spelling.

``1000m`` equals ``1``, and a list or map that is absent equals an empty one; a struct that is
absent differs from an empty one only where Go has a pointer.
"""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects import quantity, schema
from kubestage.objects.schema import Form

_ZERO: Final[dict[Form, Any]] = {
    Form.STRING: "",
    Form.BOOL: False,
    Form.INTEGER: 0,
    Form.FLOAT: 0,
    Form.BYTES: "",
}


def semantic_equal(expression: str, one: Any, other: Any) -> bool:
    """Whether two values of that type mean the same."""
    return one is other or one == other or _equal(schema.type_of(expression), one, other)


def _equal(shape: schema.Type, one: Any, other: Any) -> bool:
    form = shape.form
    if form is Form.LIST:
        return _lists(shape, one or [], other or [])
    if form is Form.MAP:
        return _maps(shape, one or {}, other or {})
    if form is Form.STRUCT:
        return _structs(shape.name, one or {}, other or {})
    if form is Form.POINTER:
        assert shape.element is not None
        if one is None or other is None:
            return one is other
        return _equal(shape.element, one, other)
    if shape.name == "resource.Quantity":
        return quantity.of(one) == quantity.of(other)
    zero = _ZERO.get(form)
    return bool((zero if one is None else one) == (zero if other is None else other))


def _lists(shape: schema.Type, one: list[Any], other: list[Any]) -> bool:
    assert shape.element is not None
    element = shape.element
    return len(one) == len(other) and all(
        left == right or _equal(element, left, right)
        for left, right in zip(one, other, strict=True)
    )


def _maps(shape: schema.Type, one: dict[str, Any], other: dict[str, Any]) -> bool:
    assert shape.element is not None
    element = shape.element
    return one.keys() == other.keys() and all(
        value == other[key] or _equal(element, value, other[key]) for key, value in one.items()
    )


def _structs(name: str, one: dict[str, Any], other: dict[str, Any]) -> bool:
    fields = schema.struct(name).by_json
    for key in one.keys() | other.keys():
        left, right = one.get(key), other.get(key)
        if left is right or left == right:
            continue
        field = fields.get(key)
        if field is None or not _equal(field.type, left, right):
            return False
    return True
