"""Values on the walk through an object: absence, equality, and the keys of list items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from kubestage.errors import KubestageError
from kubestage.golang import formatting
from kubestage.objects.ownership import path_element

if TYPE_CHECKING:
    from kubestage.objects.ownership.topology import Atom, List

Form = Literal["map", "list", "scalar"]


class _Absent:
    """No value at all, which is not the same as null."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


def form(atom: Atom, value: Any) -> Form:
    """As what a value is treated: as what it is, if that is allowed there."""
    if isinstance(value, dict):
        if atom.map is not None:
            return "map"
    elif isinstance(value, list):
        if atom.list is not None:
            return "list"
    elif value is not None and atom.scalar is not None:
        return "scalar"
    if atom.map is not None:
        return "map"
    return "scalar" if atom.scalar is not None else "list"


def equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same; to Python, ``True`` equals 1."""
    if one is other:
        return True
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and len(one) == len(other)
            and all(key in other and equal(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


class NoElement(KubestageError):
    """An item of a list cannot be identified; the text has the reason."""


def element_of(shape: List, item: Any) -> str:
    """The path element of an item of a list that is not one piece."""
    if not shape.keys:
        return _of_set(item)
    if item is None:
        raise NoElement("associative list with keys may not have a null element")
    if not isinstance(item, dict):
        raise NoElement("associative list with keys may not have non-map elements")
    keys = []
    for key in shape.keys:
        if key in item:
            keys.append((key, item[key]))
        elif key in shape.defaults:
            keys.append((key, shape.defaults[key]))
    if not keys:
        names = " ".join(f'"{key}"' for key in shape.keys)
        raise NoElement(
            f"associative list with keys has an element that omits all key fields [{names}] "
            "(and doesn't have default values for any key fields)"
        )
    return path_element.of_keys(keys)


def _of_set(item: Any) -> str:
    if isinstance(item, dict):
        raise NoElement("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise NoElement("not supported: associative list with lists as elements")
    if item is None:
        raise NoElement("associative list without keys has an element that's an explicit null")
    return path_element.of_value(item)


def indexed(shape: List, items: list[Any]) -> dict[str, list[Any]]:
    """The items by their path element, repeated ones together; what has none is left out."""
    found: dict[str, list[Any]] = {}
    for item in items:
        try:
            element = element_of(shape, item)
        except NoElement:
            continue
        found.setdefault(element, []).append(item)
    return found


def shown(value: Any) -> str:
    """A wrapped value as the messages of the merge library print it."""
    return f"&{{{formatting.show(value)}}}"
