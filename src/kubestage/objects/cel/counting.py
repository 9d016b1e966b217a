"""Expressions evaluated step by step, with what each step costs.

The CEL library does not say what an evaluation costs. Where that could be too much, an expression
is evaluated here, and stopped when its cost exceeds the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel import call_costs, call_values, steps, syntax
from kubestage.objects.cel.qualifiers import Chain, Qualifier
from kubestage.objects.cel.run import CANCELLED, CostExceeded, Result, Run
from kubestage.objects.cel.values import Failure, TypeName, equal

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.cel.checker import Checked
    from kubestage.objects.cel.syntax import Expr

    Scope = dict[str, Any]
    Step = Callable[[Run, Scope], Any]

_CONVERSIONS: Final = frozenset(
    ("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint")
)
_TYPE_NAMES: Final = frozenset(
    ("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint")
)
_MESSAGE_TYPES: Final = ("google.protobuf.Duration", "google.protobuf.Timestamp")
_INDEXING: Final = ("_[_]", "_[?_]", "_?._")
_NO_VALUE: Final = object()


class Counted:
    """An expression that can be evaluated with its cost."""

    def __init__(self, checked: Checked) -> None:
        self._step = _Compiler(checked).step(checked.root)

    def run(self, data: dict[str, Any], limit: int) -> Result:
        """Evaluate the expression, unless it costs more than a limit."""
        run = Run(limit)
        try:
            value = self._step(run, dict(data))
        except CostExceeded:
            return Result(Failure(CANCELLED), run.cost, is_too_much=True)
        return Result(value, run.cost)


class _Compiler:
    """Makes functions of the parts of one expression."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        # Lists and maps that a loop builds, and that nothing else can see before they are done.
        self._growing: list[str] = []

    def step(self, expression: Expr) -> Step:
        """What evaluates a part, and counts it."""
        constant = self._constant(expression)
        if constant is not _NO_VALUE:
            return steps.always(constant)
        if self._is_attribute(expression):
            return self._attribute(expression)
        if isinstance(expression, syntax.Call):
            return self._call(expression)
        if isinstance(expression, syntax.ListOf):
            return steps.made_list([*map(self.step, expression.items)], expression.optional)
        if isinstance(expression, syntax.MapOf):
            entries = [
                (self.step(key), self.step(each), is_optional)
                for key, each, is_optional in expression.entries
            ]
            return steps.made_map(entries, steps.map_cost(expression))
        assert isinstance(expression, syntax.Loop)
        return self._loop(expression)

    def _constant(self, expression: Expr) -> Any:
        """The value of what is the same in every evaluation, and costs nothing."""
        if isinstance(expression, syntax.Constant):
            return expression.value
        if syntax.dotted(expression) in _MESSAGE_TYPES:
            return TypeName(syntax.dotted(expression))
        if isinstance(expression, syntax.Ident):
            is_type = expression.name in _TYPE_NAMES and not self._is_known(expression)
            return TypeName(expression.name) if is_type else _NO_VALUE
        if isinstance(expression, syntax.ListOf):
            items = [self._constant(each) for each in expression.items]
            return _NO_VALUE if any(each is _NO_VALUE for each in items) else items
        if isinstance(expression, syntax.MapOf) and not expression.message:
            pairs = [tuple(map(self._constant, each[:2])) for each in expression.entries]
            is_known = not any(_NO_VALUE in pair for pair in pairs)
            return dict(pairs) if is_known else _NO_VALUE
        if isinstance(expression, syntax.Call) and expression.name in _CONVERSIONS:
            return self._converted(expression)
        return _NO_VALUE

    def _converted(self, call: syntax.Call) -> Any:
        """A constant of another type."""
        is_plain = call.target is None and len(call.arguments) == 1
        value = self._constant(call.arguments[0]) if is_plain else _NO_VALUE
        if value is _NO_VALUE:
            return _NO_VALUE
        return call_values.call(call.name, [value], is_method=False)

    def _is_known(self, expression: syntax.Ident) -> bool:
        return self._checked.type_of(expression).kind != "type"

    def _is_attribute(self, expression: Expr) -> bool:
        if isinstance(expression, syntax.Call):
            return expression.name in _INDEXING or expression.name == "_?_:_"
        return isinstance(expression, syntax.Ident | syntax.Select)

    def _attribute(self, expression: Expr) -> Step:
        chain, is_free = self._chain(expression)
        resolve = chain.resolve

        def evaluate(run: Run, scope: Scope) -> Any:
            value = resolve(run, scope)
            run.spend(1)
            return value

        return resolve if is_free else evaluate

    def _resolver(self, expression: Expr) -> Step:
        """As `step`, but a path into data does not count itself: something goes on from it."""
        if self._is_attribute(expression) and self._constant(expression) is _NO_VALUE:
            return self._chain(expression)[0].resolve
        return self.step(expression)

    def _chain(self, expression: Expr) -> tuple[Chain, bool]:
        """A path into data, and whether it costs no more than its parts."""
        if isinstance(expression, syntax.Ident):
            return Chain(_variable(expression.name)), False
        if isinstance(expression, syntax.Select):
            return self._select(expression)
        assert isinstance(expression, syntax.Call)
        if expression.name == "_?_:_":
            condition = self.step(expression.arguments[0])
            return Chain(
                steps.choice(condition, *map(self._resolver, expression.arguments[1:]))
            ), True
        whole, key = expression.arguments
        chain, is_free = self._start(whole)
        is_optional = expression.name != "_[_]"
        constant = self._constant(key)
        if constant is not _NO_VALUE:
            chain.qualifiers.append(Qualifier(constant, is_optional=is_optional))
        else:
            step = self._resolver(key)
            chain.qualifiers.append(Qualifier(None, step, is_optional=is_optional))
        return chain, is_free

    def _select(self, select: syntax.Select) -> tuple[Chain, bool]:
        name = syntax.dotted(select)
        if name and self._checked.is_variable(name):
            return Chain(_variable(name)), False
        chain, is_free = self._start(select.operand)
        chain.qualifiers.append(Qualifier(select.name, is_test=select.is_test))
        return chain, is_free or select.is_test

    def _start(self, expression: Expr) -> tuple[Chain, bool]:
        """The path that another one goes on from; or any value."""
        if self._is_attribute(expression) and self._constant(expression) is _NO_VALUE:
            return self._chain(expression)
        return Chain(self.step(expression)), False

    def _call(self, call: syntax.Call) -> Step:
        if call.name in ("_&&_", "_||_"):
            terms = [self.step(each) for each in call.arguments]
            return steps.logical(terms, decisive=call.name == "_||_")
        overloads = self._checked.overloads_of(call)
        overload = overloads[0] if len(overloads) == 1 else ""
        if overload == "in_list":
            member = self._member_of_constants(call)
            if member is not None:
                return member
        if call.name in ("or", "orValue") and call.target is not None:
            first, second = self.step(call.target), self.step(call.arguments[0])
            return steps.alternative(first, second, is_value=call.name == "orValue")
        return self._function(call, overload)

    def _function(self, call: syntax.Call, overload: str) -> Step:
        parts = [] if call.target is None else [call.target]
        actual = [self.step(each) for each in (*parts, *call.arguments)]
        name, is_method = call.name, call.target is not None
        is_lenient = name == "@not_strictly_false"
        grow = self._growth(call)

        def evaluate(run: Run, scope: Scope) -> Any:
            values = [each(run, scope) for each in actual]
            failed = None
            if not is_lenient:
                failed = next((each for each in values if type(each) is Failure), None)
            if failed is not None:
                value: Any = failed
            elif grow is not None:
                value = grow(values)
            else:
                value = call_values.call(name, values, is_method=is_method)
            run.spend(call_costs.cost(name, overload, values, value))
            return value

        return evaluate

    def _growth(self, call: syntax.Call) -> Callable[[list[Any]], Any] | None:
        """How a loop's own list or map gets another element, without a copy of it all."""
        first = call.arguments[0] if call.arguments else None
        if not isinstance(first, syntax.Ident) or first.name not in self._growing:
            return None
        if call.name == "_+_":
            return steps.extended
        return steps.with_entry if call.name == "cel.@mapInsert" else None

    def _member_of_constants(self, call: syntax.Call) -> Step | None:
        """Whether a value is one of a few that are written down; that alone costs nothing."""
        known = self._constant(call.arguments[1])
        if not isinstance(known, list):
            return None
        if not known:
            return steps.always(False)
        if not all(isinstance(each, (bool, int, float, str)) for each in known):
            return None
        value = self.step(call.arguments[0])

        def is_member(run: Run, scope: Scope) -> Any:
            found = value(run, scope)
            return found if type(found) is Failure else any(equal(found, each) for each in known)

        return is_member

    def _loop(self, loop: syntax.Loop) -> Step:
        over, start = self.step(loop.over), self.step(loop.start)
        fresh = steps.fresh(loop.start)
        if fresh is not None:
            start = fresh
            self._growing.append(loop.accumulator)
        condition, step = self.step(loop.condition), self.step(loop.step)
        result = self.step(loop.result)
        if fresh is not None:
            self._growing.pop()
        return steps.loop(loop, over, steps.Turn(start, condition, step, result))


def _variable(name: str) -> Step:
    """A variable; one of a policy is a field of another variable."""
    return steps.variable(name, 1 if name.startswith("variables.") else 0)
