"""Commands that take an options object: its fields become flags of the command line.

::

    @option_objects.command
    def run(files: Files, options: RunOptions, output: Output = "table") -> int: ...

Typer sees a parameter for each flag of `RunOptions` and of ``output``; the function is called with
the options object. Flags are described by `kubestage.runs.flags.Flag`.
"""

from __future__ import annotations

import functools
import inspect
import os
import typing
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from kubestage.cli import completion
from kubestage.runs import choices, flags
from kubestage.runs.flags import Field, Flag, Options

if TYPE_CHECKING:
    from collections.abc import Callable

_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def command(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """A function that Typer can register as a command, and that calls this one."""
    parts = _Parts(function)

    @functools.wraps(function)
    def call(**values: Any) -> int | None:
        return function(**parts.arguments(values))

    parameters = [*parts.arguments_only.values(), *(_parameter(each) for each in parts.fields)]
    call.__signature__ = inspect.Signature(parameters, return_annotation=None)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    del call.__wrapped__
    return call


class _Parts:
    """The parameters of a function: options objects, flags of the command, and arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = typing.get_type_hints(function, include_extras=True)
        self.fields: list[Field] = []
        self.options: dict[str, type[Options]] = {}
        self.command_flags: list[Field] = []
        self.arguments_only: dict[str, inspect.Parameter] = {}
        place = 0
        for name, parameter in inspect.signature(function).parameters.items():
            hint = hints[name]
            flag = flags.flag_of(hint)
            if isinstance(hint, type) and issubclass(hint, Options):
                self.options[name] = hint
                self.fields += flags.fields(hint)
                place = len(self.fields)
            elif flag is None:
                changed = parameter.replace(annotation=hint, kind=_KEYWORD)
                self.arguments_only[name] = changed
            else:
                is_required = parameter.default is parameter.empty
                default = msgspec.NODEFAULT if is_required else parameter.default
                field = Field(name, hint, flag, default)
                self.command_flags.append(field)
                place = flags.place_after(self.fields, field, place)
                self.fields.insert(place, field)
                place += 1

    def arguments(self, values: dict[str, Any]) -> dict[str, Any]:
        """What the function is called with, from the values that Typer has parsed."""
        arguments = {name: values[name] for name in self.arguments_only}
        for field in self.command_flags:
            arguments[field.name] = _value(field, values)
            field.check(arguments[field.name])
        for name, options in self.options.items():
            found = flags.fields(options)
            arguments[name] = options(**{each.name: _value(each, values) for each in found})
        return arguments


def output_flag(*formats: str, after: str | None = None) -> Flag:
    """The ``-o`` of a command that prints in a few formats."""
    return Flag(
        f"{', '.join(formats[:-1])} or {formats[-1]}.",
        "-o",
        "--output",
        metavar="FORMAT",
        choices=formats,
        noun="output format",
        after=after,
    )


def _value(field: Field, values: dict[str, Any]) -> Any:
    value = values[field.name]
    variable = field.flag.env
    if variable is not None and field.choices and os.environ.get(variable) == value:
        # A variable is easily forgotten, so that an error names it.
        choices.check_choice(value, field.choices, variable)
    return tuple(value or ()) if field.is_many else value


def _parameter(field: Field) -> inspect.Parameter:
    """The parameter that Typer reads."""
    default: Any = inspect.Parameter.empty
    kind: Any = field.type
    if field.is_many:
        item = typing.get_args(field.type)[0]
        kind = list[item] if field.required else list[item] | None  # type: ignore[valid-type]
    if not field.required:
        default = (list(field.default) or None) if field.is_many else field.default
    annotation = Annotated[kind, _option(field)]
    return inspect.Parameter(field.name, _KEYWORD, default=default, annotation=annotation)


def _option(field: Field) -> Any:
    flag = field.flag
    described = "" if flag.default is None else f" [dim][default: {flag.default}][/dim]"
    return typer.Option(
        *field.names,
        metavar=flag.metavar or "|".join(field.choices) or None,
        help=f"{flag.help}{described}",
        envvar=flag.env,
        min=flag.minimum,
        max=flag.maximum,
        hidden=flag.hidden,
        autocompletion=_completer(field),
        show_default=flag.show_default and flag.default is None,
        rich_help_panel=flag.panel,
    )


def _completer(field: Field) -> Callable[[str], Any] | None:
    if field.flag.completion is not None:
        return completion.COMPLETERS[field.flag.completion]
    return completion.one_of(*field.choices) if field.choices else None
