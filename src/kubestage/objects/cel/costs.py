"""What an expression may cost, before it is evaluated.

The library stops comprehensions after ten thousand turns, and nesting at 32 levels. What it does
not bound is how large values become, and how long one function works on them. Both follow from the
tree of the expression and from the size of the data: an upper bound of them is counted here, so
that an expression is refused on every machine or on none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.cel import wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.cel.wire import Message

# How long an expression may be: compiling this many characters takes a second.
LONGEST: Final = 1 << 15
TOO_LONG: Final = f"an expression may have {LONGEST:,} characters"
TOO_COSTLY: Final = "estimated cost of the expression exceeds the limit for data of this size"
# No object that a server takes is larger than this.
LARGEST_OBJECT: Final = 1 << 24
_MOST_BYTES: Final = 64 << 20
# NOTE: a unit is about a nanosecond.
_MOST_WORK: Final = 1_000_000_000
_MOST_TURNS: Final = 10_000
_MOST_VISITS: Final = 20_000
# What a value takes besides its letters, and the work on any part of an expression.
_VALUE: Final = 8
_VISIT: Final = 50
_CONSTANT, _IDENT, _SELECT, _CALL, _LIST, _STRUCT, _COMPREHENSION = 3, 4, 5, 6, 7, 8, 9
_EXPRESSION: Final = {"CheckedExpr": 4, "ParsedExpr": 2}
# Functions that compare each part of one value with each of another.
_QUADRATIC: Final = frozenset((
    "contains", "distinct", "indexOf", "lastIndexOf", "replace", "split",
    "sets.contains", "sets.equivalent", "sets.intersects",
))  # fmt: skip
# Functions whose result is as large as what they work on, or as all of it together.
_COPYING: Final = frozenset((
    "_+_", "_?_:_", "_?._", "_[?_]", "_[_]", "add", "bytes", "charAt", "distinct", "dyn", "find",
    "findAll", "flatten", "lowerAscii", "max", "min", "optional.of", "optional.ofNonZeroValue",
    "or", "orValue", "quantity", "reverse", "semver", "slice", "sort", "split", "string", "sub",
    "substring", "sum", "trim", "type", "upperAscii", "value",
))  # fmt: skip
_NAMESPACES: Final = ("lists", "optional", "sets", "strings")
_GROWING: Final = frozenset(("replace", "join", "format", "lists.range", "strings.quote"))
# How many letters one letter of a format can ask for, and one in quotes can become.
_FORMATTED: Final = 150
_QUOTED: Final = 2


# What the API server counts for functions that look for a pattern, a selector or a permission.
_PATTERNS: Final = frozenset(("matches", "find", "findAll"))
_SELECTORS: Final = ("fieldSelector", "labelSelector")
_SELECTOR: Final = 26
_CHECK: Final = 350_000


class Cost(NamedTuple):
    """An upper bound of a value's bytes, and of the work that makes it."""

    size: float
    work: float


def is_plain(serialized: bytes) -> bool:
    """Whether an expression cannot cost much, whatever it is evaluated on.

    It has neither a comprehension nor a function that can make a value larger than all of its
    arguments together.
    """
    return _is_plain(_root(serialized))


def _is_plain(expression: Message) -> bool:
    if _COMPREHENSION in expression:
        return False
    if _CALL in expression:
        name, _ = _called(wire.message(expression[_CALL][0]))
        if name in _GROWING or name in _QUADRATIC:
            return False
    return all(map(_is_plain, _children(expression)))


def _called(call: Message) -> tuple[str, list[Message]]:
    """A function and its arguments; one of a namespace may look like a method of that."""
    name, target = wire.text(call, 2), wire.part(call, 1)
    operands = list(wire.parts(call, 3))
    if target is None:
        return name, operands
    identifier = wire.part(target, _IDENT)
    space = "" if identifier is None else wire.text(identifier, 1)
    return (f"{space}.{name}", operands) if space in _NAMESPACES else (name, [target, *operands])


def _children(expression: Message) -> list[Message]:
    found: list[Message] = []
    for fields in wire.parts(expression, _SELECT):
        found += wire.parts(fields, 1)
    for fields in wire.parts(expression, _CALL):
        found += [*wire.parts(fields, 1), *wire.parts(fields, 3)]
    for fields in wire.parts(expression, _LIST):
        found += wire.parts(fields, 1)
    for fields in wire.parts(expression, _STRUCT):
        for entry in wire.parts(fields, 2):
            found += [*wire.parts(entry, 3), *wire.parts(entry, 4)]
    return found


def _root(serialized: bytes) -> Message:
    outer = wire.message(serialized)
    kind = outer[1][0].decode().rpartition(".")[2]
    root = wire.part(wire.message(outer[2][0]), _EXPRESSION[kind])
    assert root is not None, "it was compiled"
    return root


def size_of(value: Any) -> int:
    """The size of data, as costs count it."""
    size, todo = 0, [value]
    while todo:
        each = todo.pop()
        size += _VALUE
        kind = type(each)
        if kind is str:
            size += len(each)
        elif kind is dict:
            size += sum(map(len, map(str, each)))
            todo += each.values()
        elif kind is list:
            todo += each
        elif isinstance(each, (str, bytes)):
            size += len(each)
    return size


def is_affordable(serialized: bytes, data_size: int) -> bool:
    """Whether an expression may be evaluated on data of this size."""
    cost = _Estimate(data_size).of(_root(serialized), {})
    return cost.size <= _MOST_BYTES and cost.work <= _MOST_WORK


def most_cost(serialized: bytes, data_size: int) -> float:
    """What an expression can cost at most for data of this size, as the API server counts it.

    The work is counted in smaller units, but for a few functions.
    """
    return _Counted(data_size).of(_root(serialized), {}).work


class _Estimate:
    """One walk over one expression."""

    def __init__(self, data_size: int) -> None:
        self._data_size = data_size
        self._visits = 0
        # How often what is looked at may be evaluated: all loops share their turns.
        self._times = 1.0

    def of(self, expression: Message, scope: Mapping[str, float]) -> Cost:
        """The cost of an expression in which variables have these sizes."""
        self._visits += 1
        if self._visits > _MOST_VISITS:
            return Cost(math.inf, math.inf)
        if _IDENT in expression:
            name = wire.text(wire.message(expression[_IDENT][0]), 1)
            return Cost(scope.get(name, self._data_size), _VISIT)
        if _CALL in expression:
            return self._call(wire.message(expression[_CALL][0]), scope)
        if _COMPREHENSION in expression:
            return self._comprehension(wire.message(expression[_COMPREHENSION][0]), scope)
        if _CONSTANT in expression:
            return Cost(_VALUE + len(expression[_CONSTANT][0]), _VISIT)
        parts = [self.of(each, scope) for each in _children(expression)]
        size = _VALUE * (1 + len(parts)) + sum(each.size for each in parts)
        return Cost(size, _VISIT + sum(each.work for each in parts))

    def _call(self, call: Message, scope: Mapping[str, float]) -> Cost:
        name, operands = _called(call)
        costs = [self.of(each, scope) for each in operands]
        sizes = [each.size for each in costs] or [0.0]
        together = sum(sizes)
        work = _VISIT + sum(each.work for each in costs) + together
        work += self._counted(name, operands, sizes)
        if name in _QUADRATIC:
            work += sizes[0] * sizes[min(1, len(sizes) - 1)] / 16
        if name == "lists.range":
            size = _VALUE * _number(operands[0])
        elif name in _GROWING:
            size = _grown(name, sizes)
        else:
            size = together if name in _COPYING else _VALUE
        return Cost(size, work + size)

    def _counted(self, name: str, operands: list[Message], sizes: list[float]) -> float:
        del name, operands, sizes
        return 0

    def _comprehension(self, parts: Message, scope: Mapping[str, float]) -> Cost:
        """A loop; or ``cel.bind``, which is one over an empty list.

        The elements are together as large as the list. The cost of a turn grows at least as fast
        as its element, so that all turns cost at most as much as empty ones and one with it all.
        """
        over = self._within(parts, 2, scope)
        start = self._within(parts, 4, scope)
        turns = 0.0 if over.size <= _VALUE else min(over.size / _VALUE, _MOST_TURNS / self._times)
        size, work = start.size, over.work + start.work
        if turns:
            for count, element in ((turns, float(_VALUE)), (1.0, over.size)):
                names = (wire.text(parts, 1), wire.text(parts, 8))
                inner = {**scope, **dict.fromkeys(names, element)}
                inner[wire.text(parts, 3)] = start.size
                outer, self._times = self._times, self._times * count
                step, condition = self._within(parts, 6, inner), self._within(parts, 5, inner)
                self._times = outer
                size += count * step.size
                work += count * (step.work + condition.work)
        result = self._within(parts, 7, {**scope, wire.text(parts, 3): size})
        return Cost(result.size, work + result.work)

    def _within(self, parts: Message, number: int, scope: Mapping[str, float]) -> Cost:
        part = wire.part(parts, number)
        return Cost(_VALUE, 0) if part is None else self.of(part, scope)


class _Counted(_Estimate):
    """A walk that counts what the API server does, where that is more than the work."""

    def _counted(self, name: str, operands: list[Message], sizes: list[float]) -> float:
        if name in _PATTERNS:
            return (sizes[0] + 1) * (sizes[-1] + 1) / 16
        if name == "check":
            return _CHECK
        if name in _SELECTORS:
            return _SELECTOR * sizes[-1]
        if name in ("sort", "@sortByAssociatedKeys"):
            return sizes[-1] ** 2 / 16
        return sizes[0] * _number(operands[-1]) if name == "flatten" and len(sizes) > 1 else 0


def _grown(name: str, sizes: list[float]) -> float:
    first, last = sizes[0], sizes[-1]
    if name == "replace":
        return first * (1 + last)
    if name == "join":
        return first + first / _VALUE * last
    if name == "format":
        return _QUOTED * last + _FORMATTED * first
    return _QUOTED * first


def _number(expression: Message) -> float:
    """A constant whole number; any other could be anything."""
    constant = wire.part(expression, _CONSTANT)
    return math.inf if constant is None else float(constant.get(3, [0])[0])
