"""Axes: the parameters of a sweep with their values, checked before anything runs."""

from __future__ import annotations

import difflib
import functools
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import field_check, schema
from kubestage.runs.inputs import field_paths
from kubestage.sweep import values as value_texts
from kubestage.sweep.changes import ObjectChange
from kubestage.sweep.rows import Scalar  # noqa: TC001 - msgspec reads it
from kubestage.sweep.values import Draws

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.sweep.base_run import Base, InputObject

    Fit = Callable[[Scalar], Scalar]

OPTION: Final = "--vary"
_FIX: Final = "write PATH=VALUES, as in nodes=10,20,50"
# Of a distribution these are checked.
_SHARES: Final = (0.5, 0.01, 0.99)
# Of a list of amounts inputs are checked with so many, spread over all of them.
_CHECKED: Final = 20
_AMOUNT: Final = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)([A-Za-z%]*)")


class Axis(msgspec.Struct, frozen=True):
    """A parameter: its path, and the values that it has or is drawn from."""

    path: str
    values: tuple[Scalar, ...] | Draws

    @property
    def is_drawn(self) -> bool:
        """Whether values are drawn from a distribution."""
        return isinstance(self.values, Draws)

    def at(self, share: float) -> Scalar:
        """The value at a share of the distribution, or of the list."""
        if isinstance(self.values, Draws):
            return self.values.at(share)
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]

    def text(self) -> str:
        """The values as they are written."""
        if isinstance(self.values, Draws):
            return self.values.text
        return ",".join(map(_written, self.values))


def parse(text: str, base: Base) -> Axis:
    """Read ``PATH=VALUES``; InputError if the inputs have no such place."""
    path, found = split(text)
    return make(path, found, base)


def make(path: str, values: str | Sequence[Scalar], base: Base) -> Axis:
    """An axis of values that are written as a text, or listed."""
    try:
        change = base.change(path)
        if isinstance(values, str):
            parsed = value_texts.parse(values, are_texts=change.are_texts)
        else:
            parsed = tuple(values)
        if not isinstance(parsed, Draws) and not parsed:
            raise InputError("has no values", fix=_FIX)
        fit: Fit = change.typed
        if isinstance(change, ObjectChange):
            fit = functools.partial(_fit, change=change, found=_matching(change, base))
        if isinstance(parsed, Draws):
            return Axis(path, _fitting(parsed, fit))
        return Axis(path, tuple(fit(each) for each in parsed))
    except InputError as error:
        if error.path not in (None, OPTION, path):
            error.problem = f"{error.path}: {error.problem}"
        error.path = f"{OPTION} {path}"
        raise


def split(text: str) -> tuple[str, str]:
    """The path and the values of ``PATH=VALUES``."""
    depth, quote = 0, ""
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == "=" and not depth:
            path, found = text[:at].strip(), text[at + 1 :].strip()
            if path and found:
                return path, found
            break
        depth += (letter == "[") - (letter == "]")
    raise InputError(f'"{text}" is no path with values', path=OPTION, fix=_FIX)


def check(axes: Sequence[Axis], base: Base) -> None:
    """Read and check the inputs with values of every axis, the others at their first."""
    paths = [each.path for each in axes]
    for path in paths:
        if paths.count(path) > 1:
            raise InputError("is varied twice", path=f"{OPTION} {path}", fix="leave one out")
    if not axes:
        base.raise_problem()
    first = {each.path: _some(each)[0] for each in axes}
    for axis in axes:
        for value in _some(axis):
            try:
                base.check({**first, axis.path: value})
            except InputError as error:
                shown = f"{axis.path}={value}"
                if error.file is None and error.path is None:
                    error.path = f"{OPTION} {shown}"
                else:
                    error.fix = f"{error.fix}; with {shown}" if error.fix else f"with {shown}"
                raise


def _some(axis: Axis) -> list[Scalar]:
    """Values to check: all, but of many amounts with one unit some that are spread over them.

    The least and the greatest are among these: what fits both fits those between.
    """
    known = axis.values
    if isinstance(known, Draws):
        if not known.choices:
            return [axis.at(share) for share in _SHARES]
        known = known.choices
    by_unit: dict[str, list[tuple[float, int]]] = {}
    chosen = {0}
    for at, each in enumerate(known):
        amount = _AMOUNT.fullmatch(str(each))
        if amount is None or isinstance(each, bool):
            chosen.add(at)
        else:
            by_unit.setdefault(amount[2], []).append((float(amount[1]), at))
    for amounts in by_unit.values():
        amounts.sort()
        last, steps = len(amounts) - 1, min(_CHECKED, len(amounts)) - 1
        chosen |= {amounts[step * last // max(steps, 1)][1] for step in range(steps + 1)}
    return [each for at, each in enumerate(known) if at in chosen]


def _fitting(draws: Draws, fit: Fit) -> Draws:
    """A distribution whose draws fit the parameter: of texts, if it is one."""
    if draws.choices:
        return msgspec.structs.replace(draws, choices=tuple(map(fit, draws.choices)))
    drawn = [draws.at(share) for share in _SHARES]
    is_text = [isinstance(fit(each), str) for each in drawn]
    return msgspec.structs.replace(draws, is_text=all(is_text))


def _matching(change: ObjectChange, base: Base) -> list[InputObject]:
    """The objects that a change is about, and that have a place for it."""
    target = change.target
    known = list(base.objects())
    found = [each for each in known if target.matches(each.obj)]
    if not found:
        raise _no_object(change, known)
    able = [each for each in found if field_paths.takes(each.obj, change.parts)]
    if not able:
        try:
            field_paths.replaced(found[0].obj, change.parts, None)
        except InputError as error:
            error.file = found[0].source
            raise
    for each in able:
        problem = None if _has_schema(each.obj) else field_paths.missing(each.obj, change.parts)
        if problem is not None:
            problem.file = each.source
            raise problem
    return able


def _fit(value: Scalar, change: ObjectChange, found: Sequence[InputObject]) -> Scalar:
    """A value as it fits the field: a number that is to be a text becomes one."""
    tried = [value]
    if isinstance(value, bool | int | float):
        tried.append(str(value).lower() if isinstance(value, bool) else str(value))
    problem: InputError | None = None
    for each in tried:
        misfit = next((one for obj in found if (one := _misfit(each, change, obj))), None)
        if misfit is None:
            return each
        problem = problem or misfit
    assert problem is not None
    raise problem


def _misfit(value: Scalar, change: ObjectChange, found: InputObject) -> InputError | None:
    """What is wrong with an object once it has the value, and was not before."""
    edited: Json = field_paths.replaced(found.obj, change.parts, value)
    for misfit in field_check.misfits(edited):
        if misfit not in field_check.misfits(found.obj):
            error = InputError(misfit.problem, path=misfit.path, fix=misfit.fix)
            error.file = found.source
            return error
    return None


def _has_schema(obj: Json) -> bool:
    api_version, kind = str(obj.get("apiVersion")), str(obj.get("kind"))
    return (
        schema.kind_struct(api_version, kind) or schema.own_struct(api_version, kind)
    ) is not None


def _no_object(change: ObjectChange, known: Sequence[InputObject]) -> InputError:
    target = change.target
    names: dict[str, str] = {}
    for obj, source in known:
        name = (obj.get("metadata") or {}).get("name")
        names.setdefault(f"{str(obj.get('kind')).lower()}/{name}", source)
    spelled = f"{target.kind.lower()}/{target.name}"
    likely = difflib.get_close_matches(spelled, names, n=1)
    inside = "" if target.namespace is None else f' in namespace "{target.namespace}"'
    problem = f"the inputs have no {spelled}{inside}"
    if likely:
        return InputError(problem, fix=f"did you mean {likely[0]}, of {names[likely[0]]}?")
    same = [each for each in names if each.startswith(f"{target.kind.lower()}/")]
    there = f"there are {', '.join((same or list(names))[:10])}" if names else None
    return InputError(problem, fix=there)


def _written(value: Scalar) -> str:
    if isinstance(value, str):
        is_plain = value_texts.scalar(value) == value and "," not in value and ".." not in value
        return value if is_plain and value else f"'{value}'"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
