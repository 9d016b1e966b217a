"""The wire format: tags, varints, lengths. Knows no message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import MalformedValue

if TYPE_CHECKING:
    from collections.abc import Iterator

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
START_GROUP: Final = 3
END_GROUP: Final = 4
FIXED32: Final = 5

_WIDTHS: Final = {FIXED64: 8, FIXED32: 4}
_MAX_GROUPS: Final = 100


class Malformed(MalformedValue):
    """Bytes that are no message; the error is worded as Go's where Go has one."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The unsigned number at a place, and the place behind it."""
    value = shift = 0
    while True:
        if at >= len(data):
            raise Malformed("unexpected EOF")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7
        if shift >= 64:
            raise Malformed("proto: integer overflow")


def entries(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """The fields of a message in order: number, wire type, and a number or the raw bytes."""
    at, end = 0, len(data)
    while at < end:
        # NOTE: most tags and lengths are one byte; this saves a third of a pod's time.
        tag = data[at]
        if tag < 0x80:
            at += 1
        else:
            tag, at = varint(data, at)
        number, wire_type = tag >> 3, tag & 7
        if number == 0 or number > 0x1FFF_FFFF:
            raise Malformed(f"proto: illegal tag {number} (wire type {tag})")
        if wire_type == BYTES:
            if at < end and data[at] < 0x80:
                length = data[at]
                at += 1
            else:
                length, at = varint(data, at)
            if length > end - at:
                raise Malformed("unexpected EOF")
            yield number, wire_type, data[at : at + length]
            at += length
        elif wire_type == VARINT:
            value, at = varint(data, at)
            yield number, wire_type, value
        elif wire_type in _WIDTHS:
            width = _WIDTHS[wire_type]
            if width > end - at:
                raise Malformed("unexpected EOF")
            yield number, wire_type, data[at : at + width]
            at += width
        elif wire_type == START_GROUP:
            at = _skip_group(data, at)
        else:
            raise Malformed(f"proto: illegal wireType {wire_type}")


def _skip_group(data: bytes, at: int) -> int:
    """The place behind a group, an old form that no message of ours uses."""
    depth = 1
    while depth:
        tag, at = varint(data, at)
        wire_type = tag & 7
        if wire_type == VARINT:
            at = varint(data, at)[1]
        elif wire_type == BYTES:
            length, at = varint(data, at)
            at += length
        elif wire_type in _WIDTHS:
            at += _WIDTHS[wire_type]
        elif wire_type == START_GROUP:
            depth += 1
        elif wire_type == END_GROUP:
            depth -= 1
        else:
            raise Malformed(f"proto: illegal wireType {wire_type}")
        if at > len(data) or depth > _MAX_GROUPS:
            raise Malformed("unexpected EOF")
    return at
