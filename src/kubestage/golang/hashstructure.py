"""Hashes of Go structs as `mitchellh/hashstructure` computes them in its second format.

Of its options, those are taken as set that its users among Kubernetes controllers set: slices are
sets, and fields that are zero do not count.
"""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_OFFSET: Final = 14_695_981_039_346_656_037
_PRIME: Final = 1_099_511_628_211
_MASK: Final = (1 << 64) - 1


class Struct(NamedTuple):
    """A struct by the name of its type; `fields` are all that it exports, None if zero."""

    type_name: str
    fields: Sequence[tuple[str, Value | None]]


Value: TypeAlias = "str | int | bytes | Struct | Mapping[Any, Value] | list[Value]"
"""Strings, int64s, other numbers and times as Go marshals them, structs, maps, and slices."""


@functools.lru_cache(maxsize=4096)
def _fnv(data: bytes) -> int:
    """The 64-bit FNV-1 hash."""
    found = _OFFSET
    for byte in data:
        found = found * _PRIME & _MASK ^ byte
    return found


def hash_of(value: Value) -> int:
    """The hash of a value."""
    if isinstance(value, str):
        return _fnv(value.encode())
    if isinstance(value, int):
        return _fnv(struct.pack("<q", value))
    if isinstance(value, bytes):
        return _fnv(value)
    if isinstance(value, Struct):
        return _struct(value)
    if isinstance(value, list):
        return _combined(map(hash_of, value))
    pairs = (_ordered(hash_of(key), hash_of(each)) for key, each in value.items())
    return _finished(_combined(pairs))


def in_sequence(hashes: Iterable[int]) -> int:
    """The hash of a slice that is no set, from the hashes of its items."""
    return functools.reduce(_ordered, hashes, 0)


def _struct(value: Struct) -> int:
    """NOTE: the sum is hardened after each field that counts, as the library does."""
    found = hash_of(value.type_name)
    for name, each in value.fields:
        if each is not None:
            found = _finished(found ^ _ordered(hash_of(name), hash_of(each)))
    return found


def _combined(hashes: Iterable[int]) -> int:
    found = 0
    for each in hashes:
        found ^= each
    return found


def _ordered(first: int, second: int) -> int:
    return _fnv(struct.pack("<QQ", first, second))


def _finished(found: int) -> int:
    return _fnv(struct.pack("<Q", found))
