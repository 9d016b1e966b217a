"""Numbers as ClusterLoader2's functions take them: anything that Go can make a float64 of."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from kubestage.golang import booleans, integers
from kubestage.golang.template import printing

_LOWEST: Final = -(2**63)
_HIGHEST: Final = 2**63 - 1
_DECIMAL: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_HEXADECIMAL: Final = re.compile(
    r"[-+]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][-+]?\d+", re.ASCII
)
_WORD: Final = re.compile(r"(?:[-+]?inf(?:inity)?|nan)", re.IGNORECASE | re.ASCII)
_INTEGER: Final = re.compile(r"[-+]?\d+", re.ASCII)
# An underscore may stand between digits, and after the prefix of a hexadecimal number.
_SEPARATOR: Final = re.compile(r"(?<=\d)_(?=\d)", re.ASCII)
_HEXADECIMAL_SEPARATOR: Final = re.compile(r"(?<=[0-9a-fA-FxX])_(?=[0-9a-fA-F])")


def to_float(value: Any) -> float:
    """A number, or the number that a text spells; ValueError for anything else."""
    if isinstance(value, float):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        number = parse_float(value)
        if number is not None:
            return number
    raise ValueError(f"cannot cast {printing.text(value)} to float64")


def to_int(value: Any) -> int:
    """A number without its fraction; one that no int64 holds becomes the lowest, as on amd64."""
    number = to_float(value)
    if not math.isfinite(number):
        return _LOWEST
    whole = int(number)
    return whole if _LOWEST <= whole <= _HIGHEST else _LOWEST


def remainder(dividend: int, divisor: int) -> int:
    """What is left of a division, with the sign of the dividend."""
    if divisor == 0:
        raise ValueError("runtime error: integer divide by zero")
    left = abs(dividend) % abs(divisor)
    return -left if dividend < 0 else left


def parse_float(text: str) -> float | None:
    """What Go's ParseFloat reads; None where it refuses."""
    if "_" in text:
        separator = _HEXADECIMAL_SEPARATOR if "x" in text.lower() else _SEPARATOR
        text = separator.sub("", text)
    if _DECIMAL.fullmatch(text) is not None or _WORD.fullmatch(text) is not None:
        number = float(text)
        return None if math.isinf(number) and _WORD.fullmatch(text) is None else number
    if _HEXADECIMAL.fullmatch(text) is None:
        return None
    try:
        return float.fromhex(text)
    except OverflowError:
        return None


def unpacked(text: str) -> Any:
    """The value of a variable of the environment: an int, a float, a bool, or its text."""
    if _INTEGER.fullmatch(text) is not None and _LOWEST <= integers.parse(text) <= _HIGHEST:
        return integers.parse(text)
    number = parse_float(text)
    if number is not None:
        return number
    if text in booleans.TRUE or text in booleans.FALSE:
        return text in booleans.TRUE
    return text


def as_floats(value: Any) -> Any:
    """A value as Go decodes JSON of no known type: every number is a float64."""
    if isinstance(value, dict):
        return {key: as_floats(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_floats(each) for each in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
