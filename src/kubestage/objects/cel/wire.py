"""Protobuf messages as plain values: how the CEL library hands out the tree of an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

Message = dict[int, list[Any]]

_VARINT: Final = 0
_BYTES: Final = 2
_FIXED: Final = {1: 8, 5: 4}


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def message(data: bytes) -> Message:
    """The fields of a message by number, each with all its values."""
    found: Message = {}
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        value: Any
        if wire == _VARINT:
            value, at = _varint(data, at)
        elif wire == _BYTES:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = _FIXED[wire]
            value, at = data[at : at + size], at + size
        found.setdefault(number, []).append(value)
    return found


def parts(fields: Message, number: int) -> Iterator[Message]:
    """The messages in a field."""
    return map(message, fields.get(number, ()))


def part(fields: Message, number: int) -> Message | None:
    """The first message in a field, if there is one."""
    return next(parts(fields, number), None)


def text(fields: Message, number: int) -> str:
    """The text in a field."""
    found = fields.get(number)
    return found[0].decode() if found else ""
