"""The types of the parts of an expression, and the overloads that its calls may be.

The library knows neither the fields of custom resources nor the types of Kubernetes. What an
expression costs depends on both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.cel import signatures, syntax, types
from kubestage.objects.cel.types import Substitutions, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.objects.cel.syntax import Expr

    Fields = Callable[[str, str], Type | None]
    """The type of a field of a structure, by the names of both; None if it has no such field."""

_TYPE_NAMES = frozenset(
    ("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint")
)
_LITERALS: dict[type, Type] = {
    type(None): types.NULL,
    bool: types.BOOL,
    int: types.INT,
    syntax.Uint: types.UINT,
    float: types.DOUBLE,
    str: types.STRING,
    bytes: types.BYTES,
}


def no_fields(structure: str, name: str) -> Type | None:
    """No structure has any field that is known."""
    del structure, name
    return types.DYN


class Checked:
    """An expression with the types of its parts and the overloads of its calls."""

    def __init__(
        self, root: Expr, variables: Mapping[str, Type], fields: Fields = no_fields
    ) -> None:
        self.root = root
        self._fields = fields
        self._known = Substitutions()
        self._fresh = 0
        self._types: dict[Expr, Type] = {}
        self._overloads: dict[Expr, list[str]] = {}
        self._variables = variables
        self._check(root, {})
        for each, found in self._types.items():
            self._types[each] = self._known.resolved(found, finally_dyn=True)

    def type_of(self, expression: Expr) -> Type:
        """The type of a part."""
        return self._types.get(expression, types.DYN)

    def overloads_of(self, expression: Expr) -> list[str]:
        """What a call may be: one overload, or several if that shows only when it is evaluated."""
        return self._overloads.get(expression, [])

    def is_variable(self, name: str) -> bool:
        """Whether a name with dots is that of a variable."""
        return name in self._variables

    def _check(self, expression: Expr, scope: Mapping[str, Type]) -> Type:
        found = self._types[expression] = self._found(expression, scope)
        return found

    def _found(self, expression: Expr, scope: Mapping[str, Type]) -> Type:
        if isinstance(expression, syntax.Constant):
            return _LITERALS[type(expression.value)]
        if isinstance(expression, syntax.Ident):
            return self._ident(expression.name, scope)
        if isinstance(expression, syntax.Select):
            return self._select(expression, scope)
        if isinstance(expression, syntax.Call):
            return self._call(expression, scope)
        if isinstance(expression, syntax.ListOf):
            return types.list_of(self._items(expression, scope))
        if isinstance(expression, syntax.MapOf):
            return self._map(expression, scope)
        assert isinstance(expression, syntax.Loop)
        return self._loop(expression, scope)

    def _ident(self, name: str, scope: Mapping[str, Type]) -> Type:
        found = scope.get(name) or self._variables.get(name)
        if found is not None:
            return found
        return Type("type") if name in _TYPE_NAMES else types.DYN

    def _select(self, expression: syntax.Select, scope: Mapping[str, Type]) -> Type:
        name = syntax.dotted(expression)
        if name and name in self._variables:
            return self._variables[name]
        self._check(expression.operand, scope)
        found = self._field(expression.operand, expression.name, is_optional=False)
        return types.BOOL if expression.is_test else found

    def _field(self, operand: Expr, name: str, *, is_optional: bool) -> Type:
        whole, was_optional = types.unwrapped(self._known.resolved(self._types[operand]))
        found = types.DYN
        if whole.kind == "map":
            found = whole.parts[1]
        elif whole.kind == "struct":
            found = self._fields(whole.name, name) or types.ERROR
        elif whole.kind == "param":
            self._known.fit([types.DYN], [whole])
        found = self._known.resolved(found)
        return types.optional_of(found) if is_optional or was_optional else found

    def _call(self, expression: syntax.Call, scope: Mapping[str, Type]) -> Type:
        name, target = expression.name, expression.target
        actual = [self._check(each, scope) for each in expression.arguments]
        if name == "_?._":
            field = expression.arguments[1]
            assert isinstance(field, syntax.Constant)
            self._overloads[expression] = ["select_optional_field"]
            return self._field(expression.arguments[0], str(field.value), is_optional=True)
        known = signatures.functions()
        is_method = target is not None
        if target is not None:
            whole = f"{syntax.dotted(target)}.{name}"
            if whole in known:
                # What stands before the dot is a part of the function's name.
                expression.name, expression.target = whole, None
                name, is_method = whole, False
            else:
                actual = [self._check(target, scope), *actual]
        return self._resolved(expression, known.get(name, ()), actual, is_method=is_method)

    def _resolved(
        self,
        call: syntax.Call,
        overloads: tuple[signatures.Overload, ...],
        actual: list[Type],
        *,
        is_method: bool,
    ) -> Type:
        result: Type | None = None
        ids = self._overloads[call] = []
        for each in overloads:
            if each.is_method is not is_method:
                continue
            own: dict[str, Type] = {}
            expected = [self._renamed(part, own) for part in each.parameters]
            if not self._known.fit(actual, expected):
                continue
            ids.append(each.id)
            found = self._known.resolved(self._renamed(each.result, own))
            if result is None:
                result = found
            elif not types.is_dyn(result) and found != result:
                result = types.DYN
        return types.DYN if result is None else result

    def _renamed(self, found: Type, own: dict[str, Type]) -> Type:
        """A type of a signature with parameters that are this call's alone."""
        if found.kind == "param":
            if found.name not in own:
                own[found.name] = self._parameter()
            return own[found.name]
        if found.parts:
            return found._replace(parts=tuple(self._renamed(each, own) for each in found.parts))
        return found

    def _parameter(self) -> Type:
        self._fresh += 1
        return types.parameter(f"_{self._fresh}")

    def _items(self, expression: syntax.ListOf, scope: Mapping[str, Type]) -> Type:
        joined: Type | None = None
        for index, each in enumerate(expression.items):
            found = self._check(each, scope)
            if index in expression.optional:
                found = types.unwrapped(found)[0]
            joined = self._joined(joined, found)
        return self._parameter() if joined is None else joined

    def _map(self, expression: syntax.MapOf, scope: Mapping[str, Type]) -> Type:
        key: Type | None = None
        value: Type | None = None
        for each_key, each_value, is_optional in expression.entries:
            key = self._joined(key, self._check(each_key, scope))
            found = self._check(each_value, scope)
            value = self._joined(value, types.unwrapped(found)[0] if is_optional else found)
        if expression.message:
            return Type("struct", expression.message)
        if key is None or value is None:
            key, value = self._parameter(), self._parameter()
        return types.map_of(key, value)

    def _joined(self, before: Type | None, found: Type) -> Type:
        if before is None:
            return found
        if self._known.fit([before], [found]):
            return types.most_general(before, found)
        return types.DYN

    def _loop(self, loop: syntax.Loop, scope: Mapping[str, Type]) -> Type:
        over = self._known.resolved(self._check(loop.over, scope))
        start = self._check(loop.start, scope)
        first: Any = types.DYN
        second: Any = types.DYN
        if over.kind == "list":
            first, second = over.parts[0], over.parts[0]
            if loop.second:
                first = types.INT
        elif over.kind == "map":
            first, second = over.parts
        elif over.kind == "param":
            self._known.fit([types.DYN], [over])
        outer = {**scope, loop.accumulator: start}
        inner = {**outer, loop.first: first}
        if loop.second:
            inner[loop.second] = second
        self._check(loop.condition, inner)
        self._known.fit([start], [self._check(loop.step, inner)])
        self._check(loop.result, outer)
        return self._known.resolved(self._types[loop.result])
