"""The space that axes span, as numbers that a sampler proposes.

A list of numbers in order, and a range, are places in it: a sampler knows what is beside what. A
list of words has no order. A distribution is searched between its quantiles of 0.1% and 99.9%.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.sweep.axes import Axis
    from kubestage.sweep.rows import Scalar
    from kubestage.sweep.values import Draws

_EDGE: Final = 0.001
_DIGITS: Final = 4
_AMOUNT: Final = re.compile(r"(-?\d+(?:\.\d+)?)([A-Za-z%]*)")
_UNIFORM: Final = "uniform"


class Dimension(msgspec.Struct, frozen=True):
    """One axis: ``place`` is a whole number up to `high`, ``share`` any from `low` to `high`,
    ``word`` one of so many without an order.
    """

    axis: Axis
    kind: Literal["place", "share", "word"]
    low: float
    high: float

    @property
    def count(self) -> int | None:
        """How many values it has; None if there is no end to them."""
        return None if self.kind == "share" else int(self.high - self.low) + 1

    def value(self, number: float) -> Scalar:
        """The value of the axis for a number."""
        values = self.axis.values
        if isinstance(values, tuple):
            return values[int(number)]
        if values.choices:
            return values.choices[int(number)]
        if self.kind == "place":
            return values.at((number - self.low + 0.5) / (self.high - self.low + 1))
        found = values.at(number)
        return float(f"{found:.{_DIGITS}g}") if isinstance(found, float) else found


class Space(msgspec.Struct, frozen=True):
    """All axes; those with one value are not searched."""

    dimensions: tuple[Dimension, ...]

    @property
    def size(self) -> int | None:
        """How many settings there are; None if there is no end to them."""
        size = 1
        for each in self.dimensions:
            if each.count is None:
                return None
            size *= each.count
        return size

    def parameters(self, numbers: Mapping[str, float]) -> dict[str, Scalar]:
        """The setting at a point; an axis that is missing has its only value."""
        return {
            each.axis.path: each.value(numbers.get(each.axis.path, each.low))
            for each in self.dimensions
        }

    def grid(self) -> Iterator[dict[str, Scalar]]:
        """All settings, in the order of a grid; InputError if there is no end to them."""
        for each in self.dimensions:
            if each.count is None:
                fix = "list values, or choose another sampler"
                path = f"--vary {each.axis.path}"
                raise InputError("a grid has no distributions", path=path, fix=fix)
        ranges = [range(int(each.low), int(each.high) + 1) for each in self.dimensions]
        paths = [each.axis.path for each in self.dimensions]
        for numbers in itertools.product(*ranges):
            yield self.parameters(dict(zip(paths, numbers, strict=True)))


def space(axes: Sequence[Axis]) -> Space:
    """The space of axes."""
    return Space(tuple(map(_dimension, axes)))


def _dimension(axis: Axis) -> Dimension:
    values = axis.values
    if isinstance(values, tuple):
        return Dimension(axis, "place" if _is_ordered(values) else "word", 0, len(values) - 1)
    if values.choices:
        return Dimension(axis, "word", 0, len(values.choices) - 1)
    return _drawn(axis, values)


def _drawn(axis: Axis, values: Draws) -> Dimension:
    found = values.distribution
    assert found is not None
    if found.family != _UNIFORM:
        return Dimension(axis, "share", _EDGE, 1 - _EDGE)
    if values.is_whole:
        return Dimension(axis, "place", int(found.first), int(found.second))
    return Dimension(axis, "share", 0.0, 1.0)


def _is_ordered(values: Sequence[Scalar]) -> bool:
    """Whether values are numbers, of one unit, that rise or fall."""
    if len(values) < 2:
        return True
    found = [_AMOUNT.fullmatch(str(each)) for each in values]
    known = [each for each in found if each is not None]
    if len(known) < len(values) or any(isinstance(each, bool) for each in values):
        return False
    if len({each[2] for each in known}) > 1:
        return False
    numbers = [float(each[1]) for each in known]
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))
