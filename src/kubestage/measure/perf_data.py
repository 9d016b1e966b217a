"""PerfData, the form in which perfdash reads figures, byte for byte as ClusterLoader2 writes it."""

from __future__ import annotations

import decimal
import functools
import math
import re
from typing import Any, Final

import msgspec

_ESCAPED: Final = re.compile("[<>&\u2028\u2029]")
_STEP: Final = "  "


class DataItem(msgspec.Struct, frozen=True):
    """One row: named numbers of one unit, and what they are of."""

    data: dict[str, float]
    unit: str
    labels: dict[str, str] = msgspec.field(default_factory=dict)


class PerfData(msgspec.Struct, frozen=True):
    """The content of one summary."""

    version: str
    data_items: tuple[DataItem, ...] = ()
    labels: dict[str, str] = msgspec.field(default_factory=dict)

    def to_json(self) -> str:
        """As it is in a file. Without items there is null, because a Go slice was never made."""
        items = [_item(item) for item in self.data_items]
        body: dict[str, Any] = {"version": self.version, "dataItems": items or None}
        if self.labels:
            body["labels"] = _sorted(self.labels)
        return pretty(body)


def _item(item: DataItem) -> dict[str, Any]:
    body = {"data": _sorted(item.data), "unit": item.unit}
    return {**body, "labels": _sorted(item.labels)} if item.labels else body


def _sorted(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: mapping[key] for key in sorted(mapping)}


def pretty(value: Any) -> str:
    """JSON as ClusterLoader2 prints it: indented by two, Go's numbers, a newline at the end.

    Keys stay in their order: a Go struct writes its fields as declared, and callers sort
    maps before. A number that JSON has no word for is a ValueError.
    """
    return _written(value, "\n") + "\n"


def _written(value: Any, newline: str) -> str:
    """A value whose lines begin with `newline`."""
    if isinstance(value, dict):
        inner = newline + _STEP
        parts = [f"{_string(key)}: {_written(each, inner)}" for key, each in value.items()]
        return "{" + inner + f",{inner}".join(parts) + newline + "}" if parts else "{}"
    if isinstance(value, list | tuple):
        inner = newline + _STEP
        parts = [_written(each, inner) for each in value]
        return "[" + inner + f",{inner}".join(parts) + newline + "]" if parts else "[]"
    if isinstance(value, str):
        return _string(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return number(value) if isinstance(value, float) else str(value)


@functools.lru_cache(maxsize=4096)
def _string(text: str) -> str:
    encoded = msgspec.json.encode(text).decode()
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", encoded)


def number(value: float) -> str:
    """A float64 as Go's JSON writes it: digits as they are, an exponent where they get many."""
    if not math.isfinite(value):
        raise ValueError(f"json: unsupported value: {value}")
    size = abs(value)
    if size and (size < 1e-6 or size >= 1e21):
        mantissa, _, exponent = repr(value).partition("e")
        sign = exponent[0] if exponent[0] in "+-" else "+"
        return f"{mantissa.removesuffix('.0')}e{sign}{exponent.lstrip('+-0')}"
    return f"{decimal.Decimal(repr(value)):f}".removesuffix(".0")
