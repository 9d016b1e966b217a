"""Checks a measure before it is used, and every value that it returns."""

from __future__ import annotations

import inspect
import math
import numbers
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.errors import InputError
from kubestage.scheduler import measures
from kubestage.scheduler.contract.answers import shown
from kubestage.scheduler.measures import MeasureDefinition

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_METHOD: Final = "measure"
_CALLED: Final = "define it with one parameter, the moment"
_OCCASIONS: Final = (measures.DECISION, measures.STEP)
_SIDES: Final = (None, "more", "less")
EXPECTED: Final = (
    "a measure is a function of a moment, or a class with __init__(self, args, handle) and "
    "measure(self, moment)"
)
"""What a measure looks like."""


def definitions_of(found: Iterable[Any]) -> list[MeasureDefinition]:
    """The definitions of measures; those that cannot work, and equal names, are refused."""
    known: dict[str, MeasureDefinition] = {}
    for each in found:
        definition = definition_of(each)
        if definition.name in known:
            problem = f'another measure is called "{definition.name}" already'
            raise refused(each, problem, "rename one of them")
        known[definition.name] = definition
    return list(known.values())


def definition_of(measured: Any) -> MeasureDefinition:
    """The definition of a function or class; InputError if it cannot be a measure."""
    if not callable(measured):
        raise refused(measured, f"is {shown(measured)}, not a function or class", EXPECTED)
    declared = getattr(measured, measures.DECLARED, None)
    if declared is None:
        name: Any = getattr(measured, "name", None) or getattr(measured, "__name__", "")
        declared = MeasureDefinition(name=name)
    _check_definition(measured, declared)
    _check_calls(measured)
    return declared


def value_of(definition: MeasureDefinition, measured: Any, returned: Any) -> float | int:
    """What a measure returned, as a plain number."""
    if isinstance(returned, np.generic):
        returned = returned.item()
    is_number = isinstance(returned, numbers.Real) and not isinstance(returned, bool)
    if not is_number or not math.isfinite(returned):
        fix = "return a finite number, as in float(values.mean()); a share of nothing is 0"
        name = definition.name
        raise refused(measured, f"returned {shown(returned)}, not a number", fix, name)
    return returned if isinstance(returned, int) else float(returned)


def refused(measured: Any, problem: str, fix: str, name: str = "") -> InputError:
    """The error about a measure, at its place in the user's file."""
    found = inspect.unwrap(measured) if callable(measured) else measured
    code = getattr(getattr(found, _METHOD, found), "__code__", None)
    file, line = (None, None) if code is None else (code.co_filename, code.co_firstlineno)
    about = name or str(getattr(measured, "__name__", type(measured).__name__))
    return InputError(problem, file=file, line=line, path=f"measure {about}", fix=fix)


def _check_definition(measured: Any, declared: MeasureDefinition) -> None:
    name: Any = declared.name
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        fix = 'name it with letters, digits, - and _, as in measure("emptyNodes")'
        raise refused(measured, f"{shown(name)} is no name of a measure", fix)
    if declared.at not in _OCCASIONS:
        problem = f'at is {shown(declared.at)}, not "decision" or "step"'
        raise refused(measured, problem, 'write at="decision" or at="step"', name)
    if declared.better not in _SIDES:
        problem = f'better is {shown(declared.better)}, not "more", "less" or None'
        raise refused(measured, problem, 'write better="more" or better="less"', name)
    unit: Any = declared.unit
    if unit is not None and not isinstance(unit, str):
        problem = f"unit is {shown(unit)}, not a word"
        raise refused(measured, problem, 'write unit="share", or leave it out', name)


def _check_calls(measured: Any) -> None:
    if not isinstance(measured, type):
        _check_call(measured, [None], _CALLED)
        return
    method = getattr(measured, _METHOD, None)
    if not callable(method):
        raise refused(measured, f"has no method {_METHOD}", f"define {_METHOD}(self, moment)")
    _check_call(method, [None, None], f"define {_METHOD}(self, moment)")
    _check_call(measured, [{}, None], "define __init__(self, args, handle)")


def _check_call(called: Any, arguments: list[Any], fix: str) -> None:
    try:
        signature = inspect.signature(called)
    except (TypeError, ValueError):
        # A compiled function may have none.
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise refused(called, f"cannot be called as it should be: {error}", fix) from None
