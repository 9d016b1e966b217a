"""The parts of an expression as functions that evaluate them and count what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.cel import call_costs, syntax
from kubestage.objects.cel.functions import NO_OVERLOAD
from kubestage.objects.cel.values import Failure, Optional

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.cel.run import Run
    from kubestage.objects.cel.syntax import Expr

    Scope = dict[str, Any]
    Step = Callable[[Run, Scope], Any]

_LIST, _MAP, _MESSAGE = 10, 30, 40
_NO_VALUE: Final = object()
_MESSAGE_KEY: Final = "__type__"
"""The key under which a map that stands for a message has the name of its type."""


class _Lazy:
    """A value that is evaluated when it is first read."""

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


class Turn(NamedTuple):
    """What a loop evaluates: once at its beginning, in each turn, and once at its end."""

    start: Step
    condition: Step
    step: Step
    result: Step


def choice(condition: Step, one: Step, other: Step) -> Step:
    """One of two, by a condition."""

    def choose(run: Run, scope: Scope) -> Any:
        value = condition(run, scope)
        if value is True:
            return one(run, scope)
        if value is False:
            return other(run, scope)
        return value if isinstance(value, Failure) else Failure(NO_OVERLOAD)

    return choose


def logical(terms: list[Step], *, decisive: bool) -> Step:
    """Terms of which one that is decisive settles it, whether or not others fail."""

    def decide(run: Run, scope: Scope) -> Any:
        failed = None
        for each in terms:
            value = each(run, scope)
            if value is decisive:
                return decisive
            if type(value) is not bool and failed is None:
                failed = value if type(value) is Failure else Failure(NO_OVERLOAD)
        return not decisive if failed is None else failed

    return decide


def alternative(first: Step, second: Step, *, is_value: bool) -> Step:
    """What may be absent, or else another."""

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


def made_list(items: list[Step], optional: frozenset[int]) -> Step:
    """A list."""

    def build(run: Run, scope: Scope) -> Any:
        found: list[Any] = []
        failed = None
        for index, each in enumerate(items):
            value = each(run, scope)
            if type(value) is Failure:
                failed = value
                break
            if index in optional:
                found += [value.value] if value.has_value else []
            else:
                found.append(value)
        run.spend(_LIST)
        return found if failed is None else failed

    return build


def map_cost(made: syntax.MapOf) -> int:
    """What it costs to make a map, or a message."""
    first = made.entries[0][0] if made.entries else None
    is_message = isinstance(first, syntax.Constant) and first.value == _MESSAGE_KEY
    return _MESSAGE if made.message or is_message else _MAP


def made_map(entries: list[tuple[Step, Step, bool]], cost: int) -> Step:
    """A map of keys and values, of which some may be absent."""

    def build(run: Run, scope: Scope) -> Any:
        found: dict[Any, Any] = {}
        failed = None
        for key_step, step, is_optional in entries:
            key = key_step(run, scope)
            value: Any = key if type(key) is Failure else step(run, scope)
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


def loop(names: syntax.Loop, over: Step, turn: Turn) -> Step:
    """A comprehension."""
    first, second, accumulator = names.first, names.second, names.accumulator
    start, condition, step, result = turn

    def fold(run: Run, scope: Scope) -> Any:
        turns = _turns(over(run, scope), is_pair=bool(second))
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


def always(value: Any) -> Step:
    """What is the same in every evaluation, and costs nothing."""

    def constant(run: Run, scope: Scope) -> Any:
        del run, scope
        return value

    return constant


def _empty(kind: Callable[[], Any]) -> Step:
    def make(run: Run, scope: Scope) -> Any:
        del run, scope
        return kind()

    return make


def fresh(start: Expr) -> Step | None:
    """What makes the empty list or map that a loop begins with; None if it begins otherwise."""
    if isinstance(start, syntax.ListOf) and not start.items:
        return _empty(list)
    if isinstance(start, syntax.MapOf) and not start.entries and not start.message:
        return _empty(dict)
    return None


def _turns(whole: Any, *, is_pair: bool) -> Any:
    """What the variables of a loop are in each turn."""
    if type(whole) is list:
        return enumerate(whole) if is_pair else ((each, None) for each in whole)
    if type(whole) is dict and not call_costs.tag(whole):
        return list(whole.items())
    return whole if isinstance(whole, Failure) else Failure(NO_OVERLOAD)


def variable(name: str, cost: int = 0) -> Step:
    """A variable, and what it costs besides looking it up."""

    def look_up(run: Run, scope: Scope) -> Any:
        run.spend(cost)
        value = scope.get(name, _NO_VALUE)
        if type(value) is _Lazy:
            return value.get(run)
        return Failure(f"no such attribute(s): {name}") if value is _NO_VALUE else value

    return look_up


def extended(values: list[Any]) -> Any:
    """A list to which another was added."""
    whole, more = values
    if type(whole) is not list or type(more) is not list:
        return Failure(NO_OVERLOAD)
    whole += more
    return whole


def with_entry(values: list[Any]) -> Any:
    """A map to which a key, or all of another map, was added."""
    whole, key, *rest = values
    for name, value in (key if isinstance(key, dict) else {key: rest[0]}).items():
        if name in whole:
            return Failure(f"insert failed: key {name} already exists")
        whole[name] = value
    return whole
