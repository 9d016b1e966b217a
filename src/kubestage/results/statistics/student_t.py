"""Student's t distribution: shares below a value, and the value below which a share lies.

The regularised incomplete beta function is computed by its continued fraction (the modified
method of Lentz), quantiles by Newton's method. Values agree with published tables.
"""

from __future__ import annotations

import functools
import math
from typing import Final

_TINY: Final = 1e-300
_PRECISION: Final = 1e-15
_MOST_TERMS: Final = 100_000
_MOST_STEPS: Final = 200
_CLOSE: Final = 1e-11


def upper_tail(value: float, freedom: int) -> float:
    """The probability of more than `value`, with so many degrees of freedom."""
    square = value * value
    if math.isinf(square):
        return 0.0 if value > 0 else 1.0
    tail = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square))
    return tail if value >= 0 else 1 - tail


def two_sided(value: float, freedom: int) -> float:
    """The probability of a value at least as far from zero."""
    return min(1.0, 2 * upper_tail(abs(value), freedom))


@functools.lru_cache(maxsize=65536)
def critical(tail: float, freedom: int) -> float:
    """The value with so much probability above it; `tail` is above 0 and at most one half.

    NOTE: Newton's steps need 5 evaluations where bisection needs 60; a table of a thousand
    undecided differences needs thirty thousand of these values.
    """
    assert 0 < tail <= 0.5, tail
    low, high = 0.0, 1.0
    while upper_tail(high, freedom) > tail:
        low, high = high, 2 * high
    value = (low + high) / 2
    for _ in range(_MOST_STEPS):
        above = upper_tail(value, freedom)
        low, high = (value, high) if above > tail else (low, value)
        # Of the logarithm, which is nearly straight far out.
        density = _density(value, freedom)
        step = above * math.log(above / tail) / density if above and density else math.inf
        following = value + step
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - value) <= _CLOSE * value or following in (low, high):
            return following
        value = following
    return value


def _density(value: float, freedom: int) -> float:
    half = (freedom + 1) / 2
    return math.exp(
        math.lgamma(half)
        - math.lgamma(freedom / 2)
        - 0.5 * math.log(freedom * math.pi)
        - half * math.log1p(value * value / freedom)
    )


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    # The fraction converges fast on this side of the mean; the other side follows by symmetry.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    total = d
    for term in range(1, _MOST_TERMS):
        even = term * (b - term) * x / ((a + 2 * term - 1) * (a + 2 * term))
        odd = -(a + term) * (a + b + term) * x / ((a + 2 * term) * (a + 2 * term + 1))
        change = 1.0
        for numerator in (even, odd):
            d = 1 / _not_zero(1 + numerator * d)
            c = _not_zero(1 + numerator / c)
            change = c * d
            total *= change
        if abs(change - 1) < _PRECISION:
            break
    return total


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
