"""Expressions evaluated step by step, with what each step costs.

The CEL library does not say what an evaluation costs. Where that could be too much, an expression
is evaluated here, and stopped when its cost exceeds the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel import call_costs, call_values, syntax
from kubestage.objects.cel.functions import NO_OVERLOAD
from kubestage.objects.cel.qualifiers import Chain, Qualifier
from kubestage.objects.cel.run import CANCELLED, CostExceeded, Result, Run
from kubestage.objects.cel.values import Failure, Optional, TypeName, equal

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.cel.checker import Checked
    from kubestage.objects.cel.syntax import Expr

    Scope = dict[str, Any]
    Step = Callable[[Run, Scope], Any]

_LIST, _MAP, _MESSAGE = 10, 30, 40
_CONVERSIONS: Final = frozenset(
    ("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint")
)
_TYPE_NAMES: Final = frozenset(
    ("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint")
)
_MESSAGE_TYPES: Final = ("google.protobuf.Duration", "google.protobuf.Timestamp")
_INDEXING: Final = ("_[_]", "_[?_]", "_?._")
_NO_VALUE: Final = object()
MESSAGE: Final = "__type__"
"""The key under which a map that stands for a message has the name of its type."""


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


class _Lazy:
    """A value that is made when it is first asked for."""

    __slots__ = ("scope", "step", "value")

    def __init__(self, step: Step, scope: Scope) -> None:
        self.step = step
        self.scope = scope
        self.value: Any = _NO_VALUE

    def get(self, run: Run) -> Any:
        """The value."""
        if self.value is _NO_VALUE:
            self.value = self.step(run, self.scope)
        return self.value


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
            return lambda run, scope: constant
        if self._is_attribute(expression):
            return self._attribute(expression)
        if isinstance(expression, syntax.Call):
            return self._call(expression)
        if isinstance(expression, syntax.ListOf):
            return self._list(expression)
        if isinstance(expression, syntax.MapOf):
            return self._map(expression)
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
            if expression.target is None and len(expression.arguments) == 1:
                value = self._constant(expression.arguments[0])
                if value is not _NO_VALUE:
                    return call_values.call(expression.name, [value], is_method=False)
        return _NO_VALUE

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
            return Chain(self._conditional(expression)), True
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
            first, _, rest = name.partition(".")
            return Chain(_variable(name, rest.count(".") + 1 if first == "variables" else 0)), False
        chain, is_free = self._start(select.operand)
        chain.qualifiers.append(Qualifier(select.name, is_test=select.is_test))
        return chain, is_free or select.is_test

    def _start(self, expression: Expr) -> tuple[Chain, bool]:
        """The path that another one goes on from; or any value."""
        if self._is_attribute(expression) and self._constant(expression) is _NO_VALUE:
            return self._chain(expression)
        return Chain(self.step(expression)), False

    def _conditional(self, call: syntax.Call) -> Step:
        condition = self.step(call.arguments[0])
        one, other = map(self._resolver, call.arguments[1:])

        def choose(run: Run, scope: Scope) -> Any:
            value = condition(run, scope)
            if value is True:
                return one(run, scope)
            if value is False:
                return other(run, scope)
            return value if isinstance(value, Failure) else Failure(NO_OVERLOAD)

        return choose

    def _call(self, call: syntax.Call) -> Step:
        if call.name in ("_&&_", "_||_"):
            return self._logical(call, decisive=call.name == "_||_")
        overloads = self._checked.overloads_of(call)
        overload = overloads[0] if len(overloads) == 1 else ""
        if overload == "in_list":
            member = self._member_of_constants(call)
            if member is not None:
                return member
        if call.name in ("or", "orValue") and call.target is not None:
            return self._alternative(call)
        return self._function(call, overload)

    def _function(self, call: syntax.Call, overload: str) -> Step:
        parts = [] if call.target is None else [call.target]
        steps = [self.step(each) for each in (*parts, *call.arguments)]
        name, is_method = call.name, call.target is not None
        is_lenient = name == "@not_strictly_false"
        grow = self._growth(call)

        def evaluate(run: Run, scope: Scope) -> Any:
            values = [each(run, scope) for each in steps]
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
            return _extended
        return _with_entry if call.name == "cel.@mapInsert" else None

    def _member_of_constants(self, call: syntax.Call) -> Step | None:
        """Whether a value is one of a few that are written down; that alone costs nothing."""
        known = self._constant(call.arguments[1])
        if not isinstance(known, list):
            return None
        if not known:
            return lambda run, scope: False
        if not all(isinstance(each, (bool, int, float, str)) for each in known):
            return None
        value = self.step(call.arguments[0])

        def is_member(run: Run, scope: Scope) -> Any:
            found = value(run, scope)
            return found if type(found) is Failure else any(equal(found, each) for each in known)

        return is_member

    def _logical(self, call: syntax.Call, *, decisive: bool) -> Step:
        steps = [self.step(each) for each in call.arguments]

        def decide(run: Run, scope: Scope) -> Any:
            failed = None
            for each in steps:
                value = each(run, scope)
                if value is decisive:
                    return decisive
                if type(value) is not bool and failed is None:
                    failed = value if type(value) is Failure else Failure(NO_OVERLOAD)
            return not decisive if failed is None else failed

        return decide

    def _alternative(self, call: syntax.Call) -> Step:
        assert call.target is not None
        first, second = self.step(call.target), self.step(call.arguments[0])
        is_value = call.name == "orValue"

        def choose(run: Run, scope: Scope) -> Any:
            found = first(run, scope)
            if type(found) is Failure:
                return found
            if not isinstance(found, Optional):
                return Failure(NO_OVERLOAD)
            if not found.has_value:
                return second(run, scope)
            return found.value if is_value else found

        return choose

    def _list(self, made: syntax.ListOf) -> Step:
        steps = [self.step(each) for each in made.items]
        optional = made.optional

        def build(run: Run, scope: Scope) -> Any:
            items: list[Any] = []
            failed = None
            for index, each in enumerate(steps):
                value = each(run, scope)
                if type(value) is Failure:
                    failed = value
                    break
                if index in optional:
                    items += [value.value] if value.has_value else []
                else:
                    items.append(value)
            run.spend(_LIST)
            return items if failed is None else failed

        return build

    def _map(self, made: syntax.MapOf) -> Step:
        entries = [(self.step(key), self.step(each), is_opt) for key, each, is_opt in made.entries]
        first = made.entries[0][0] if made.entries else None
        cost = _MAP
        if made.message or (isinstance(first, syntax.Constant) and first.value == MESSAGE):
            cost = _MESSAGE

        def build(run: Run, scope: Scope) -> Any:
            found: dict[Any, Any] = {}
            failed = None
            for key_step, step, is_optional in entries:
                key = key_step(run, scope)
                value = key if type(key) is Failure else step(run, scope)
                if type(value) is Failure:
                    failed = value
                    break
                if not is_optional:
                    found[key] = value
                elif value.has_value:
                    found[key] = value.value
            run.spend(cost)
            return found if failed is None else failed

        return build

    def _loop(self, loop: syntax.Loop) -> Step:
        over, start = self.step(loop.over), self.step(loop.start)
        fresh = _fresh(loop.start)
        if fresh is not None:
            start = fresh
            self._growing.append(loop.accumulator)
        condition, step = self.step(loop.condition), self.step(loop.step)
        result = self.step(loop.result)
        if fresh is not None:
            self._growing.pop()
        first, second, accumulator = loop.first, loop.second, loop.accumulator

        def fold(run: Run, scope: Scope) -> Any:
            whole = over(run, scope)
            turns = _turns(whole, is_pair=bool(second))
            if isinstance(turns, Failure):
                return turns
            outer = dict(scope)
            outer[accumulator] = _Lazy(start, scope)
            inner = dict(outer)
            for key, value in turns:
                inner[first] = key
                if second:
                    inner[second] = value
                if condition(run, inner) is False:
                    break
                inner[accumulator] = step(run, inner)
            outer[accumulator] = inner[accumulator]
            return result(run, outer)

        return fold


def _fresh(start: Expr) -> Step | None:
    """What makes the empty list or map that a loop begins with; None if it begins otherwise."""
    if isinstance(start, syntax.ListOf) and not start.items:
        return lambda run, scope: []
    if isinstance(start, syntax.MapOf) and not start.entries and not start.message:
        return lambda run, scope: {}
    return None


def _turns(whole: Any, *, is_pair: bool) -> Any:
    """What the variables of a loop are in each turn."""
    if type(whole) is list:
        return enumerate(whole) if is_pair else ((each, None) for each in whole)
    if type(whole) is dict and not call_costs.tag(whole):
        return list(whole.items())
    return whole if isinstance(whole, Failure) else Failure(NO_OVERLOAD)


def _variable(name: str, cost: int = 0) -> Step:
    def look_up(run: Run, scope: Scope) -> Any:
        run.spend(cost)
        value = scope.get(name, _NO_VALUE)
        if type(value) is _Lazy:
            return value.get(run)
        return Failure(f"no such attribute(s): {name}") if value is _NO_VALUE else value

    return look_up


def _extended(values: list[Any]) -> Any:
    whole, more = values
    if type(whole) is not list or type(more) is not list:
        return Failure(NO_OVERLOAD)
    whole += more
    return whole


def _with_entry(values: list[Any]) -> Any:
    whole, key, *rest = values
    for name, value in (key if isinstance(key, dict) else {key: rest[0]}).items():
        if name in whole:
            return Failure(f"insert failed: key {name} already exists")
        whole[name] = value
    return whole
