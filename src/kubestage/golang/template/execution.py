"""Runs the statements of a template: text, actions, branches, loops, other templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.golang.template import evaluation, nodes, printing
from kubestage.golang.template.failures import TemplateLimitError
from kubestage.golang.template.values import MISSING, truth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.golang.template.state import State

_BREAK: Final = "break"
_CONTINUE: Final = "continue"
# Go allows a hundred thousand; Python's stack ends much earlier.
_DEEPEST: Final = 100


def run(state: State, body: nodes.Body, dot: Any) -> str | None:
    """Run statements in order; the result is a ``break`` or ``continue`` that was reached."""
    meter = state.meter
    meter.steps -= len(body) + 1
    if meter.steps < 0:
        meter.step(0)
    for statement in body:
        state.node = statement
        if isinstance(statement, nodes.Text):
            meter.written -= len(statement.text)
            if meter.written < 0:
                meter.write("")
            state.out.append(statement.text)
            continue
        jump: str | None = _STATEMENTS[type(statement)](state, statement, dot)
        if jump is not None:
            return jump
    return None


def _action(state: State, action: nodes.Action, dot: Any) -> None:
    value = evaluation.pipeline(state, action.pipeline, dot)
    if not action.pipeline.variables:
        text = "<no value>" if value is MISSING else printing.text(value)
        state.meter.write(text)
        state.out.append(text)


def _if(state: State, branch: nodes.If, dot: Any) -> str | None:
    return _choose(state, branch, dot, is_with=False)


def _with(state: State, branch: nodes.With, dot: Any) -> str | None:
    return _choose(state, branch, dot, is_with=True)


def _choose(state: State, branch: nodes.If | nodes.With, dot: Any, is_with: bool) -> str | None:
    declared = len(state.variables)
    value = evaluation.pipeline(state, branch.pipeline, dot)
    jump = None
    if truth(value):
        jump = run(state, branch.body, value if is_with else dot)
    elif branch.otherwise is not None:
        jump = run(state, branch.otherwise, dot)
    del state.variables[declared:]
    return jump


def _range(state: State, loop: nodes.Range, dot: Any) -> str | None:
    declared = len(state.variables)
    value = evaluation.pipeline(state, loop.pipeline, dot)
    mark = len(state.variables)
    variables, assigns = loop.pipeline.variables, loop.pipeline.assigns
    ran, jump = False, None
    for index, element in _elements(state, value, len(variables)):
        ran = True
        _set_loop_variables(state, variables, assigns, index, element)
        jump = run(state, loop.body, element)
        del state.variables[mark:]
        if jump is _BREAK:
            break
    jump = None
    if not ran and loop.otherwise is not None:
        jump = run(state, loop.otherwise, dot)
    del state.variables[declared:]
    return jump


def _elements(state: State, value: Any, variables: int) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, list):
        return enumerate(value)
    if isinstance(value, dict):
        return sorted(value.items())
    if value is MISSING:
        return ()
    if isinstance(value, int) and not isinstance(value, bool):
        if variables > 1:
            raise state.error(f"can't use {value} to iterate over more than one variable")
        return ((MISSING, number) for number in range(value))
    raise state.error(f"range can't iterate over {printing.text(value)}")


def _set_loop_variables(
    state: State, variables: list[nodes.Variable], assigns: bool, index: Any, element: Any
) -> None:
    if not variables:
        return
    if not assigns:
        state.variables[-1][1] = element
        if len(variables) > 1:
            state.variables[-2][1] = index
    elif len(variables) == 1:
        state.assign(variables[0].name, element)
    else:
        state.assign(variables[0].name, index)
        state.assign(variables[1].name, element)


def _call_template(state: State, call: nodes.Call, dot: Any) -> None:
    body = state.bodies.get(call.name)
    if body is None:
        raise state.error(f"template {call.quoted} not defined")
    if state.depth >= _DEEPEST:
        problem = f"exceeded maximum template depth ({_DEEPEST})"
        raise state.error(problem, TemplateLimitError)
    value = MISSING if call.pipeline is None else evaluation.pipeline(state, call.pipeline, dot)
    name, variables = state.name, state.variables
    state.name, state.variables = call.name, [["$", value]]
    state.depth += 1
    run(state, body, value)
    state.depth -= 1
    state.name, state.variables = name, variables


_STATEMENTS: Final[dict[type, Any]] = {
    nodes.Action: _action,
    nodes.If: _if,
    nodes.With: _with,
    nodes.Range: _range,
    nodes.Call: _call_template,
    nodes.Break: lambda *_: _BREAK,
    nodes.Continue: lambda *_: _CONTINUE,
}
