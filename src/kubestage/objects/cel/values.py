"""Values of CEL that plain data does not have: failures, types, and what may be absent."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from kubestage.objects.cel.syntax import Uint


class Failure:
    """Why an expression has no value; an operator may do without that value."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class TypeName(str):
    """A type as a value."""

    __slots__ = ()


class Optional:
    """A value that may be absent."""

    __slots__ = ("has_value", "value")

    def __init__(self, value: Any = None, *, has_value: bool = True) -> None:
        self.value = value
        self.has_value = has_value


NOTHING: Final = Optional(has_value=False)
_NAMES: Final = {
    type(None): "null_type",
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    dict: "map",
    TypeName: "type",
    Optional: "optional_type",
    dt.datetime: "google.protobuf.Timestamp",
    dt.timedelta: "google.protobuf.Duration",
}
_NUMBERS: Final = (int, float, Uint)


def type_of(value: Any) -> TypeName:
    """The type of a value."""
    return TypeName(_NAMES.get(type(value), "dyn"))


def equal(one: Any, other: Any) -> bool:
    """Whether two values are equal: numbers are, of whatever types; nothing else is a number."""
    kind = type(one)
    if kind is not type(other):
        if kind in _NUMBERS and type(other) in _NUMBERS:
            return bool(one == other)
        return False
    if kind is list:
        return len(one) == len(other) and all(map(equal, one, other))
    if kind is dict:
        return len(one) == len(other) and all(
            key in other and equal(value, other[key]) for key, value in one.items()
        )
    if kind is Optional:
        same = one.has_value is other.has_value
        return same and (not one.has_value or equal(one.value, other.value))
    return bool(one == other)
