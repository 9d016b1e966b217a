"""What a compiled rule refers to, read from the form in which the CEL library hands it out.

The library does not know the fields of a custom resource. So the tree of an expression, which it
serializes as a protobuf message, is walked here along the schema: a field that is not there is
found when the definition is written, not when an object is validated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.objects.cel import wire
from kubestage.objects.custom import cel_names

if TYPE_CHECKING:
    from kubestage.objects.cel.wire import Message
    from kubestage.objects.custom.nodes import Node

# Where the parts of messages are: fields of CheckedExpr, SourceInfo and Expr.
_EXPRESSION, _SOURCE, _POSITIONS = 4, 5, 4
_ID, _IDENT, _SELECT, _CALL, _LIST, _STRUCT, _COMPREHENSION = 2, 4, 5, 6, 7, 8, 9


class Problem(NamedTuple):
    """A mistake in an expression, and the place (in characters) where it is."""

    offset: int
    text: str


class Facts(NamedTuple):
    """Whether an expression reads the old value, and which unknown fields it reads."""

    uses_old_self: bool
    problems: list[Problem]


def facts(serialized: bytes, self_node: Node, *, is_root: bool, optional_old: bool) -> Facts:
    """Walk an expression in which `self` and `oldSelf` are values of a schema."""
    scope = {"self": self_node} if optional_old else {"self": self_node, "oldSelf": self_node}
    walk = _walked(serialized, scope, is_root=is_root)
    return Facts(walk.uses_old_self, walk.problems)


def problems(serialized: bytes, scope: Scope, *, escapes: bool = True) -> list[Problem]:
    """What an expression reads that the schemas of its variables do not have.

    Without escapes, fields are known by their own names even where those are no identifiers.
    """
    return _walked(serialized, scope, is_root=False, escapes=escapes).problems


def _walked(serialized: bytes, scope: Scope, *, is_root: bool, escapes: bool = True) -> _Walk:
    checked = wire.message(wire.message(serialized)[2][0])
    source = wire.part(checked, _SOURCE) or {}
    positions = {}
    for entry in wire.parts(source, _POSITIONS):
        positions[entry.get(1, [0])[0]] = entry.get(2, [0])[0]
    walk = _Walk(positions, is_root=is_root, escapes=escapes)
    expression = wire.part(checked, _EXPRESSION)
    assert expression is not None
    walk.visit(expression, scope)
    return walk


Scope = dict[str, "Node"]


class _Walk:
    """One walk over one expression; the schema of a part is None if nothing is known of it."""

    def __init__(self, positions: dict[int, int], *, is_root: bool, escapes: bool) -> None:
        self.positions = positions
        self.escapes = escapes
        self.is_root = is_root
        self.uses_old_self = False
        self.problems: list[Problem] = []

    def visit(self, expression: Message, scope: Scope) -> Node | None:
        """The schema of an expression's value; mistakes on the way are noted."""
        if _IDENT in expression:
            name = wire.text(wire.message(expression[_IDENT][0]), 1)
            self.uses_old_self |= name == "oldSelf"
            return scope.get(name)
        if _SELECT in expression:
            return self._select(expression, scope)
        if _CALL in expression:
            return self._call(wire.message(expression[_CALL][0]), scope)
        if _COMPREHENSION in expression:
            return self._comprehension(wire.message(expression[_COMPREHENSION][0]), scope)
        if _LIST in expression:
            for each in wire.parts(wire.message(expression[_LIST][0]), 1):
                self.visit(each, scope)
        if _STRUCT in expression:
            for entry in wire.parts(wire.message(expression[_STRUCT][0]), 2):
                for each in (*wire.parts(entry, 3), *wire.parts(entry, 4)):
                    self.visit(each, scope)
        return None

    def _select(self, expression: Message, scope: Scope) -> Node | None:
        select = wire.message(expression[_SELECT][0])
        operand, name = wire.part(select, 1), wire.text(select, 2)
        assert operand is not None
        node = self.visit(operand, scope)
        if node is None or node.int_or_string:
            return None
        offset = self.positions.get(expression[_ID][0], 0)
        if node.type != "object":
            kind = cel_names.type_name(node)
            text = f"type '{kind}' does not support field selection"
            self.problems.append(Problem(offset, text))
            return None
        if node.additional is not None:
            return node.additional
        is_root = node is scope.get("self") and self.is_root
        fields = cel_names.fields(node, is_root=is_root) if self.escapes else node.properties
        if name not in fields:
            self.problems.append(Problem(offset, f"undefined field '{name}'"))
        return fields.get(name)

    def _call(self, call: Message, scope: Scope) -> Node | None:
        target = wire.part(call, 1)
        found = [self.visit(each, scope) for each in wire.parts(call, 3)]
        if target is not None:
            self.visit(target, scope)
        if wire.text(call, 2) == "_[_]" and found and found[0] is not None:
            return found[0].items if found[0].type == "array" else found[0].additional
        return None

    def _comprehension(self, parts: Message, scope: Scope) -> Node | None:
        iterated = wire.part(parts, 2)
        node = None if iterated is None else self.visit(iterated, scope)
        inner = dict(scope)
        first, second = wire.text(parts, 1), wire.text(parts, 8)
        for name in (first, second, wire.text(parts, 3)):
            inner.pop(name, None)
        if node is not None and node.type == "array" and node.items is not None:
            inner[second or first] = node.items
        elif node is not None and second and node.additional is not None:
            inner[second] = node.additional
        for number in (4, 5, 6, 7):
            for each in wire.parts(parts, number):
                self.visit(each, inner)
        return None
