"""Numbers and durations of a stage, which may come from the object."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from kubestage.controllers.kwok import cel_programs, queries
from kubestage.golang import durations
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kwok.stage_types import ExpressionFrom


def check(source: ExpressionFrom | None, path: str) -> None:
    """Raise `InputError` if an expression cannot be read."""
    if source is None:
        return
    if source.cel is not None:
        cel_programs.check(source.cel.expression, f"{path}.cel.expression")
    elif source.jq is not None:
        queries.check(source.jq.expression, f"{path}.jq.expression")
    elif source.expression_from:
        queries.check(source.expression_from, f"{path}.expressionFrom")


def jq_of(source: ExpressionFrom) -> str | None:
    """The question in jq, whichever form has it."""
    if source.jq is not None:
        return source.jq.expression
    return source.expression_from or None


def number(value: int, source: ExpressionFrom | None, obj: Json, is_typed: bool) -> int | None:
    """A number from the object, else the default; None if the object has no usable value."""
    if source is None:
        return value
    if source.cel is not None:
        return cel_programs.as_int(cel_programs.ask(source.cel.expression, obj, is_typed))
    expression = jq_of(source)
    answer = queries.ask(expression, obj) if expression is not None else None
    if not answer:
        return value
    first = answer[0]
    if isinstance(first, str):
        return _parsed(first)
    if isinstance(first, int | float) and not isinstance(first, bool):
        return int(first)
    return value


def _parsed(text: str) -> int | None:
    """As Go reads a number whose prefix gives its base."""
    digits = text.lstrip("+-")
    try:
        if len(digits) > 1 and digits[0] == "0" and digits[1] in "01234567_":
            return int(text.replace("0", "0o0", 1), 0)
        return int(text, 0) if text == text.strip() else None
    except ValueError:
        return None


def duration_ns(
    value_ns: int | None,
    source: ExpressionFrom | None,
    obj: Json,
    now_unix_ns: int,
    is_typed: bool,
) -> int | None:
    """A duration from the object, or until a time that it names, else the given one.

    None if there is none, or if the object states that there is none.
    """
    if source is None:
        return value_ns
    if source.cel is not None:
        return _cel_duration(cel_programs.ask(source.cel.expression, obj, is_typed))
    expression = jq_of(source)
    answer = queries.ask(expression, obj) if expression is not None else None
    if not answer or not isinstance(answer[0], str):
        return value_ns
    text = answer[0]
    if not text:
        return None
    try:
        return timestamps.parse_time(text) - now_unix_ns
    except ValueError:
        pass
    try:
        return durations.parse_duration(text)
    except ValueError:
        return value_ns


def _cel_duration(value: Any) -> int:
    if isinstance(value, dt.timedelta):
        return cel_programs.nanoseconds(value)
    if isinstance(value, str):
        try:
            return durations.parse_duration(value)
        except ValueError as problem:
            raise cel_programs.EvaluationError(str(problem)) from problem
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value)
    raise cel_programs.EvaluationError(f"cel.AsDuration unsupported type: {type(value).__name__}")
