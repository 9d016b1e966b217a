"""How Go's ``fmt`` prints JSON values, because error texts quote patches in that form."""

from __future__ import annotations

import math
from typing import Any, Final

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


def float_text(value: float) -> str:
    """A float64 in Go's ``%g`` form with the fewest digits."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    shortest = repr(value)
    mantissa, _, exponent_text = shortest.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return sign + "0"
    leading = len(whole + fraction) - len(digits)
    exponent = int(exponent_text or 0) + len(whole) - leading - 1
    digits = digits.rstrip("0")
    if -4 <= exponent < 6:
        return sign + _positional(digits, exponent)
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{exponent:+03d}"


def _positional(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{whole}.{fraction}" if fraction else whole


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
    return float_text(value) if isinstance(value, float) else str(value)


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
