"""How Go's ``fmt`` prints JSON values, because error texts quote patches in that form."""

from __future__ import annotations

from typing import Any, Final

from kubestage.golang import floats

_TYPE_NAMES: Final = {
    dict: "map[string]interface {}",
    list: "[]interface {}",
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
}


def type_name(value: Any) -> str:
    """The Go type of a decoded JSON value, as ``reflect`` prints it."""
    if value is None:
        return "%!s(<nil>)"
    return _TYPE_NAMES[type(value)]


def show(value: Any) -> str:
    """A value as the verb ``%v`` prints it."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{show(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(show, value)) + "]"
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return floats.text(value) if isinstance(value, float) else str(value)


def show_string(value: Any) -> str:
    """A value as the verb ``%s`` prints it: what is no string is marked as a mistake."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{show_string(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(show_string, value)) + "]"
    if value is None:
        return "%!s(<nil>)"
    return f"%!s({_TYPE_NAMES[type(value)]}={show(value)})"
