"""Trees of templates with the pasted values marked.

A value is pasted by an action that prints. Within it every dot, field and variable is handed to
the guard's function first, except as an argument of ``StructuralData``.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.templating import safety
from kubestage.golang.template import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.golang.template import Template

_VALUES: Final = (nodes.Dot, nodes.Field, nodes.Variable)


def walked(template: Template) -> Template:
    """The template with the guard's function applied to what it pastes."""
    return _rewritten(template, _guarded)


def traced(template: Template, direct: str, seeded: str, computed: str) -> Template:
    """As `walked`, and each paste ends in a function that receives its value.

    `direct` receives values that are pasted as they are, `seeded` texts that a seed makes
    (the seed itself is not handed to the guard), `computed` of all others.
    """
    return _rewritten(template, _Tracer(direct, seeded, computed).action)


class _Tracer:
    """Adds the functions that receive pastes."""

    def __init__(self, direct: str, seeded: str, computed: str) -> None:
        self._direct = direct
        self._seeded = seeded
        self._computed = computed

    def action(self, action: nodes.Action) -> nodes.Action:
        guarded = _guarded(action).pipeline
        name = self._direct if _is_direct(action.pipeline) else self._computed
        if _is_seeded(action.pipeline):
            name = self._seeded
            guarded.commands[0].operands[2] = action.pipeline.commands[0].operands[2]
        at = action.position
        receiver = nodes.Command(at, [nodes.Identifier(at, name)])
        return nodes.Action(
            at, nodes.Pipeline(guarded.position, [*guarded.commands, receiver], [], False)
        )


def _is_direct(pipeline: nodes.Pipeline) -> bool:
    commands = pipeline.commands
    return (
        len(commands) == 1
        and len(commands[0].operands) == 1
        and isinstance(commands[0].operands[0], _VALUES)
    )


def _is_seeded(pipeline: nodes.Pipeline) -> bool:
    commands = pipeline.commands
    first = commands[0].operands[0]
    return (
        len(commands) == 1
        and isinstance(first, nodes.Identifier)
        and first.name == "RandDataWithSeed"
        and len(commands[0].operands) == 3
    )


def _rewritten(template: Template, change: Callable[[nodes.Action], nodes.Action]) -> Template:
    bodies = {name: _body(body, change) for name, body in template.bodies.items()}
    return dataclasses.replace(template, bodies=bodies)


def _body(body: nodes.Body, change: Callable[[nodes.Action], nodes.Action]) -> nodes.Body:
    return [_statement(each, change) for each in body]


def _statement(
    statement: nodes.Statement, change: Callable[[nodes.Action], nodes.Action]
) -> nodes.Statement:
    if isinstance(statement, nodes.Action):
        return statement if statement.pipeline.variables else change(statement)
    if isinstance(statement, nodes.Branch):
        otherwise = statement.otherwise
        return dataclasses.replace(
            statement,
            body=_body(statement.body, change),
            otherwise=None if otherwise is None else _body(otherwise, change),
        )
    return statement


def _guarded(action: nodes.Action) -> nodes.Action:
    return nodes.Action(action.position, _pipeline(action.pipeline))


def _pipeline(pipeline: nodes.Pipeline) -> nodes.Pipeline:
    return dataclasses.replace(pipeline, commands=[_command(each) for each in pipeline.commands])


def _command(command: nodes.Command) -> nodes.Command:
    first: Any = command.operands[0]
    is_structural = isinstance(first, nodes.Identifier) and first.name == "StructuralData"
    operands: list[Any] = []
    for index, operand in enumerate(command.operands):
        is_called = index == 0 and len(command.operands) > 1
        if isinstance(operand, nodes.Pipeline):
            operands.append(_pipeline(operand))
        elif isinstance(operand, _VALUES) and not is_called and not is_structural:
            operands.append(_marked(operand))
        else:
            operands.append(operand)
    return nodes.Command(command.position, operands)


def _marked(operand: Any) -> nodes.Pipeline:
    at = operand.position
    apply = nodes.Command(at, [nodes.Identifier(at, safety.FUNCTION)])
    return nodes.Pipeline(at, [nodes.Command(at, [operand]), apply], [], False)
