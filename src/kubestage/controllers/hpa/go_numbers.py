"""Go's numbers where they differ from Python's: fixed widths, division, and floats without end.

The autoscaler's answers hang on them: what overflows upstream overflows here, to the same value.
"""

from __future__ import annotations

import math
from typing import Final

INT32_MAX: Final = 2**31 - 1
INT32_MIN: Final = -(2**31)
INT64_MAX: Final = 2**63 - 1
INT64_MIN: Final = -(2**63)


def int32(number: int) -> int:
    """A whole number in 32 bits, the rest cut off."""
    return (number - INT32_MIN) % (1 << 32) + INT32_MIN


def int64(number: int) -> int:
    """A whole number in 64 bits, the rest cut off."""
    return (number - INT64_MIN) % (1 << 64) + INT64_MIN


def quotient(dividend: int, divisor: int) -> int:
    """Whole division, towards zero."""
    found = abs(dividend) // abs(divisor)
    return found if (dividend < 0) == (divisor < 0) else -found


def ratio(dividend: float, divisor: float) -> float:
    """Division of floats, which never fails."""
    if divisor:
        return float(dividend) / float(divisor)
    if not dividend or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def truncated_int32(number: float) -> int:
    """A float's whole part; the lowest int32 stands for what does not fit (as on amd64)."""
    if not math.isfinite(number):
        return INT32_MIN
    whole = int(number)
    return whole if INT32_MIN <= whole <= INT32_MAX else INT32_MIN


def ceiling_int32(number: float) -> int:
    """A float rounded up, likewise."""
    return truncated_int32(float(math.ceil(number)) if math.isfinite(number) else number)


def ceiling_int64(number: float) -> int:
    """A float rounded up to an int64, likewise."""
    if not math.isfinite(number):
        return INT64_MIN
    whole = math.ceil(number)
    return whole if INT64_MIN <= whole <= INT64_MAX else INT64_MIN
