"""Numbers, texts and choices against a schema; bounds are whole numbers where the value is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.golang import formatting
from kubestage.objects.custom.findings import CheckResult, FindingCode, SchemaFinding

# NOTE: few values have a pattern.
with lazy.imports():
    from kubestage.golang import regexp

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
        is_whole_number = isinstance(value, int) or value.is_integer()
        fits = is_whole_number and -limit <= value < limit
    elif types == ["number"] and format_ == "float":
        fits = abs(value) < _MAX_FLOAT32
    else:
        fits = True
    if fits:
        return None
    form = f"with format {format_}" if format_ else "(default format)"
    return f"{what} value must be of type {types[0]} {form} in {path}"


def check_number(
    schema: Json, types: list[str], format_: str, value: float, path: str
) -> CheckResult:
    """A number against the range of its type, its factor and its bounds, in that order."""
    result = CheckResult()
    result.matches = 1
    problem = out_of_range(value, types, format_, "Checked", path)
    if problem is not None:
        result.add(SchemaFinding(FindingCode.GENERAL, problem, path, value))
    for keyword, what, compare in _KEYWORDS:
        bound = schema.get(keyword)
        if bound is None:
            continue
        problem = out_of_range(bound, types, format_, what, path)
        if problem is not None:
            result.add(SchemaFinding(FindingCode.GENERAL, problem))
        is_integral = problem is None and isinstance(value, int)
        broken = compare(schema, value, int(bound) if is_integral else float(bound))
        if broken is not None:
            shown, text = broken
            message = f"factor MultipleOf declared for {path} {text}"
            if not text.startswith("must be positive"):
                message = f"{path} in body should be {text}"
            result.add(SchemaFinding(FindingCode.VALUE, message, path, shown))
    return result


Problem = tuple[Any, str] | None


def _multiple(_schema: Json, value: float, factor: float) -> Problem:
    if factor <= 0:
        return factor, f"must be positive: {formatting.show(factor)}"
    if isinstance(factor, int):
        is_multiple = value % factor == 0
    else:
        is_multiple = is_whole(1 / factor * value if factor < 1 else value / factor)
    return None if is_multiple else (value, f"a multiple of {formatting.show(factor)}")


def _minimum(schema: Json, value: float, bound: float) -> Problem:
    if schema.get("exclusiveMinimum"):
        return (value, f"greater than {formatting.show(bound)}") if value <= bound else None
    return (value, f"greater than or equal to {formatting.show(bound)}") if value < bound else None


def _maximum(schema: Json, value: float, bound: float) -> Problem:
    if schema.get("exclusiveMaximum"):
        return (value, f"less than {formatting.show(bound)}") if value >= bound else None
    return (value, f"less than or equal to {formatting.show(bound)}") if value > bound else None


_KEYWORDS: Final = (
    ("multipleOf", "MultipleOf", _multiple),
    ("minimum", "Minimum boundary", _minimum),
    ("maximum", "Maximum boundary", _maximum),
)


def text_problem(schema: Json, value: str, path: str) -> SchemaFinding | None:
    """The first thing wrong with a text: too long, too short, or of another pattern."""
    high, low = schema.get("maxLength"), schema.get("minLength")
    if high is not None and len(value) > high:
        text = f"{path} in body should be at most {high} chars long"
        return SchemaFinding(FindingCode.TOO_LONG, text, path, value, high)
    if low is not None and len(value) < low:
        text = f"{path} in body should be at least {low} chars long"
        return SchemaFinding(FindingCode.VALUE, text, path, value)
    pattern = schema.get("pattern")
    if pattern and not _is_found(pattern, value):
        return SchemaFinding(
            FindingCode.VALUE, f"{path} in body should match '{pattern}'", path, value
        )
    return None


def _is_found(pattern: str, value: str) -> bool:
    """Whether a text matches; one that is too long for its pattern does not."""
    try:
        return regexp.compile_pattern(pattern).is_found_in(value)
    except regexp.RegexpError:
        return False


def not_a_choice(path: str, value: Any, choices: list[Any]) -> SchemaFinding:
    """A value that an enumeration does not have."""
    shown = ", ".join(map(repr, choices))
    text = f"{path} in body should be one of [{shown}]"
    return SchemaFinding(FindingCode.ENUM, text, path, value, choices)


def is_choice(value: Any, choice: Any) -> bool:
    """Whether a value is one of an enumeration; numbers are compared as the choice's type."""
    if isinstance(value, bool) or isinstance(choice, bool):
        return value is choice
    if isinstance(value, (int, float)) and isinstance(choice, (int, float)):
        return bool(type(choice)(value) == choice)
    return choice is not None and bool(value == choice)
