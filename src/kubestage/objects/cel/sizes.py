"""Ranges of sizes and costs, which grow no further than the largest number of 64 bits."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

MOST: Final = (1 << 64) - 1
_LETTER: Final = 0.1
"""What it costs to look at one letter."""


class Range(NamedTuple):
    """The least and the most."""

    least: int
    most: int

    def plus(self, other: Range) -> Range:
        """The sum of two."""
        return Range(min(self.least + other.least, MOST), min(self.most + other.most, MOST))

    def times(self, other: Range) -> Range:
        """The product of two."""
        return Range(min(self.least * other.least, MOST), min(self.most * other.most, MOST))

    def scaled(self, factor: float) -> Range:
        """This many times, rounded up."""
        return Range(scaled(self.least, factor), scaled(self.most, factor))

    def traversed(self, factor: float = 1) -> Range:
        """What it costs to look at all letters of texts of these sizes, this many times."""
        return self.scaled(factor * _LETTER)

    def union(self, other: Range) -> Range:
        """What holds both."""
        return Range(min(self.least, other.least), max(self.most, other.most))


def scaled(number: int, factor: float) -> int:
    """A number multiplied and rounded up, as Go does it."""
    product = float(number) * factor
    if product >= float(1 << 64):
        return MOST
    return math.ceil(product)


NONE: Final = Range(0, 0)
ONE: Final = Range(1, 1)
UNKNOWN: Final = Range(0, MOST)
NOTHING_YET: Final = Range(MOST, 0)
"""What a union of ranges begins with."""


def fixed(number: int) -> Range:
    """A number that is known."""
    return Range(number, number)
