"""Questions about an object, in jq."""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Final, NamedTuple

from kubestage import lazy
from kubestage.errors import InputError, KubestageError, LimitExceeded

# NOTE: hardly any stage needs the whole of jq.
with lazy.imports():
    from kubestage.controllers.kwok import jq_process

_STEP: Final = re.compile(
    r"\s*(?:\.?\[\s*(?P<each>)\]|\.?\[\s*(?P<index>-?\d+)\s*\]"
    r'|\.?\[\s*(?P<key>"(?:[^"\\(]|\\["\\/bfnrt])*")\s*\]'
    r'|\.(?P<quoted>"(?:[^"\\(]|\\["\\/bfnrt])*")|\.(?P<name>[A-Za-z_]\w*))'
)
_SELECT: Final = re.compile(
    r"\s*select\s*\(\s*(?P<path>[^()|,;]*?)\s*(?P<operator>==|!=)\s*"
    r'(?P<constant>"(?:[^"\\(]|\\["\\/bfnrt])*"|-?\d+(?:\.\d+)?|true|false|null)\s*\)\s*'
)
_EACH: Final = object()


class PathError(KubestageError):
    """The value has no such part; jq answers nothing at all then."""


class Select(NamedTuple):
    """Keep a value if a part of it is, or is not, this."""

    path: tuple[Any, ...]
    constant: Any
    is_equal: bool


Stage = tuple[Any, ...] | Select


def read(expression: str) -> tuple[Stage, ...] | None:
    """The stages of an expression, or None if it needs the whole of jq."""
    stages: list[Stage] = []
    at, end = 0, len(expression)
    while True:
        selected = _SELECT.match(expression, at)
        if selected is not None:
            path = _path(selected["path"])
            if path is None:
                return None
            constant = json.loads(selected["constant"])
            stages.append(Select(path, constant, selected["operator"] == "=="))
            at = selected.end()
        else:
            bar = expression.find("|", at)
            stop = end if bar < 0 else bar
            path = _path(expression[at:stop])
            if path is None:
                return None
            stages.append(path)
            at = stop
        if at == end:
            return tuple(stages)
        if expression[at] != "|":
            return None
        at += 1


def _path(text: str) -> tuple[Any, ...] | None:
    text = text.strip()
    if text == ".":
        return ()
    if not text.startswith("."):
        return None
    steps: list[Any] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            return None
        kind = found.lastgroup
        value = found[kind or 0]
        if kind == "each":
            steps.append(_EACH)
        elif kind == "index":
            steps.append(int(value))
        else:
            steps.append(value if kind == "name" else json.loads(value))
        at = found.end()
    return tuple(steps)


def run(stages: tuple[Stage, ...], value: Any) -> list[Any]:
    """All answers; PathError if a part cannot be read."""
    values = [value]
    for stage in stages:
        if isinstance(stage, Select):
            values = [each for each in values if _matches(stage, each)]
        else:
            values = _walk(stage, values)
    return values


def _matches(select: Select, value: Any) -> bool:
    found = _walk(select.path, [value])
    if len(found) != 1:
        raise PathError
    same = found[0] == select.constant
    if isinstance(found[0], bool) is not isinstance(select.constant, bool):
        same = False
    return bool(same) is select.is_equal


def _walk(path: tuple[Any, ...], values: list[Any]) -> list[Any]:
    for step in path:
        if step is _EACH:
            values = [element for value in values for element in _elements(value)]
        else:
            values = [_part(value, step) for value in values]
    return values


def _elements(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    raise PathError


def _part(value: Any, step: str | int) -> Any:
    if value is None:
        return None
    if isinstance(step, str):
        if isinstance(value, dict):
            return value.get(step)
    elif isinstance(value, list):
        return value[step] if -len(value) <= step < len(value) else None
    raise PathError


_REMEMBERED: Final = 4096


class QueryResult(list[Any]):
    """What a query answered, without nulls. `computed` if its numbers may be jq's own work."""

    __slots__ = ("computed",)

    def __init__(self, values: list[Any], computed: bool) -> None:
        super().__init__(value for value in values if value is not None)
        self.computed = computed


def check(expression: str, path: str) -> None:
    """Raise `InputError` if the expression is no jq; `path` is where it stands."""
    if _quick(expression) is not None:
        return
    try:
        jq_process.check(expression)
    except LimitExceeded as problem:
        raise LimitExceeded(problem.problem, path=path) from None
    except jq_process.JqError as problem:
        lines = str(problem).splitlines() or [str(problem)]
        problem_text = lines[0].removeprefix("jq: error: ")
        raise InputError(f"not a jq expression: {problem_text}", path=path) from None


def ask(expression: str, obj: Any) -> QueryResult | None:
    """All answers; None if the question makes no sense for this object.

    `LimitExceeded` if it takes too much time or memory to answer.
    """
    stages = _quick(expression)
    if stages is not None:
        try:
            return QueryResult(run(stages, obj), computed=False)
        except PathError:
            return None
    try:
        return QueryResult(jq_process.outputs(expression, obj), computed=True)
    except jq_process.JqError:
        return None


@functools.lru_cache(maxsize=_REMEMBERED)
def _quick(expression: str) -> tuple[Stage, ...] | None:
    return read(expression)
