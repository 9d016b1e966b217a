"""JSON as Go writes a map: keys in order, no spaces, HTML characters escaped.

Hashes need this, and what prints a part of an object as kubectl does.
"""

from __future__ import annotations

import decimal
import re
from typing import Any, Final

import msgspec

_encode: Final = msgspec.json.Encoder(order="sorted").encode
_ESCAPED: Final = re.compile("[<>&\u2028\u2029]")
_EXACT: Final = 1 << 53
_EXPONENT: Final = 1e21


def encode(value: Any) -> bytes:
    """The bytes that ``json.Marshal`` gives for decoded JSON whose numbers are float64."""
    return html_safe(_encode(_rounded(value)).decode()).encode()


def marshal(value: Any) -> str:
    """The text that ``json.Marshal`` gives for an object, whose integers stay exact."""
    return html_safe(_encode(_without_fractions(value)).decode())


def html_safe(text: str) -> str:
    """JSON that can stand inside HTML."""
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _rounded(value: Any) -> Any:
    """Go prints the shortest digits that give the same float64 back, then zeros."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, int) and abs(value) > _EXACT:
        return int(decimal.Decimal(repr(float(value))))
    return value


def _without_fractions(value: Any) -> Any:
    """Go writes a float without a fraction as an integer, up to where exponents begin."""
    if isinstance(value, dict):
        return {key: _without_fractions(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_fractions(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXPONENT:
        return int(value)
    return value
