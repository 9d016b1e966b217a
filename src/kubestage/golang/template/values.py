"""Go's view of the values of a template: kinds, type names, truth.

JSON values stand for themselves. ``None`` is a nil that is there; ``MISSING`` is the value of an
absent key, which templates treat more gently. ``Number`` is a JSON number that kept its
text, as Go's ``json.Number``: a string in every respect but its name.
"""

from __future__ import annotations

from typing import Any, Final

STRING: Final = "string"
INT: Final = "int"
FLOAT: Final = "float64"
BOOL: Final = "bool"
ANY: Final = "interface {}"
LIST: Final = "[]interface {}"
MAP: Final = "map[string]interface {}"
COMPLEX: Final = "complex128"
NUMBER: Final = "json.Number"


class _Mark:
    """A unique value; it is pickled by its name."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __reduce__(self) -> str:
        return self._name


MISSING: Final = _Mark("MISSING")
# There is no value from the command before (this one is the first).
ABSENT: Final = _Mark("ABSENT")


class Number(str):
    """A number with the text in which it was written."""

    __slots__ = ()


_NAMES: Final[dict[type, str]] = {
    str: STRING,
    int: INT,
    float: FLOAT,
    bool: BOOL,
    list: LIST,
    dict: MAP,
    complex: COMPLEX,
    Number: NUMBER,
}


def type_name(value: Any) -> str:
    """The name of the value's type in Go."""
    name = _NAMES.get(type(value))
    if name is not None:
        return name
    if value is None or value is MISSING:
        return "<nil>"
    for known in (str, bool, int, float, list, dict):
        if isinstance(value, known):
            return _NAMES[known]
    return type(value).__name__


def truth(value: Any) -> bool:
    """Whether the value is neither zero, empty nor nil."""
    return value is not MISSING and bool(value)


def size(text: str) -> int:
    """The length of a text as Go counts it: in bytes."""
    return len(text) if text.isascii() else len(encoded(text))


def encoded(text: str) -> bytes:
    """The bytes of a text; a part of a character that was cut out comes back as it was."""
    return text.encode("utf-8", "surrogateescape")


def decoded(data: bytes) -> str:
    """The inverse of `encoded`."""
    return data.decode("utf-8", "surrogateescape")
