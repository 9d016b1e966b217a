"""What calls of functions about lists and sets may cost at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.cel import sizes, static_calls
from kubestage.objects.cel.sizes import MOST, ONE, Range

if TYPE_CHECKING:
    from kubestage.objects.cel.static_cost import Estimate
    from kubestage.objects.cel.syntax import Call

# A call, and the list that it makes.
_MADE: Final = sizes.fixed(11)
_COMPARED: Final = 2.0
"""Every element is compared with each other, in both directions."""
_TEXTS: Final = ("_string_", "_bytes_")
_SETS: Final = {
    "list_sets_contains_list": 1,
    "list_sets_intersects_list": 1,
    "list_sets_equivalent_list": 2,
}


def estimate(walk: Estimate, call: Call, overload: str) -> tuple[Range, Range | None] | None:
    """The cost of a call without its arguments, and the size of its result."""
    arguments, target = call.arguments, call.target
    if overload in _SETS:
        pairs = walk.size(arguments[0]).times(walk.size(arguments[1]))
        return pairs.scaled(_SETS[overload]).plus(ONE), None
    if overload == "lists_range":
        return _made(1, sizes.fixed(_number(call, 0, MOST)))
    if target is None:
        return None
    if overload == "list_slice":
        first, behind = _number(call, 0, 0), _number(call, 1, walk.size(target).most)
        return _made(1, sizes.fixed((behind - first) & MOST))
    if overload == "list_reverse":
        return _made(1, walk.size(target))
    if overload in ("list_flatten", "list_flatten_int"):
        depth = _number(call, 0, MOST) if arguments else 1
        return _made(depth, walk.size(target))
    if overload == "list_distinct":
        return _compared(walk.size(target), overload)
    if overload.endswith("_sort"):
        return _compared(walk.size(target), f"{overload}_")
    if overload.endswith("_sortByAssociatedKeys"):
        return _compared(walk.size(arguments[0]), overload)
    return None


def _number(call: Call, index: int, otherwise: int) -> int:
    found = static_calls.written_number(call, index)
    return otherwise if found is None else max(found, 0)


def _made(factor: float, size: Range) -> tuple[Range, Range]:
    return size.scaled(factor).plus(_MADE), size


def _compared(size: Range, overload: str) -> tuple[Range, Range]:
    factor = _COMPARED + (0.1 if any(each in overload for each in _TEXTS) else 0)
    return _made(factor, size.times(size))
