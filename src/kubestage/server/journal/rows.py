"""Objects as rows and back."""

from __future__ import annotations

import json
import zlib
from typing import Any, Final

import msgspec

from kubestage.store.restoring import ObjectKey

Row = tuple[str, str, int, bytes]

_encode: Final = msgspec.json.Encoder().encode
_fields: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode: Final = msgspec.json.Decoder().decode
# Where objects of one template are alike.
_SHARED: Final = frozenset({"spec", "status", "labels", "managedFields", "ownerReferences"})


def encode(place: ObjectKey, obj: dict[str, Any]) -> Row:
    """The row of an object: resource, key, checksum and text."""
    resource, key = address(place)
    text = text_of(obj)
    return resource, key, checksum(resource, key, text), text


def text_of(value: Any) -> bytes:
    """A value as it is written."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        # YAML can spell half of a surrogate pair; only an escape can carry it.
        return json.dumps(value).encode()


def address(place: ObjectKey) -> tuple[str, str]:
    """Resource and key, as rows name them: ``deployments.apps``, ``default/web``."""
    group, plural, key = place
    return f"{plural}.{group}" if group else plural, key


def checksum(resource: str, key: str, text: bytes) -> int:
    """The checksum of a row."""
    return zlib.crc32(text, zlib.crc32(f"{resource}/{key}".encode()))


def place_of(resource: str, key: str) -> ObjectKey:
    """Where the object of a row belongs."""
    plural, _, group = resource.partition(".")
    return ObjectKey(group, plural, key)


class RowDecoder:
    """Reads objects back; those that are alike share memory again."""

    def __init__(self) -> None:
        self._parts: dict[bytes, Any] = {}

    def decode(self, text: bytes) -> dict[str, Any]:
        """The object of a row."""
        try:
            return {
                name: self._parts_of(raw) if name == "metadata" else self._part(name, raw)
                for name, raw in _fields(text).items()
            }
        except msgspec.DecodeError:
            loaded: dict[str, Any] = json.loads(text)
            return loaded

    def _parts_of(self, metadata: msgspec.Raw) -> dict[str, Any]:
        return {name: self._part(name, raw) for name, raw in _fields(metadata).items()}

    def _part(self, name: str, raw: msgspec.Raw) -> Any:
        if name not in _SHARED:
            return _decode(raw)
        text = bytes(raw)
        found = self._parts.get(text)
        if found is None:
            found = self._parts[text] = _decode(text)
        return found
