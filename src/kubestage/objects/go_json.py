"""JSON as Go writes a map: keys in order, no spaces, HTML characters escaped, numbers as float64.

Only hashes need this; everything else may spell JSON as it likes.
"""

from __future__ import annotations

import decimal
import re
from typing import Any, Final

import msgspec

_encode: Final = msgspec.json.Encoder(order="sorted").encode
_ESCAPED: Final = re.compile("[<>&\u2028\u2029]")
_EXACT: Final = 1 << 53


def encode(value: Any) -> bytes:
    """The bytes that ``json.Marshal`` gives for decoded JSON."""
    text = _encode(_rounded(value)).decode()
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _rounded(value: Any) -> Any:
    """Go prints the shortest digits that give the same float64 back, then zeros."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, int) and abs(value) > _EXACT:
        return int(decimal.Decimal(repr(float(value))))
    return value
