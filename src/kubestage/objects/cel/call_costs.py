"""What a call costs when it is evaluated, by its arguments and its result.

These are the API server's numbers; `static_calls` has what is estimated before.
"""

from __future__ import annotations

import math
from typing import Any, Final

from kubestage.objects.cel import functions, network_functions, static_functions
from kubestage.objects.cel.authorizer_functions import TYPES as AUTHORIZER_TYPES
from kubestage.objects.cel.values import Optional

_LETTER: Final = 0.1
_REGEX: Final = 0.25
_CHECK: Final = 350_000
_MADE: Final = 11
_COMPARED: Final = 2.0
_TEXTS_AT_ONCE: Final = frozenset((
    "url", "lowerAscii", "upperAscii", "substring", "trim", "jsonpatch.escapeKey", "cidr", "isIP",
    "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver",
))  # fmt: skip
_TWICE: Final = ("replace", "split", "ip.isCanonical")
_TRAVERSING: Final = ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf")
_FIRST_TEXT: Final = frozenset((
    "starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string",
    "strings_quote", "string_format",
))  # fmt: skip
_TAGS: Final = frozenset(
    (functions.QUANTITY, functions.SEMVER, *network_functions.TYPES, *AUTHORIZER_TYPES)
)
_SETS: Final = {
    "list_sets_contains_list": 1,
    "list_sets_intersects_list": 1,
    "list_sets_equivalent_list": 2,
}
_COMPARING: Final = frozenset(
    f"{name}_{kind}"
    for name in ("less", "less_equals", "greater", "greater_equals")
    for kind in ("string", "bytes")
)


def tag(value: Any) -> str:
    """The type of a value of Kubernetes, which is carried as a map; nothing of another."""
    if type(value) is dict and len(value) == 1:
        (name,) = value
        return name if name in _TAGS else ""
    return ""


def size(value: Any) -> int:
    """How many elements a value has; one, if it is no text and no collection."""
    if isinstance(value, (str, bytes, list)):
        return len(value)
    if type(value) is dict:
        kind = tag(value)
        if kind == network_functions.IP:
            return 16 if ":" in value[kind] else 4
        if kind == network_functions.CIDR:
            return math.ceil(int(str(value[kind]).rpartition("/")[2]) / 8)
        return 1 if kind else len(value)
    if isinstance(value, Optional) and value.has_value:
        return size(value.value)
    return 1


def _traversed(count: float, factor: float = _LETTER) -> int:
    return math.ceil(float(count) * factor)


def _parts(value: Any) -> int:
    """What it costs to look at all that is in a value."""
    if isinstance(value, (str, bytes)):
        return int(len(value.encode() if isinstance(value, str) else value) * _LETTER)
    if isinstance(value, list):
        return sum(map(_parts, value))
    if type(value) is dict:
        return sum(_parts(key) + _parts(each) for key, each in value.items())
    return 1


def cost(name: str, overload: str, arguments: list[Any], result: Any) -> int:
    """The cost of a call; `overload` is empty if it shows only now which one it is."""
    found = _of_lists(overload, arguments, result)
    if found is None:
        found = _of_kubernetes(name, overload, arguments, result)
    return _standard(name, overload, arguments) if found is None else found


def _of_lists(overload: str, arguments: list[Any], result: Any) -> int | None:
    if overload in _SETS:
        return 1 + size(arguments[0]) * size(arguments[1]) * _SETS[overload]
    if overload in ("list_slice", "lists_range", "list_reverse"):
        return size(result) + _MADE
    if overload in ("list_flatten", "list_flatten_int"):
        depth = arguments[1] if len(arguments) == 2 else 1
        return size(arguments[0]) * depth + _MADE
    if overload == "list_distinct" or overload.endswith("_sort"):
        return _compared(arguments[0])
    if overload.endswith("_sortByAssociatedKeys"):
        return _compared(arguments[1])
    return None


def _compared(items: Any) -> int:
    factor = _COMPARED
    if isinstance(items, list) and items and isinstance(items[0], (str, bytes)):
        factor += _LETTER
    return int(float(size(items) ** 2) * factor) + _MADE


def _of_kubernetes(name: str, overload: str, arguments: list[Any], result: Any) -> int | None:
    if name in static_functions.CHEAP or overload == "cidr_ip":
        return 1
    if name == "check":
        return _CHECK
    if name in ("fieldSelector", "labelSelector"):
        letters = size(arguments[1])
        return 10 + _traversed(letters) + math.ceil(letters * 0.5) * 50
    if name in _TRAVERSING:
        return _parts(arguments[0])
    if name in _TEXTS_AT_ONCE:
        return _traversed(size(arguments[0]))
    if name in _TWICE:
        return _traversed(size(arguments[0]), 2 * _LETTER)
    if name == "join":
        return _traversed(size(result), 2 * _LETTER)
    if name in ("find", "findAll"):
        return _matched(arguments)
    if name in ("containsIP", "containsCIDR"):
        return _contained(name, overload, arguments)
    if name == "_==_" and tag(arguments[0]):
        return 1
    return None


def _contained(name: str, overload: str, arguments: list[Any]) -> int:
    bits = size(arguments[0])
    total = _traversed(bits + bits)
    if name == "containsCIDR":
        total += _traversed(bits) + 1
    if overload.endswith("_string"):
        total += _traversed(size(arguments[1]))
    return total


def _matched(arguments: list[Any]) -> int:
    return _traversed(1.0 + size(arguments[0])) * _traversed(size(arguments[1]), _REGEX)


def _standard(name: str, overload: str, arguments: list[Any]) -> int:
    if overload in _FIRST_TEXT:
        return _traversed(size(arguments[0]))
    if overload == "in_list":
        return size(arguments[1])
    if name in ("_==_", "_!=_") or overload in _COMPARING:
        return _traversed(min(size(arguments[0]), size(arguments[1])))
    if overload in ("add_string", "add_bytes"):
        return _traversed(size(arguments[0]) + size(arguments[1]))
    if overload == "matches_string":
        return _matched(arguments)
    if overload == "contains_string":
        return _traversed(size(arguments[0])) * _traversed(size(arguments[1]))
    return 1
