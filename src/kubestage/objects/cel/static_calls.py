"""What one call may cost at most, and how large its result may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects.cel import sizes, static_functions, static_lists, syntax
from kubestage.objects.cel.sizes import ONE, Range

if TYPE_CHECKING:
    from kubestage.objects.cel.static_cost import Estimate
    from kubestage.objects.cel.syntax import Call

_REGEX: Final = 0.25
_BYTES_OF_A_LETTER: Final = 4
_ADDING: Final = ("add_string", "add_bytes", "add_list")
_COMPARING: Final = frozenset(
    ["equals", "not_equals"]
    + [
        f"{name}_{kind}"
        for name in ("less", "less_equals", "greater", "greater_equals")
        for kind in ("string", "bytes")
    ]
)


class CallCost(NamedTuple):
    """What a call costs, and the size of its result if that is known."""

    cost: Range
    size: Range | None = None


def estimate(walk: Estimate, call: Call, overload: str, costs: list[Range]) -> CallCost:
    """The cost of a call with its arguments, of which the costs are given."""
    together = sizes.NONE
    for each in costs:
        together = together.plus(each)
    if overload in ("logical_and", "logical_or"):
        return CallCost(Range(costs[0].least, costs[0].plus(costs[1]).most))
    if overload == "conditional":
        return _conditional(walk, call, costs)
    for rules in (static_lists.estimate, static_functions.estimate, _standard):
        found = rules(walk, call, overload)
        if found is not None:
            cost, size = found
            return CallCost(cost.plus(together), size)
    return CallCost(ONE.plus(together))


def _conditional(walk: Estimate, call: Call, costs: list[Range]) -> CallCost:
    _, one, other = call.arguments
    entries = walk.entries(one)
    if entries is not None:
        walk.note_entries(call, entries.union(walk.entries(other)))
    cost = costs[0].plus(costs[1].union(costs[2]))
    return CallCost(cost, walk.size(one).union(walk.size(other)))


def _standard(walk: Estimate, call: Call, overload: str) -> tuple[Range, Range | None] | None:
    """The functions of the language itself that cost more than one."""
    arguments, target = call.arguments, call.target
    if overload in _COMPARING:
        most = min(walk.size(arguments[0]).most, walk.size(arguments[1]).most)
        return Range(min(most, 1), most).traversed(), None
    if overload in _ADDING:
        return _added(walk, call, overload)
    if overload == "in_list":
        return walk.size(arguments[1]), None
    if overload in ("starts_with_string", "ends_with_string"):
        return walk.size(arguments[0]).traversed(), None
    if overload == "string_to_bytes":
        size = walk.size(arguments[0])
        return size.traversed(), Range(size.least, _wrapped(size.most * _BYTES_OF_A_LETTER))
    if overload == "bytes_to_string":
        size = walk.size(arguments[0])
        return size.traversed(), Range(size.least // _BYTES_OF_A_LETTER, size.most)
    if overload == "strings_quote":
        size = walk.size(arguments[0])
        return size.traversed(), Range(size.least + 2, _wrapped(size.most * 2 + 2))
    if target is None:
        return None
    if overload == "string_format":
        return walk.size(target).traversed(), None
    if overload == "matches_string":
        return matched(walk.size(target), walk.size(arguments[0])), None
    if overload == "contains_string":
        return walk.size(target).traversed().times(walk.size(arguments[0]).traversed()), None
    return None


def matched(text: Range, pattern: Range) -> Range:
    """What it costs to look for a pattern: an empty text counts as one letter."""
    return text.plus(ONE).traversed().times(pattern.scaled(_REGEX))


def _wrapped(number: int) -> int:
    """A number as the API server has it, where no care is taken of overflows."""
    return number & sizes.MOST


def _added(walk: Estimate, call: Call, overload: str) -> tuple[Range, Range | None]:
    one, other = call.arguments
    size = walk.size(one).plus(walk.size(other))
    entries = walk.entries(one)
    if entries is not None:
        walk.note_entries(call, entries.union(walk.entries(other)))
    return (ONE if overload == "add_list" else size.traversed()), size


def written_number(call: Call, index: int) -> int | None:
    """An argument that is a whole number as it is written."""
    argument = call.arguments[index] if index < len(call.arguments) else None
    if isinstance(argument, syntax.Constant) and type(argument.value) is int:
        return argument.value
    return None
