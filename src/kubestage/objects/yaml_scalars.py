"""Scalars of YAML as Kubernetes reads them.

Its tools turn YAML into JSON through Go's yaml.v2, which keeps YAML 1.1's yes/no/on/off (and bare
y/n), reads a leading zero as octal, drops sexagesimal numbers and leaves timestamps as text. JSON
then has one kind of number, so that ``1e3`` and ``1.0`` come out as integers.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from typing import Any, Final

_TAG: Final = "tag:yaml.org,2002:"

_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE"), True),
    **dict.fromkeys(("on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE"), False),
    **dict.fromkeys(("off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMERIC: Final = frozenset("+-.0123456789")
_INTEGER: Final = re.compile(
    r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9][0-9]*))"
)
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_BASES: Final = (16, 8, 2, 8, 10)
_LONGEST: Final = 4000


def _number(text: str) -> int | float | None:
    """The number that a text is, or None."""
    plain = text if text[0] == "." else text.replace("_", "")
    match = _INTEGER.fullmatch(plain)
    # No longer one fits into 64 bits, whatever its base.
    if match is not None and len(plain) <= _LONGEST:
        sign, *digits = match.groups()
        value = next(int(each, base) for each, base in zip(digits, _BASES, strict=True) if each)
        if value < 2**63 or (value == 2**63 and sign == "-"):
            return -value if sign == "-" else value
        if not sign and value < 2**64:
            return value
    if _FLOAT.fullmatch(plain) is None:
        return None
    number = float(plain)
    return None if math.isinf(number) else number


def _resolve(text: str) -> Any:
    """What Go's resolver makes of an unquoted scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMERIC:
        return text
    number = _number(text)
    return text if number is None else number


def _as_json(value: Any) -> Any:
    """The value after its way through JSON, where a whole number has no fraction."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{_float_text(value)} is not a JSON number")
        if value.is_integer() and -(2**63) <= value < 2**63:
            return int(value)
    return value


def plain(text: str) -> Any:
    """The value of an unquoted scalar."""
    return _as_json(_resolve(text))


def tagged(tag: str, text: str) -> Any:
    """The value of a scalar with an explicit tag; foreign tags leave the text as it is."""
    name = tag.removeprefix(_TAG)
    if name == "binary" and tag != name:
        try:
            return base64.b64decode(text.encode(), validate=True).decode(errors="replace")
        except (binascii.Error, ValueError):
            raise ValueError("!!binary value contains invalid base64 data") from None
    if tag == name or name not in _TYPES:
        return text
    value = _resolve(text)
    if not isinstance(value, _TYPES[name]) or (name == "int" and isinstance(value, bool)):
        raise ValueError(f"cannot decode `{text}` as a !!{name}")
    return _as_json(value)


_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "bool": bool,
    "int": int,
    "float": (int, float),
    "null": type(None),
}


def plain_key(text: str) -> str:
    """The key that an unquoted scalar makes: JSON's keys are text, so numbers and words are."""
    value = _resolve(text)
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_text(value)
    if value is None or value >= 2**63:
        raise ValueError(f"`{text or 'null'}` cannot be a key")
    return str(value)


def _float_text(value: float) -> str:
    """A float as Go prints it in the fewest digits that a 32-bit float needs."""
    if math.isnan(value):
        return ".nan"
    try:
        single = struct.pack("f", value)
    except OverflowError:
        single = struct.pack("f", math.copysign(math.inf, value))
    if math.isinf(struct.unpack("f", single)[0]):
        return ".inf" if value > 0 else "-.inf"
    shortest = next(
        text
        for text in (f"{value:.{digits}e}" for digits in range(17))
        if struct.pack("f", float(text)) == single
    )
    exponent = int(shortest.partition("e")[2])
    if -4 <= exponent < 6:
        decimals = max(
            0, len(shortest.partition("e")[0].lstrip("-").replace(".", "")) - 1 - exponent
        )
        return f"{float(shortest):.{decimals}f}"
    return shortest
