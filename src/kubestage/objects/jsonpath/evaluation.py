"""What a template finds in a value.

A template gives one list of values for each of its parts, in the order in which they are printed;
a part within a range gives one for each turn.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import formatting
from kubestage.objects.jsonpath import nodes
from kubestage.objects.jsonpath.failures import JSONPathError

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BASIC: Final = (bool, int, float, str)


Values = list[Any]
_EXISTS: Final = "exists"
# NOTE: they take seconds to visit; the pods of the largest cluster have ten million.
_MOST_VALUES: Final = 20_000_000
_DEEPEST: Final = 50


def find(template: nodes.Template, value: Any, *, missing_ok: bool = True) -> list[Values]:
    """What each part of a template finds; a missing member is an error unless that is `ok`."""
    run = _Run(template, missing_ok)
    run.block(0, value)
    return run.found


class _Run:
    """One evaluation: how deep it is in ranges, and what was found so far."""

    def __init__(self, template: nodes.Template, missing_ok: bool) -> None:
        self.found: list[Values] = []
        self._template = template
        self._missing_ok = missing_ok
        self._depth = 0
        self._begins = False
        self._ends = False
        self._last_end = -1
        self._visited = 0

    def block(self, at: int, value: Any) -> None:
        """Evaluate the parts of a block, up to the ``end`` that closes it."""
        while at < len(self._template):
            values = self._walk(self._template[at], [value])
            if self._ends:
                self._ends = False
                self._last_end = at
                return
            if self._begins:
                self._begins = False
                self._range(at + 1, values)
                # Behind the last `end` that was met; a range that is never closed goes on inside.
                at = max(at, self._last_end)
            else:
                self.found.append(values)
            at += 1

    def _range(self, at: int, values: Values) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise JSONPathError(f"a template may have {_DEEPEST} ranges in one another")
        for value in values:
            self.block(at, value)
        if not values:
            # Nothing is printed, but the end has to be found.
            before = list(self.found)
            self.block(at, None)
            self.found = before
        self._depth -= 1

    def _walk(self, node: nodes.Node, values: Values) -> Values:
        found = self._step(node, values)
        self._count(len(found))
        return found

    def _count(self, values: int) -> None:
        self._visited += values + 1
        if self._visited > _MOST_VALUES:
            raise JSONPathError(f"a template may visit {_MOST_VALUES:,} values")

    def _step(self, node: nodes.Node, values: Values) -> Values:
        match node:
            case nodes.Action():
                for each in node.nodes:
                    values = self._walk(each, values)
                return values
            case nodes.Literal():
                return [node.text]
            case nodes.Constant():
                return [node.value] * len(values)
            case nodes.Field():
                return self._field(node, values)
            case nodes.Wildcard():
                return [member for value in values for member in _members(value)]
            case nodes.Recursive():
                return self._descendants(values)
            case nodes.Slice():
                return _sliced(node, values)
            case nodes.Union():
                return [found for each in node.actions for found in self._walk(each, values)]
            case nodes.Filter():
                return self._filtered(node, values)
            case nodes.Keyword():
                return self._keyword(node.name, values)

    def _descendants(self, values: Values) -> Values:
        """The values that consist of something, and all such below them."""
        found: Values = []
        todo = values[::-1]
        while todo:
            value = todo.pop()
            members = _members(value)
            self._count(len(members))
            if members:
                found.append(value)
                if not isinstance(value, str):
                    todo += members[::-1]
        return found

    def _keyword(self, name: str, values: Values) -> Values:
        if name == "range":
            self._begins = True
            return values
        if name != "end":
            raise JSONPathError(f"unrecognized identifier {name}")
        if not self._depth:
            raise JSONPathError("not in range, nothing to end")
        self._ends = True
        return []

    def _field(self, field: nodes.Field, values: Values) -> Values:
        found = [
            value[field.name] for value in values if isinstance(value, dict) and field.name in value
        ]
        if values and not found and not self._missing_ok:
            raise JSONPathError(f"{field.name} is not found")
        return found

    def _filtered(self, node: nodes.Filter, values: Values) -> Values:
        found: Values = []
        for value in values:
            if not isinstance(value, list):
                shown = formatting.show(value)
                raise JSONPathError(f"{shown} is not array or slice and cannot be filtered")
            found += [element for element in value if self._passes(node, element)]
        return found

    def _passes(self, node: nodes.Filter, element: Any) -> bool:
        if node.operator == _EXISTS:
            return self._exists(node.left, element)
        sides = []
        for side in (node.left, node.right):
            found = self._walk(side, [element])
            if not found:
                return False
            if len(found) > 1:
                raise JSONPathError("can only compare one element at a time")
            sides.append(found[0])
        return _compare(node.operator, *sides)

    def _exists(self, path: nodes.Action, element: Any) -> bool:
        try:
            return bool(self._walk(path, [element]))
        except JSONPathError:
            return False


def _members(value: Any) -> Values:
    """What a map, list or text consists of; of a text, the bytes."""
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    if isinstance(value, list):
        return value
    return list(value.encode()) if isinstance(value, str) else []


def _sliced(slice_node: nodes.Slice, values: Values) -> Values:
    found: Values = []
    for value in values:
        if value is None:
            continue
        if not isinstance(value, list):
            raise JSONPathError(f"{formatting.type_name(value)} is not array or slice")
        size = len(value)
        start = slice_node.start or 0
        start += size if start < 0 else 0
        end = size if slice_node.end is None else slice_node.end
        if end < 0 or (end == 0 and slice_node.is_index):
            end += size
        if start == end:
            return found
        _check_bounds(start, end, size)
        step = 1 if slice_node.step is None else slice_node.step
        if step < 1:
            raise JSONPathError("step must be > 0")
        found += value[start:end:step]
    return found


def _check_bounds(start: int, end: int, size: int) -> None:
    for index, is_inside in ((start, 0 <= start < size), (end - 1, 0 <= end <= size)):
        if not is_inside:
            raise JSONPathError(f"array index out of bounds: index {index}, length {size}")
    if start > end:
        raise JSONPathError(f"starting index {start} is greater than ending index {end}")


def _compare(sign: str, left: Any, right: Any) -> bool:
    """Whether two values of one basic kind stand in a relation, as in Go's templates."""
    relation = _COMPARE.get(sign)
    if relation is None:
        raise JSONPathError(f"unrecognized filter operator {sign}")
    if type(left) not in _BASIC or type(right) not in _BASIC:
        raise JSONPathError("invalid type for comparison")
    if type(left) is not type(right):
        raise JSONPathError("incompatible types for comparison")
    if isinstance(left, bool) and sign not in ("==", "!="):
        raise JSONPathError("invalid type for comparison")
    if isinstance(left, str):
        left, right = left.encode(), right.encode()
    return relation(left, right)
