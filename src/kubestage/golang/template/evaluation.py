"""Values of pipelines, commands and operands.

Each kind of operand has one function here, found by its class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import LimitExceeded
from kubestage.golang.quote import quote
from kubestage.golang.template import nodes
from kubestage.golang.template.failures import TemplateLimitError
from kubestage.golang.template.functions import passed
from kubestage.golang.template.limits import REFERENCE
from kubestage.golang.template.values import (
    ABSENT,
    ANY,
    BOOL,
    FLOAT,
    INT,
    LIST,
    MAP,
    MISSING,
    STRING,
    truth,
    type_name,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.golang.template.state import State


def pipeline(state: State, node: nodes.Pipeline, dot: Any) -> Any:
    """The value of a pipeline; its variables stay declared until the caller drops them."""
    state.node = node
    # NOTE: counted here and checked at the next statement or call; both are on the hot path.
    state.meter.steps -= len(node.commands)
    value: Any = ABSENT
    for command in node.commands:
        value = _command(state, command, dot, value)
        if value is None:
            value = MISSING
    for variable in node.variables:
        if node.assigns:
            state.assign(variable.name, value)
        else:
            state.variables.append([variable.name, value])
    return value


def _command(state: State, command: nodes.Command, dot: Any, final: Any) -> Any:
    operands = command.operands
    first: Any = operands[0]
    kind = type(first)
    state.node = command if kind is nodes.Pipeline else first
    if kind is nodes.Identifier:
        return _function(state, command, first.name, operands[1:], dot, final)
    has_arguments = len(operands) > 1 or final is not ABSENT
    if kind is nodes.Field:
        return _find_field(state, dot, first.names, has_arguments)
    if has_arguments and (kind is not nodes.Variable or not first.names):
        shown = f"({first})" if kind is nodes.Pipeline else str(first)
        raise state.error(f"can't give argument to non-function {shown}")
    if kind is nodes.Nil:
        raise state.error("nil is not a command")
    return _VALUES[kind](state, first, dot, has_arguments)


def _find_field(state: State, value: Any, names: Sequence[str], has_arguments: bool = False) -> Any:
    start = value
    for name in names:
        if isinstance(value, dict):
            value = value.get(name, MISSING)
        elif value is MISSING:
            return MISSING
        elif value is None:
            raise state.error(f"nil pointer evaluating {ANY}.{name}")
        else:
            found = type_name(value) if value is start else ANY
            raise state.error(f"can't evaluate field {name} in type {found}")
    if has_arguments:
        raise state.error(f"{names[-1]} is not a method but has arguments")
    return value


def _field(state: State, field: nodes.Field, dot: Any, _has: bool = False) -> Any:
    return _find_field(state, dot, field.names)


def _variable(state: State, variable: nodes.Variable, _dot: Any, has: bool = False) -> Any:
    value = state.value_of(variable.name)
    return _find_field(state, value, variable.names, has) if variable.names else value


def _chain(state: State, chain: nodes.Chain, dot: Any, has: bool = False) -> Any:
    if isinstance(chain.node, nodes.Nil):
        raise state.error(f"indirection through explicit nil in {chain}")
    value = _VALUES[type(chain.node)](state, chain.node, dot)
    state.node = chain
    return _find_field(state, MISSING if value is None else value, chain.names, has)


def _parenthesised(state: State, node: nodes.Pipeline, dot: Any, _has: bool = False) -> Any:
    return pipeline(state, node, dot)


def _constant(state: State, number: nodes.Number, _dot: Any, _has: bool = False) -> Any:
    try:
        return number.constant.ideal()
    except ValueError as problem:
        raise state.error(str(problem)) from problem


def _plain(_state: State, node: nodes.Bool | nodes.String, _dot: Any, _has: bool = False) -> Any:
    return node.value


def _dot(_state: State, _node: nodes.Dot, dot: Any, _has: bool = False) -> Any:
    return dot


def _nullary(state: State, node: nodes.Identifier, dot: Any, _has: bool = False) -> Any:
    return _function(state, node, node.name, (), dot, ABSENT)


def _function(
    state: State,
    node: nodes.Node,
    name: str,
    arguments: Sequence[nodes.Operand],
    dot: Any,
    final: Any,
) -> Any:
    function = state.functions.get(name)
    if function is None:
        raise state.error(f"{quote(name)} is not a defined function")
    count = len(arguments) + (final is not ABSENT)
    fixed = len(function.parameters)
    if function.variadic is None:
        if count != fixed:
            raise state.error(f"wrong number of args for {name}: want {fixed} got {count}")
    elif count < fixed:
        raise state.error(
            f"wrong number of args for {name}: want at least {fixed} got {len(arguments)}"
        )
    if function.stops_at is not None:
        return _until(state, arguments, dot, final, function.stops_at)
    evaluated = [
        _argument(state, node, function.type_of(index), dot) for index, node in enumerate(arguments)
    ]
    if final is not ABSENT:
        evaluated.append(_checked(state, final, function.type_of(count - 1)))
    if function.takes_source:
        evaluated.insert(0, str(arguments[0]) if arguments else evaluated[0])
    meter = state.meter
    try:
        # NOTE: small arguments are counted here, which takes half the time of a call.
        meter.steps -= 1 + len(evaluated)
        if meter.steps < 0:
            meter.step(0)
        for each in evaluated:
            if isinstance(each, _SIZED) and len(each) > _SMALL:
                meter.look_at(evaluated)
                break
        result = function.call(*evaluated)
        if isinstance(result, str):
            meter.made -= len(result)
            if meter.made < 0:
                meter.make(0)
        elif isinstance(result, list):
            meter.make(len(result) * REFERENCE)
    except LimitExceeded as problem:
        state.node = node
        error = state.error(f"error calling {name}: {problem.problem}", TemplateLimitError)
        raise error from problem
    except (ValueError, ArithmeticError) as problem:
        state.node = node
        raise state.error(f"error calling {name}: {problem}") from problem
    return result


def _until(
    state: State, arguments: Sequence[nodes.Operand], dot: Any, final: Any, stop_at: bool
) -> Any:
    """The first value of this truth, or the last; what comes after is not evaluated."""
    value: Any = None
    state.meter.step(len(arguments))
    for each in arguments:
        value = _argument(state, each, ANY, dot)
        if truth(value) is stop_at:
            return value
    return value if final is ABSENT else final


def _argument(state: State, node: nodes.Operand, kind: str, dot: Any) -> Any:
    state.node = node
    node_kind = type(node)
    if node_kind in _CONSTANTS:
        return _typed_constant(state, node, kind)
    return _checked(state, _VALUES[node_kind](state, node, dot), kind)


def _checked(state: State, value: Any, kind: str) -> Any:
    if kind is ANY:
        return None if value is MISSING else value
    try:
        return passed(value, kind)
    except ValueError as problem:
        raise state.error(str(problem)) from problem


def _typed_constant(state: State, node: nodes.Operand, kind: str) -> Any:
    if isinstance(node, nodes.Nil):
        if kind in (ANY, LIST, MAP):
            return None
        raise state.error(f"cannot assign nil to {kind}")
    if kind == ANY:
        return _VALUES[type(node)](state, node, None)
    if kind in (LIST, MAP):
        raise state.error(f"can't handle {node} for arg of type {kind}")
    if isinstance(node, nodes.Number):
        value = node.constant.int_value if kind == INT else node.constant.float_value
        if kind in (INT, FLOAT) and value is not None:
            return value
    elif isinstance(node, nodes.String):
        if kind == STRING:
            return node.value
    elif isinstance(node, nodes.Bool) and kind == BOOL:
        return node.value
    raise state.error(f"expected {_KIND_NAMES[kind]}; found {node}")


_SIZED: Final = (str, list, dict)
_SMALL: Final = 64
_KIND_NAMES: Final = {STRING: "string", INT: "integer", FLOAT: "float", BOOL: "bool"}
_CONSTANTS: Final = (nodes.Nil, nodes.Bool, nodes.String, nodes.Number)
_VALUES: Final[dict[type, Any]] = {
    nodes.Dot: _dot,
    nodes.Bool: _plain,
    nodes.String: _plain,
    nodes.Number: _constant,
    nodes.Identifier: _nullary,
    nodes.Field: _field,
    nodes.Variable: _variable,
    nodes.Chain: _chain,
    nodes.Pipeline: _parenthesised,
}
