"""The document in protobuf, as gnostic's messages for OpenAPI v2 have it.

Each message is a table: which key of the JSON form is which field, and of what type. What begins
with ``x-`` is an extension, whose value is kept as a text in YAML (here: JSON).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

    Encode = Callable[[int, Any], bytes]

_BYTES: Final = 2
_DOUBLE: Final = 1


def field(number: int, content: bytes) -> bytes:
    """A field that has a length."""
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def named(number: int, name: str, message: bytes) -> bytes:
    """An entry of a map: a name and a message."""
    return field(number, field(1, name.encode()) + field(2, message))


def schema(value: Json) -> bytes:
    """The message of a schema."""
    return _message(_SCHEMA, 31, value)


def path_item(value: Json) -> bytes:
    """The message of a path item."""
    return _message(_PATH_ITEM, 10, value)


def parameter(value: Json) -> bytes:
    """The message of a parameter."""
    if value["in"] == "body":
        return field(1, _message(_BODY, 6, value))
    number, table = _OTHER_PARAMETERS[value["in"]]
    return field(2, field(number, _message(table, _EXTENSIONS[number], value)))


def api_key(value: Json) -> bytes:
    """The message of a way to authenticate by a key."""
    return field(2, _message(_API_KEY, 5, value))


def _varint(number: int) -> bytes:
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _message(table: dict[str, tuple[int, Encode]], extensions: int, value: Json) -> bytes:
    out = []
    for key, each in value.items():
        if key in table:
            number, encode = table[key]
            out.append(encode(number, each))
        elif key.startswith("x-"):
            out.append(named(extensions, key, _any(each)))
    return b"".join(out)


def _any(value: Any) -> bytes:
    return field(2, msgspec.json.encode(value))


def _text(number: int, value: str) -> bytes:
    return field(number, value.encode())


def _texts(number: int, value: list[str]) -> bytes:
    return b"".join(_text(number, each) for each in value)


def _bool(number: int, value: bool) -> bytes:
    return _varint(number << 3) + b"\x01" if value else b""


def _int(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(int(value))


def _double(number: int, value: float) -> bytes:
    return _varint(number << 3 | _DOUBLE) + struct.pack("<d", value)


def _one_any(number: int, value: Any) -> bytes:
    return field(number, _any(value))


def _anys(number: int, value: list[Any]) -> bytes:
    return b"".join(_one_any(number, each) for each in value)


def _schema(number: int, value: Json) -> bytes:
    return field(number, schema(value))


def _schemas(number: int, value: list[Json]) -> bytes:
    return b"".join(_schema(number, each) for each in value)


def _items(number: int, value: Json) -> bytes:
    return field(number, field(1, schema(value)))


def _type(number: int, value: str) -> bytes:
    return field(number, _text(1, value))


def _properties(number: int, value: Json) -> bytes:
    entries = [named(1, name, schema(each)) for name, each in value.items()]
    return field(number, b"".join(entries))


def _others(number: int, value: Any) -> bytes:
    if isinstance(value, dict):
        return field(number, field(1, schema(value)))
    return field(number, _bool(2, bool(value)))


def _documents(number: int, value: Json) -> bytes:
    return field(number, _message({"description": (1, _text), "url": (2, _text)}, 3, value))


def _parameters(number: int, value: list[Json]) -> bytes:
    out = []
    for each in value:
        if "$ref" in each:
            out.append(field(number, field(2, _text(1, each["$ref"]))))
        else:
            out.append(field(number, field(1, parameter(each))))
    return b"".join(out)


def _responses(number: int, value: Json) -> bytes:
    entries = [
        named(1, code, field(1, _message(_RESPONSE, 5, each))) for code, each in value.items()
    ]
    return field(number, b"".join(entries))


def _operation(number: int, value: Json) -> bytes:
    return field(number, _message(_OPERATION, 13, value))


_SCHEMA: Final[dict[str, tuple[int, Encode]]] = {
    "$ref": (1, _text), "format": (2, _text), "title": (3, _text), "description": (4, _text),
    "default": (5, _one_any), "multipleOf": (6, _double), "maximum": (7, _double),
    "exclusiveMaximum": (8, _bool), "minimum": (9, _double), "exclusiveMinimum": (10, _bool),
    "maxLength": (11, _int), "minLength": (12, _int), "pattern": (13, _text),
    "maxItems": (14, _int), "minItems": (15, _int), "uniqueItems": (16, _bool),
    "maxProperties": (17, _int), "minProperties": (18, _int), "required": (19, _texts),
    "enum": (20, _anys), "additionalProperties": (21, _others), "type": (22, _type),
    "items": (23, _items), "allOf": (24, _schemas), "properties": (25, _properties),
    "externalDocs": (29, _documents), "example": (30, _one_any),
}  # fmt: skip
_BODY: Final[dict[str, tuple[int, Encode]]] = {
    "description": (1, _text), "name": (2, _text), "in": (3, _text), "required": (4, _bool),
    "schema": (5, _schema),
}  # fmt: skip
_QUERY: Final[dict[str, tuple[int, Encode]]] = {
    "required": (1, _bool), "in": (2, _text), "description": (3, _text), "name": (4, _text),
    "type": (6, _text), "format": (7, _text), "uniqueItems": (20, _bool),
}  # fmt: skip
_PATH: Final[dict[str, tuple[int, Encode]]] = {
    "required": (1, _bool), "in": (2, _text), "description": (3, _text), "name": (4, _text),
    "type": (5, _text), "format": (6, _text), "uniqueItems": (19, _bool),
}  # fmt: skip
_OTHER_PARAMETERS: Final = {"query": (3, _QUERY), "path": (4, _PATH)}
_EXTENSIONS: Final = {3: 23, 4: 22}
_RESPONSE: Final[dict[str, tuple[int, Encode]]] = {
    "description": (1, _text),
    "schema": (2, _items),
}
_OPERATION: Final[dict[str, tuple[int, Encode]]] = {
    "tags": (1, _texts), "description": (3, _text), "operationId": (5, _text),
    "produces": (6, _texts), "consumes": (7, _texts), "parameters": (8, _parameters),
    "responses": (9, _responses),
}  # fmt: skip
_PATH_ITEM: Final[dict[str, tuple[int, Encode]]] = {
    "get": (2, _operation), "put": (3, _operation), "post": (4, _operation),
    "delete": (5, _operation), "patch": (8, _operation), "parameters": (9, _parameters),
}  # fmt: skip
_API_KEY: Final[dict[str, tuple[int, Encode]]] = {
    "type": (1, _text), "name": (2, _text), "in": (3, _text), "description": (4, _text),
}  # fmt: skip
