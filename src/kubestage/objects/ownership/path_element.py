"""One step of a path through an object, in the text form in which FieldsV1 writes it.

``f:name`` is a field, ``k:{"name":"c"}`` the item of a list that has these keys, ``v:"x"`` the
item of a set, ``i:0`` the item at an index. The text is canonical: equal steps are equal strings.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Final

import msgspec

from kubestage.golang import formatting, integers
from kubestage.objects.validation import field

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode
_ESCAPED: Final = re.compile("[<>&\u2028\u2029]")
_INDEX: Final = re.compile(r"[+-]?\d+").fullmatch
_SAFE: Final = re.compile(r"[-A-Za-z0-9_./: ]*").fullmatch
_RANKS: Final = {".": 0, "f": 1, "k": 2, "v": 3, "i": 4}
_VALUE_RANKS: Final = {float: 0, int: 0, str: 1, bool: 2}


def _json(value: Any) -> str:
    if type(value) is str and _SAFE(value):
        return f'"{value}"'
    if type(value) is float and value.is_integer():
        value = int(value)
    text = _encode(value).decode()
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def of_keys(keys: list[tuple[str, Any]]) -> str:
    """The item that has these values under its keys."""
    inside = ",".join([f"{_json(name)}:{_json(value)}" for name, value in sorted(keys)])
    return f"k:{{{inside}}}"


def of_value(value: Any) -> str:
    """The item of a set that equals the value."""
    return f"v:{_json(value)}"


def canonical(text: str) -> str | None:
    """The one form of a step that a client wrote; None for unknown forms.

    ValueError if it is of a known form and still makes no sense.
    """
    kind, colon, rest = text[:1], text[1:2], text[2:]
    if len(text) < 2:
        raise ValueError("key must be 2 characters long")
    if colon != ":":
        raise ValueError("missing colon")
    if kind == "f":
        return text
    if kind == "i":
        if not _INDEX(rest):
            raise ValueError(f"invalid index {rest!r}")
        return f"i:{integers.parse(rest)}"
    if kind not in ("k", "v"):
        return None
    value = _decode(rest)
    if kind == "v":
        return of_value(value)
    if not isinstance(value, dict):
        raise ValueError("a key must be an object")
    return of_keys(list(value.items()))


def _value_order(value: Any) -> tuple[int, Any]:
    rank = _VALUE_RANKS.get(type(value), 3)
    return (rank, value) if rank < 3 else (rank, _json(value))


@functools.lru_cache(maxsize=4096)
def order(element: str) -> tuple[Any, ...]:
    """By what the steps at one place are sorted: fields, then keys, values and indexes."""
    rank, rest = _RANKS[element[0]], element[2:]
    if rank <= 1:
        return rank, rest
    if rank == 2:
        keys = _decode(rest)
        return rank, [(name, _value_order(keys[name])) for name in sorted(keys)]
    return (rank, _value_order(_decode(rest))) if rank == 3 else (rank, integers.parse(rest))


def _value_text(value: Any) -> str:
    if isinstance(value, str):
        return field.quote(value)
    return "null" if value is None else formatting.show(value)


def text(element: str) -> str:
    """The step as messages show it: ``.spec``, ``[name="c"]``, ``[="x"]``."""
    kind, rest = element[0], element[2:]
    if kind == "f":
        return f".{rest}"
    if kind == "i":
        return f"[{rest}]"
    value = _decode(rest)
    if kind == "v":
        return f"[={_value_text(value)}]"
    return f"[{','.join(f'{name}={_value_text(value[name])}' for name in sorted(value))}]"
