"""The tree of an expression, read from the form in which the CEL library hands it out."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel import wire

if TYPE_CHECKING:
    from kubestage.objects.cel.wire import Message

_EXPRESSION: Final = {"CheckedExpr": 4, "ParsedExpr": 2}
_CONSTANT, _IDENT, _SELECT, _CALL, _LIST, _STRUCT, _LOOP = 3, 4, 5, 6, 7, 8, 9
_INT64: Final = 1 << 64


class Uint(int):
    """A whole number that CEL keeps apart from the others."""


class Expr:
    """A part of an expression, the same object wherever it is met."""

    __slots__ = ()


class Constant(Expr):
    """A literal."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Ident(Expr):
    """A variable or the name of a type."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Select(Expr):
    """A field of a value, or whether it is there."""

    __slots__ = ("is_test", "name", "operand")

    def __init__(self, operand: Expr, name: str, *, is_test: bool) -> None:
        self.operand = operand
        self.name = name
        self.is_test = is_test


class Call(Expr):
    """A function or operator; of a method, `target` is the value before the dot."""

    __slots__ = ("arguments", "name", "target")

    def __init__(self, name: str, target: Expr | None, arguments: list[Expr]) -> None:
        self.name = name
        self.target = target
        self.arguments = arguments


class ListOf(Expr):
    """A list of what its parts are; `optional` are those that may be absent."""

    __slots__ = ("items", "optional")

    def __init__(self, items: list[Expr], optional: frozenset[int]) -> None:
        self.items = items
        self.optional = optional


class MapOf(Expr):
    """A map: keys, values, and whether one may be absent; a message has its name, too."""

    __slots__ = ("entries", "message")

    def __init__(self, entries: list[tuple[Expr, Expr, bool]], message: str) -> None:
        self.entries = entries
        self.message = message


class Loop(Expr):
    """A comprehension."""

    __slots__ = ("accumulator", "condition", "first", "over", "result", "second", "start", "step")

    def __init__(self, parts: Message) -> None:
        self.first = wire.text(parts, 1)
        self.second = wire.text(parts, 8)
        self.accumulator = wire.text(parts, 3)
        self.over = _part(parts, 2)
        self.start = _part(parts, 4)
        self.condition = _part(parts, 5)
        self.step = _part(parts, 6)
        self.result = _part(parts, 7)

    @property
    def is_binding(self) -> bool:
        """Whether it is no loop, but gives a value a name."""
        return (
            isinstance(self.over, ListOf)
            and not self.over.items
            and isinstance(self.condition, Constant)
            and self.condition.value is False
            and self.accumulator != "__result__"
        )


def read(serialized: bytes) -> Expr:
    """The tree of an expression that the library compiled."""
    outer = wire.message(serialized)
    kind = outer[1][0].decode().rpartition(".")[2]
    return _part(wire.message(outer[2][0]), _EXPRESSION[kind])


def dotted(expression: Expr) -> str:
    """The name that an expression may be, with dots in it; nothing if it cannot be a name."""
    if isinstance(expression, Ident):
        return expression.name
    if isinstance(expression, Select) and not expression.is_test:
        start = dotted(expression.operand)
        return f"{start}.{expression.name}" if start else ""
    return ""


def _part(parts: Message, number: int) -> Expr:
    found = wire.part(parts, number)
    assert found is not None, "it was compiled"
    return _expression(found)


def _expression(fields: Message) -> Expr:
    if _CONSTANT in fields:
        return Constant(_constant(wire.message(fields[_CONSTANT][0])))
    if _IDENT in fields:
        return Ident(wire.text(wire.message(fields[_IDENT][0]), 1).removeprefix("."))
    if _SELECT in fields:
        select = wire.message(fields[_SELECT][0])
        is_test = bool(select.get(3, [0])[0])
        return Select(_part(select, 1), wire.text(select, 2), is_test=is_test)
    if _CALL in fields:
        call = wire.message(fields[_CALL][0])
        target = wire.part(call, 1)
        arguments = [_expression(each) for each in wire.parts(call, 3)]
        name = wire.text(call, 2)
        return Call(name, None if target is None else _expression(target), arguments)
    if _LIST in fields:
        made = wire.message(fields[_LIST][0])
        items = [_expression(each) for each in wire.parts(made, 1)]
        return ListOf(items, frozenset(_packed(made.get(2, []))))
    if _STRUCT in fields:
        return _struct(wire.message(fields[_STRUCT][0]))
    return Loop(wire.message(fields[_LOOP][0]))


def _packed(values: list[Any]) -> list[int]:
    return [each for value in values for each in ([value] if isinstance(value, int) else value)]


def _struct(made: Message) -> MapOf:
    entries: list[tuple[Expr, Expr, bool]] = []
    for entry in wire.parts(made, 2):
        key = _part(entry, 3) if 3 in entry else Constant(wire.text(entry, 2))
        entries.append((key, _part(entry, 4), bool(entry.get(5, [0])[0])))
    return MapOf(entries, wire.text(made, 1))


def _constant(fields: Message) -> Any:
    ((number, (value, *_)),) = fields.items()
    if number == 1:
        return None
    if number == 2:
        return bool(value)
    if number == 3:
        return value - _INT64 if value >= _INT64 >> 1 else value
    if number == 4:
        return Uint(value)
    if number == 5:
        return struct.unpack("<d", value)[0]
    return value.decode() if number == 6 else bytes(value)
