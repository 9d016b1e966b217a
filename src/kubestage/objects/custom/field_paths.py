"""Paths to fields in a definition (``.spec.colour``, ``.spec['a.b']``), checked by its schema."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import MalformedValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.objects.custom.nodes import Node

_TOKEN: Final = re.compile(r"'(?:\\.|[^'\\])*'|[.\[\]]|[^.\[\]]+")
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'",
    "\\": "\\",
}  # fmt: skip


class FieldPathError(MalformedValue):
    """A path that does not lead to a field; the message is the API server's."""


class FieldFound(NamedTuple):
    """Where a path leads: the fields on the way, as a path of the API, and the schema there."""

    path: str
    first: str
    node: Node | None


def normalized(text: str, node: Node) -> str:
    """The path in the form of error messages; empty if it leads nowhere."""
    try:
        return find(text, node).path
    except FieldPathError:
        return ""


def find(text: str, node: Node, *, allows_brackets: bool = True) -> FieldFound:
    """Follow a path; FieldPathError says why it cannot be followed."""
    tokens = iter(_TOKEN.findall(text))
    path = first = ""
    at: Node | None = node
    for token in tokens:
        if token == "[":
            if not allows_brackets:
                raise FieldPathError("array notation is not allowed")
            name = _quoted(_next(tokens))
        elif token == ".":
            name = _next(tokens)
        else:
            raise FieldPathError(f"expected [ or . but got: {token}")
        if at is None or not (at.properties or at.has_additional):
            raise FieldPathError("does not refer to a valid field")
        is_named = bool(at.properties)
        if is_named and name not in at.properties:
            raise FieldPathError("does not refer to a valid field")
        step = f".{name}" if is_named else f"[{name}]"
        path = f"{path}{step}".removeprefix(".")
        first = first or name
        at = at.field(name)
        if token == "[":
            closing = _next(tokens)
            if closing != "]":
                raise FieldPathError(f"expected ] but got {closing}")
    return FieldFound(path, first, at)


def _next(tokens: Iterator[str]) -> str:
    token = next(tokens, None)
    if token is None:
        raise FieldPathError("unexpected end of JSON path")
    return token


def _quoted(token: str) -> str:
    if len(token) < 2 or token[0] != "'" or token[-1] != "'":
        raise FieldPathError(f"expected single quoted string but got {token}")
    for match in _ESCAPE.finditer(token[1:-1]):
        if match[1] not in _ESCAPES:
            raise FieldPathError(f"invalid string literal: invalid escape char {match[0]}")
    return _ESCAPE.sub(lambda match: _ESCAPES[match[1]], token[1:-1])
