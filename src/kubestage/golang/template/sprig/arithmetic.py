"""Whole numbers and fractions; any value is converted to a number, 0 if it is none."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang.template import limits, literals, printing, tokens
from kubestage.golang.template.functions import Function
from kubestage.golang.template.values import ANY, FLOAT, INT

if TYPE_CHECKING:
    from collections.abc import Callable

_WRAP: Final = 1 << 64
_HALF: Final = 1 << 63


def to_int(value: Any) -> int:
    """A value as a whole number of 64 bits."""
    if isinstance(value, str):
        value = _read(value)
    if isinstance(value, float):
        return int(value) if math.isfinite(value) else 0
    return _wrapped(int(value)) if isinstance(value, int) else 0


def _read(text: str) -> int:
    whole, point, fraction = text.partition(".")
    if point and fraction.strip("0"):
        return 0
    try:
        found = literals.number(whole, tokens.NUMBER)
    except (ValueError, IndexError):
        return 0
    return found.int_value or 0


def _wrapped(value: int) -> int:
    return (value + _HALF) % _WRAP - _HALF


def to_float(value: Any) -> float:
    """A value as a fraction."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return 0.0
    return float(value) if isinstance(value, int | float) else 0.0


def _quotient(first: Any, second: Any) -> int:
    below = to_int(second)
    if below == 0:
        raise ValueError("runtime error: integer divide by zero")
    above = to_int(first)
    whole = abs(above) // abs(below)
    return whole if (above < 0) == (below < 0) else -whole


def _remainder(first: Any, second: Any) -> int:
    return to_int(first) - _quotient(first, second) * to_int(second)


def _decimals(operation: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., float]:
    def call(*values: Any) -> float:
        found = (Decimal(repr(to_float(each))) for each in values)
        return float(reduce(operation, found))

    return call


def _divided(first: Decimal, second: Decimal) -> Decimal:
    if not second:
        raise ValueError("decimal division by 0")
    return first / second


def steps(start: int, stop: int, step: int) -> list[int]:
    """From one number towards another; nothing if the step leads away."""
    if (stop < start and step >= 0) or (stop >= start and step <= 0):
        return []
    numbers = range(start, stop, step)
    limits.values(len(numbers))
    return list(numbers)


def _sequence(*numbers: int) -> str:
    if not numbers or len(numbers) > 3:
        return ""
    start = numbers[0] if len(numbers) > 1 else 1
    end = numbers[-1]
    direction = -1 if end < start else 1
    step = numbers[1] if len(numbers) == 3 else direction
    return " ".join(map(str, steps(start, end + direction, step)))


def _rounded(value: Any, places: int, *limit: float) -> float:
    power = math.pow(10, places)
    digit = power * to_float(value)
    rest = math.modf(digit)[0]
    whole = math.ceil(digit) if rest >= (limit[0] if limit else 0.5) else math.floor(digit)
    return whole / power


def _product(*values: Any) -> int:
    return _wrapped(math.prod(map(to_int, values)))


def _from_octal(value: Any) -> int:
    try:
        return int(printing.text(value), 8)
    except ValueError:
        return 0


_add: Final = _decimals(Decimal.__add__)

FUNCTIONS: Final[dict[str, Function]] = {
    "atoi": Function(lambda value: int(value) if _is_int(value) else 0, (ANY,)),
    "int": Function(to_int, (ANY,)),
    "int64": Function(to_int, (ANY,)),
    "float64": Function(to_float, (ANY,)),
    "toDecimal": Function(_from_octal, (ANY,)),
    "seq": Function(_sequence, (), INT),
    "until": Function(lambda count: steps(0, count, -1 if count < 0 else 1), (INT,)),
    "untilStep": Function(steps, (INT, INT, INT)),
    "add1": Function(lambda value: _wrapped(to_int(value) + 1), (ANY,)),
    "add": Function(lambda *values: _wrapped(sum(map(to_int, values))), (), ANY),
    "sub": Function(lambda one, other: _wrapped(to_int(one) - to_int(other)), (ANY, ANY)),
    "div": Function(_quotient, (ANY, ANY)),
    "mod": Function(_remainder, (ANY, ANY)),
    "mul": Function(_product, (ANY,), ANY),
    "add1f": Function(lambda value: _add(value, 1), (ANY,)),
    "addf": Function(lambda *values: _add(0, *values), (), ANY),
    "subf": Function(_decimals(Decimal.__sub__), (ANY,), ANY),
    "mulf": Function(_decimals(Decimal.__mul__), (ANY,), ANY),
    "divf": Function(_decimals(_divided), (ANY,), ANY),
    "max": Function(lambda *values: max(map(to_int, values)), (ANY,), ANY),
    "biggest": Function(lambda *values: max(map(to_int, values)), (ANY,), ANY),
    "min": Function(lambda *values: min(map(to_int, values)), (ANY,), ANY),
    "maxf": Function(lambda *values: max(map(to_float, values)), (ANY,), ANY),
    "minf": Function(lambda *values: min(map(to_float, values)), (ANY,), ANY),
    "floor": Function(lambda value: float(math.floor(to_float(value))), (ANY,)),
    "ceil": Function(lambda value: float(math.ceil(to_float(value))), (ANY,)),
    "round": Function(_rounded, (ANY, INT), FLOAT),
}


def _is_int(value: Any) -> bool:
    digits = value.lstrip("+-") if isinstance(value, str) else ""
    return digits.isascii() and digits.isdecimal() and len(value) - len(digits) <= 1
