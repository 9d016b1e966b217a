"""The common part of jq, run on Python values: paths, ``[]``, and ``select(path == constant)``.

NOTE: nearly every expression in real stages is of this kind, and the jq library takes some 50 us
for each answer, since the object must be turned into its own form first; here it takes about 1 us.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

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


class PathError(Exception):
    """The value has no such part; jq answers nothing at all then."""


class Select(NamedTuple):
    """Keep a value if a part of it is, or is not, this."""

    path: tuple[Any, ...]
    constant: Any
    wanted: bool


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
    """All answers; PathError if a part cannot be looked into."""
    values = [value]
    for stage in stages:
        if isinstance(stage, Select):
            values = [each for each in values if _keeps(stage, each)]
        else:
            values = _walk(stage, values)
    return values


def _keeps(select: Select, value: Any) -> bool:
    found = _walk(select.path, [value])
    if len(found) != 1:
        raise PathError
    same = found[0] == select.constant
    if isinstance(found[0], bool) is not isinstance(select.constant, bool):
        same = False
    return bool(same) is select.wanted


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
