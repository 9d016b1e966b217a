"""Types of CEL as its type checker sees them, and which of them fit each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD: Final = re.compile(r"[\w.@-]+|[(),]")
_SCALARS: Final = frozenset(("bool", "double", "duration", "int", "timestamp", "uint"))
_WITH_PARTS: Final = frozenset(("list", "map", "type", "opaque"))
# Types that may be null in expressions.
_NULLABLE: Final = frozenset(("opaque", "struct", "duration", "timestamp"))


class Type(NamedTuple):
    """A type: `name` is that of a structure, an opaque type or a parameter."""

    kind: str
    name: str = ""
    parts: tuple[Type, ...] = ()

    @property
    def is_scalar(self) -> bool:
        """Whether all values are of one size."""
        if self.kind == "opaque" and self.name == OPTIONAL:
            return self.parts[0].is_scalar
        return self.kind in _SCALARS


OPTIONAL: Final = "optional_type"
DYN: Final = Type("dyn")
ERROR: Final = Type("error")
BOOL: Final = Type("bool")
INT: Final = Type("int")
UINT: Final = Type("uint")
DOUBLE: Final = Type("double")
STRING: Final = Type("string")
BYTES: Final = Type("bytes")
NULL: Final = Type("null_type")
TIMESTAMP: Final = Type("timestamp")
DURATION: Final = Type("duration")
_PLAIN: Final = {
    each.kind: each
    for each in (DYN, BOOL, INT, UINT, DOUBLE, STRING, BYTES, NULL, TIMESTAMP, DURATION)
}
_OPAQUE: Final = frozenset(("net.IP", "net.CIDR"))


def list_of(item: Type) -> Type:
    """A list."""
    return Type("list", "", (item,))


def map_of(key: Type, value: Type) -> Type:
    """A map."""
    return Type("map", "", (key, value))


def optional_of(value: Type) -> Type:
    """A value that may be absent."""
    return Type("opaque", OPTIONAL, (value,))


def parameter(name: str) -> Type:
    """A type that is yet to be found."""
    return Type("param", name)


def parse_signature(text: str) -> tuple[tuple[Type, ...], Type]:
    """The parameters and the result of a function, as in ``(string,list(A))bool``."""
    parts, rest = _list(_WORD.findall(text))
    return parts, _parsed(rest)[0]


def _list(words: list[str]) -> tuple[tuple[Type, ...], list[str]]:
    """The types in the brackets that words begin with, and what follows."""
    parts: list[Type] = []
    rest = words[1:]
    while rest[0] != ")":
        part, rest = _parsed(rest)
        parts.append(part)
        rest = rest[1:] if rest[0] == "," else rest
    return tuple(parts), rest[1:]


def _parsed(words: list[str]) -> tuple[Type, list[str]]:
    name, rest = words[0], words[1:]
    parts: tuple[Type, ...] = ()
    if rest and rest[0] == "(":
        parts, rest = _list(rest)
    if len(name) == 1 and name.isupper():
        return parameter(name), rest
    if name in ("list", "map", "type"):
        return Type(name, "", parts), rest
    if name == OPTIONAL or name in _OPAQUE:
        return Type("opaque", name, parts), rest
    return _PLAIN.get(name, Type("struct", name)), rest


def is_dyn(found: Type) -> bool:
    """Whether anything fits a type."""
    return found.kind in ("dyn", "error")


def unwrapped(found: Type) -> tuple[Type, bool]:
    """The type within an optional one, and whether it was one."""
    if found.kind == "opaque" and found.name == OPTIONAL:
        return found.parts[0], True
    return found, False


def most_general(one: Type, other: Type) -> Type:
    """Of two types that fit each other, the one that more values have."""
    return one if _is_less_specific(one, other) else other


def _is_less_specific(one: Type, other: Type) -> bool:
    if one.kind in ("dyn", "param"):
        return True
    if other.kind in ("dyn", "param") or one.kind != other.kind:
        return False
    if one.kind == "type":
        return True
    if one.kind in ("opaque", "list", "map"):
        same = one.name == other.name and len(one.parts) == len(other.parts)
        return same and all(map(_is_less_specific, one.parts, other.parts))
    return one == other


class Substitutions:
    """What is known of type parameters."""

    def __init__(self, known: dict[str, Type] | None = None) -> None:
        self._known = {} if known is None else known

    def fit(self, actual: Iterable[Type], expected: Sequence[Type]) -> bool:
        """Whether types fit others one by one; only then is what that says of parameters kept."""
        found, attempt = list(actual), Substitutions(dict(self._known))
        if len(found) != len(expected) or not all(map(attempt._fits, found, expected)):
            return False
        self._known = attempt._known
        return True

    def resolved(self, found: Type, *, finally_dyn: bool = False) -> Type:
        """A type with what is known put in; finally, unknown parameters are anything."""
        if found.kind == "param":
            known = self._known.get(found.name)
            if known is None:
                return DYN if finally_dyn else found
            return self.resolved(known, finally_dyn=finally_dyn)
        if found.parts and found.kind in _WITH_PARTS:
            parts = tuple(self.resolved(each, finally_dyn=finally_dyn) for each in found.parts)
            return found._replace(parts=parts)
        return found

    def _fits(self, one: Type, other: Type) -> bool:
        if other.kind == "param":
            fits, is_known = self._may_be(one, other)
            if fits or is_known:
                return fits
        if one.kind == "param":
            return self._may_be(other, one)[0]
        if is_dyn(one) or is_dyn(other):
            return True
        if one.kind == "null_type" or other.kind == "null_type":
            value = other if one.kind == "null_type" else one
            return value.kind in _NULLABLE or value.kind == "null_type"
        if one.kind != other.kind:
            return False
        if one.kind == "type":
            return True
        same = one.name == other.name and len(one.parts) == len(other.parts)
        return same and all(map(self._fits, one.parts, other.parts))

    def _may_be(self, found: Type, expected: Type) -> tuple[bool, bool]:
        """Whether a parameter can stand for a type, and whether it already stands for one."""
        if found == expected:
            return True, True
        known = self._known.get(expected.name)
        if known is None:
            if not self._is_within(expected, found):
                self._known[expected.name] = found
                return True, False
            return False, False
        if found == known:
            return True, True
        if not self._fits(found, known):
            return False, True
        general = most_general(found, known)
        if not self._is_within(expected, general):
            self._known[expected.name] = general
        return True, True

    def _is_within(self, expected: Type, found: Type) -> bool:
        if expected == found:
            return True
        if found.kind == "param":
            known = self._known.get(found.name)
            return known is not None and self._is_within(expected, known)
        return any(self._is_within(expected, each) for each in found.parts)
