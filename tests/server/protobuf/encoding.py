"""Writes JSON objects as the real clients do, so that reading them can be tested."""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.golang import durations
from kubestage.objects import timestamps
from kubestage.server.protobuf import table, wire
from kubestage.server.protobuf.envelope import MAGIC

if TYPE_CHECKING:
    from kubestage.aliases import Json


def envelope(obj: Json) -> bytes:
    """A whole body."""
    message = table.message_of(obj["apiVersion"], obj["kind"])
    assert message is not None
    body = {name: part for name, part in obj.items() if name not in ("apiVersion", "kind")}
    meta = piece(1, obj["apiVersion"].encode()) + piece(2, obj["kind"].encode())
    return MAGIC + piece(1, meta) + piece(2, encode(message, body)) + piece(3, b"") + piece(4, b"")


def varint(value: int) -> bytes:
    """A number; a negative one takes ten bytes."""
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def piece(number: int, content: bytes) -> bytes:
    """A field that has a length."""
    return varint(number << 3 | wire.BYTES) + varint(len(content)) + content


def number_field(number: int, value: int) -> bytes:
    """A field that is a number."""
    return varint(number << 3 | wire.VARINT) + varint(value)


def encode(message: str, obj: Json) -> bytes:
    """The bytes of a message; a field that the table does not know is an error."""
    out, left = _fields(message, dict(obj))
    assert not left, f"{message} has no {sorted(left)}"
    return out


def _fields(message: str, left: Json) -> tuple[bytes, Json]:
    out = b""
    for number, field in table.fields(message).items():
        if "i" in field.flags:
            inner, left = _fields(field.type, left)
            out += piece(number, inner)
            continue
        value = left.pop(field.name, None)
        if value is None:
            out += _zero(number, field)
        elif "m" in field.flags:
            for key, item in value.items():
                out += piece(number, piece(1, key.encode()) + _one(2, field.type, item))
        elif "r" in field.flags:
            out += b"".join(_one(number, field.type, item) for item in value)
        else:
            out += _one(number, field.type, value)
    return out, left


def _zero(number: int, field: table.Field) -> bytes:
    """What Go writes of a value that is not there: every scalar, no pointer, no list."""
    if any(flag in field.flags for flag in "prmz"):
        return b""
    if field.type in ("int32", "int64", "bool"):
        return number_field(number, 0)
    return piece(number, b"") if field.type in ("string", "meta.v1.Time") else b""


def _one(number: int, type_name: str, value: Any) -> bytes:
    if type_name in ("int32", "int64", "bool"):
        return number_field(number, int(value))
    if type_name == "double":
        return varint(number << 3 | wire.FIXED64) + struct.pack("<d", value)
    if type_name == "string":
        return piece(number, value.encode())
    if type_name == "bytes":
        return piece(number, base64.b64decode(value))
    return piece(number, _message(type_name, value))


def _message(type_name: str, value: Any) -> bytes:
    match type_name:
        case "resource.Quantity":
            return piece(1, value.encode())
        case "meta.v1.Time":
            return number_field(1, timestamps.parse_time(value) // durations.SECOND)
        case "meta.v1.MicroTime":
            seconds, rest = divmod(timestamps.parse_micro_time(value), durations.SECOND)
            return number_field(1, seconds) + number_field(2, rest)
        case "meta.v1.Duration":
            return number_field(1, durations.parse_duration(value))
        case "intstr.IntOrString":
            if isinstance(value, int):
                return number_field(1, 0) + number_field(2, value) + piece(3, b"")
            return number_field(1, 1) + number_field(2, 0) + piece(3, value.encode())
        case "runtime.RawExtension" | "meta.v1.FieldsV1" | "apiextensions.v1.JSON":
            return piece(1, msgspec.json.encode(value))
        case "apiextensions.v1.JSONSchemaPropsOrBool":
            if isinstance(value, bool):
                return number_field(1, value)
            return number_field(1, 1) + piece(2, encode("apiextensions.v1.JSONSchemaProps", value))
        case "apiextensions.v1.JSONSchemaPropsOrArray":
            schemas = value if isinstance(value, list) else [value]
            number = 2 if isinstance(value, list) else 1
            return b"".join(
                piece(number, encode("apiextensions.v1.JSONSchemaProps", each)) for each in schemas
            )
    if type_name.endswith(".ExtraValue"):
        return b"".join(piece(1, each.encode()) for each in value)
    return encode(type_name, value)
