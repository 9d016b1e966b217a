"""`eq`, `ne`, `lt`, `le`, `gt` and `ge`: equal kinds compare, others are refused."""

from __future__ import annotations

from typing import Any, Final

from kubestage.golang.template import verbs
from kubestage.golang.template.values import type_name

_BAD_TYPE: Final = "invalid type for comparison"
_ORDERED: Final = ("int", "float", "string")


def _kind(value: Any) -> str:
    """The basic kind of a value, or nothing if it has none."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        return "string"
    return "complex" if isinstance(value, complex) else ""


def eq(first: Any, *others: Any) -> bool:
    """Whether the first equals any of the others; later ones are then not compared."""
    if not others:
        raise ValueError("missing argument for comparison")
    kind = _kind(first)
    return any(_equal(first, kind, other) for other in others)


def _equal(first: Any, kind: str, other: Any) -> bool:
    other_kind = _kind(other)
    if kind != other_kind:
        if first is None or other is None:
            return False
        raise _incompatible(first, other)
    if kind:
        return bool(first == other)
    if first is None or other is None:
        return first is other
    if type(first) is not type(other):
        raise ValueError(
            f"non-comparable types {verbs.sprintf('%s', first)}: {type_name(first)}, "
            f"{type_name(other)}: {verbs.sprintf('%v', other)}"
        )
    raise ValueError(f"non-comparable type {verbs.sprintf('%s', other)}: {type_name(other)}")


def _incompatible(first: Any, other: Any) -> ValueError:
    return ValueError(
        f"incompatible types for comparison: {type_name(first)} and {type_name(other)}"
    )


def ne(first: Any, other: Any) -> bool:
    """Whether two values differ."""
    return not eq(first, other)


def lt(first: Any, other: Any) -> bool:
    """Whether the first is less than the other."""
    kind, other_kind = _kind(first), _kind(other)
    if not kind or not other_kind:
        raise ValueError(_BAD_TYPE)
    if kind != other_kind:
        raise _incompatible(first, other)
    if kind not in _ORDERED:
        raise ValueError(_BAD_TYPE)
    return bool(first < other)


def le(first: Any, other: Any) -> bool:
    """Whether the first is less than the other or equals it."""
    return lt(first, other) or eq(first, other)


def gt(first: Any, other: Any) -> bool:
    """Whether the first is more than the other."""
    return not le(first, other)


def ge(first: Any, other: Any) -> bool:
    """Whether the first is not less than the other."""
    return not lt(first, other)
