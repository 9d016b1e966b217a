"""Bounds of numbers, judged as whole numbers where value and bound are such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import go_text
from kubestage.objects.custom.findings import Code, Finding, Result

if TYPE_CHECKING:
    from kubestage.aliases import Json

_MAX_FLOAT32: Final = 3.4028235677973366e38
_EXACT: Final = (1 << 53) - 1


def is_whole(value: float) -> bool:
    """Whether JSON can hold the number as an integer without doubt."""
    return abs(value) <= _EXACT and (isinstance(value, int) or value.is_integer())


def out_of_range(value: float, types: list[str], format_: str, what: str, path: str) -> str | None:
    """Why a number cannot be of that type and format, if it cannot."""
    if types == ["integer"]:
        limit = 1 << 31 if format_ == "int32" else 1 << 63
        fits = float(value).is_integer() and -limit <= int(value) < limit
    elif types == ["number"] and format_ == "float":
        fits = abs(value) < _MAX_FLOAT32
    else:
        fits = True
    if fits:
        return None
    form = f"with format {format_}" if format_ else "(default format)"
    return f"{what} value must be of type {types[0]} {form} in {path}"


def judge(schema: Json, types: list[str], format_: str, value: float, path: str) -> Result:
    """A number against the range of its type, its factor and its bounds, in that order."""
    result = Result()
    result.matches = 1
    problem = out_of_range(value, types, format_, "Checked", path)
    if problem is not None:
        result.add(Finding(Code.GENERAL, problem))
    for keyword, what, compare in (
        ("multipleOf", "MultipleOf", _multiple),
        ("minimum", "Minimum boundary", _minimum),
        ("maximum", "Maximum boundary", _maximum),
    ):
        bound = schema.get(keyword)
        if bound is None:
            continue
        problem = out_of_range(bound, types, format_, what, path)
        if problem is not None:
            result.add(Finding(Code.GENERAL, problem))
        is_integral = problem is None and isinstance(value, int)
        told = compare(schema, value, int(bound) if is_integral else float(bound))
        if told is not None:
            shown, text = told
            message = f"factor MultipleOf declared for {path} {text}"
            if not text.startswith("must be positive"):
                message = f"{path} in body should be {text}"
            result.add(Finding(Code.VALUE, message, path, shown))
    return result


Told = tuple[Any, str] | None


def _multiple(_schema: Json, value: float, factor: float) -> Told:
    if factor <= 0:
        return factor, f"must be positive: {go_text.show(factor)}"
    if isinstance(factor, int):
        is_multiple = value % factor == 0
    else:
        is_multiple = is_whole(1 / factor * value if factor < 1 else value / factor)
    return None if is_multiple else (value, f"a multiple of {go_text.show(factor)}")


def _minimum(schema: Json, value: float, bound: float) -> Told:
    if schema.get("exclusiveMinimum"):
        return (value, f"greater than {go_text.show(bound)}") if value <= bound else None
    return (value, f"greater than or equal to {go_text.show(bound)}") if value < bound else None


def _maximum(schema: Json, value: float, bound: float) -> Told:
    if schema.get("exclusiveMaximum"):
        return (value, f"less than {go_text.show(bound)}") if value >= bound else None
    return (value, f"less than or equal to {go_text.show(bound)}") if value > bound else None
