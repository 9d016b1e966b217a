"""Floating point numbers as Go's `strconv` writes and reads them."""

from __future__ import annotations

import math
import re
from typing import Final

SHORTEST: Final = -1
"""As many digits as it takes to read the same number back."""
_DECIMAL: Final = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE
)
_HEXADECIMAL: Final = re.compile(
    r"[+-]?0x([0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)p[+-]?[0-9]+", re.ASCII | re.IGNORECASE
)
_NAMED: Final = re.compile(r"[+-]?inf(inity)?|nan", re.IGNORECASE)
# Where the shortest form of `g` changes to an exponent.
_SHORTEST_DIGITS: Final = 6


def text(value: float) -> str:
    """The default form: the shortest that reads back as the same number."""
    return format_float(value, "g", SHORTEST)


def format_float(value: float, form: str, precision: int) -> str:
    """A number in the form of one of the letters ``eEfgG``."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if form == "f":
        return _shortest(value, "f") if precision < 0 else f"{value:.{precision}f}"
    if form in "eE":
        shown = _shortest(value, "e") if precision < 0 else f"{value:.{precision}e}"
    else:
        shown = _shortest(value, "g") if precision < 0 else _general(value, precision)
    return shown.upper() if form in "EG" else shown


def _digits(value: float) -> tuple[str, str, int]:
    """Sign, shortest digits, and the place of the point among them."""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    return "-" if math.copysign(1.0, value) < 0 else "", digits or "0", point if digits else 1


def _shortest(value: float, form: str) -> str:
    sign, digits, point = _digits(value)
    if form == "e" or (form == "g" and not -5 < point - 1 < _SHORTEST_DIGITS):
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{point - 1:+03d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if len(digits) <= point:
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    return f"{sign}{digits[:point]}.{digits[point:]}"


def _general(value: float, precision: int) -> str:
    return f"{value:.{precision or 1}g}"


def parse(number: str) -> float | None:
    """The number that a text is, as `strconv.ParseFloat` reads it; None if it is none."""
    if _NAMED.fullmatch(number):
        return float(number)
    try:
        if _DECIMAL.fullmatch(number):
            found = float(number)
        elif _HEXADECIMAL.fullmatch(number):
            found = float.fromhex(number)
        else:
            return None
    except OverflowError:
        return None
    return None if math.isinf(found) else found
