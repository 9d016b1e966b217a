"""Questions about an object, in jq."""

from __future__ import annotations

import functools
import importlib
from typing import Any, Final

from kubestage.controllers.kwok import jq_paths
from kubestage.errors import InputError

_REMEMBERED: Final = 4096


class Answer(list[Any]):
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
        _program(expression)
    except ValueError as problem:
        lines = str(problem).splitlines() or [str(problem)]
        trouble = lines[0].removeprefix("jq: error: ")
        raise InputError(f"not a jq expression: {trouble}", path=path) from None


def ask(expression: str, obj: Any) -> Answer | None:
    """All answers; None if the question makes no sense for this object."""
    stages = _quick(expression)
    if stages is not None:
        try:
            return Answer(jq_paths.run(stages, obj), computed=False)
        except jq_paths.PathError:
            return None
    try:
        return Answer(_program(expression).input_value(obj).all(), computed=True)
    except ValueError:
        return None


@functools.lru_cache(maxsize=_REMEMBERED)
def _quick(expression: str) -> tuple[jq_paths.Stage, ...] | None:
    return jq_paths.read(expression)


@functools.lru_cache(maxsize=_REMEMBERED)
def _program(expression: str) -> Any:
    # Compiled programs cannot be pickled, so they live here and nowhere else.
    return importlib.import_module("jq").compile(expression)
