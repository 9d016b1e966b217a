"""From a JSON object to the bytes of its message, by the table: the way back of `messages`.

What the table does not know is left out, as by a server that decodes an object first.
"""

from __future__ import annotations

import base64
import functools
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.golang import durations
from kubestage.objects import timestamps
from kubestage.server.protobuf import answers, table, wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

    Encode = Callable[[Any], bytes]

_WORD: Final = (1 << 64) - 1


class _Part(NamedTuple):
    """One field of a message: its number, how a value is written, and how it appears in JSON."""

    number: int
    name: str
    wire_type: int
    encode: Encode
    flags: str


def encode(message: str, obj: Json) -> bytes:
    """The bytes of a message."""
    out = bytearray()
    for part in _parts(message):
        if "i" in part.flags:
            _add(out, part, part.encode(obj))
            continue
        value = obj.get(part.name)
        if value is None:
            continue
        if "m" in part.flags:
            for key in sorted(value):
                _add(out, part, _entry(part, key, value[key]))
        elif "r" in part.flags:
            for each in value:
                _add(out, part, part.encode(each))
        else:
            _add(out, part, part.encode(value))
    return bytes(out)


def field(number: int, content: bytes) -> bytes:
    """A field that has a length."""
    return _varint(number << 3 | wire.BYTES) + _varint(len(content)) + content


@functools.cache
def _parts(message: str) -> tuple[_Part, ...]:
    fields = answers.FIELDS.get(message) or table.fields(message)
    return tuple(_part(number, *each) for number, each in sorted(fields.items()))


def _part(number: int, name: str, type_name: str, flags: str) -> _Part:
    if type_name in _SCALARS:
        wire_type, encode_value = _SCALARS[type_name]
        # The values of maps are texts and bytes, and their entries messages.
        return _Part(number, name, wire.BYTES if "m" in flags else wire_type, encode_value, flags)
    special = _SPECIAL.get(type_name) or functools.partial(encode, type_name)
    return _Part(number, name, wire.BYTES, special, flags)


def _add(out: bytearray, part: _Part, content: bytes) -> None:
    out += _varint(part.number << 3 | part.wire_type)
    if part.wire_type == wire.BYTES:
        out += _varint(len(content))
    out += content


def _entry(part: _Part, key: str, value: Any) -> bytes:
    return field(1, key.encode()) + field(2, part.encode(value))


def _varint(number: int) -> bytes:
    number &= _WORD
    if number < 0x80:
        return bytes((number,))
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | wire.VARINT) + _varint(value)


def _double(value: float) -> bytes:
    return struct.pack("<d", value)


_SCALARS: Final[dict[str, tuple[int, Encode]]] = {
    "int32": (wire.VARINT, _varint),
    "int64": (wire.VARINT, _varint),
    "bool": (wire.VARINT, lambda value: _varint(bool(value))),
    "string": (wire.BYTES, lambda value: str(value).encode("utf-8", "surrogateescape")),
    "bytes": (wire.BYTES, base64.b64decode),
    "double": (wire.FIXED64, _double),
}


def _quantity(value: Any) -> bytes:
    return field(1, str(value).encode())


def _time(value: str) -> bytes:
    return _moment(timestamps.parse_time(value))


def _micro_time(value: str) -> bytes:
    return _moment(timestamps.parse_micro_time(value))


def _moment(unix_ns: int) -> bytes:
    seconds, nanos = divmod(unix_ns, durations.SECOND)
    return _number(1, seconds) + _number(2, nanos)


def _duration(value: str) -> bytes:
    return _number(1, durations.parse_duration(value))


def _int_or_string(value: int | str) -> bytes:
    if isinstance(value, str):
        return _number(1, 1) + _number(2, 0) + field(3, value.encode())
    return _number(1, 0) + _number(2, value) + field(3, b"")


def _raw_json(value: Any) -> bytes:
    return field(1, msgspec.json.encode(value))


def _strings(value: list[str]) -> bytes:
    return b"".join(field(1, each.encode()) for each in value)


def _schema_or_bool(value: Any) -> bytes:
    if isinstance(value, bool):
        return _number(1, value)
    return _number(1, 1) + field(2, encode(_SCHEMA, value))


def _schema_or_list(value: Any) -> bytes:
    if isinstance(value, list):
        return b"".join(field(2, encode(_SCHEMA, each)) for each in value)
    return field(1, encode(_SCHEMA, value))


def _schema_or_names(value: Any) -> bytes:
    if isinstance(value, list):
        return b"".join(field(2, each.encode()) for each in value)
    return field(1, encode(_SCHEMA, value))


_SCHEMA: Final = "apiextensions.v1.JSONSchemaProps"
_SPECIAL: Final[dict[str, Encode]] = {
    "resource.Quantity": _quantity,
    "meta.v1.Time": _time,
    "meta.v1.MicroTime": _micro_time,
    "meta.v1.Duration": _duration,
    "intstr.IntOrString": _int_or_string,
    "meta.v1.FieldsV1": _raw_json,
    "runtime.RawExtension": _raw_json,
    "apiextensions.v1.JSON": _raw_json,
    "authentication.v1.ExtraValue": _strings,
    "authorization.v1.ExtraValue": _strings,
    "certificates.v1.ExtraValue": _strings,
    "apiextensions.v1.JSONSchemaPropsOrBool": _schema_or_bool,
    "apiextensions.v1.JSONSchemaPropsOrArray": _schema_or_list,
    "apiextensions.v1.JSONSchemaPropsOrStringArray": _schema_or_names,
}
