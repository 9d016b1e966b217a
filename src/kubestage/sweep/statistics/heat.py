"""A measure over two axes: the data of a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.results.statistics import intervals
from kubestage.sweep.statistics.axis_levels import levels
from kubestage.sweep.statistics.grids import grid

if TYPE_CHECKING:
    from kubestage.results.statistics.intervals import Estimate
    from kubestage.sweep.rows import Table


class HeatCell(msgspec.Struct, frozen=True):
    """The mean of the settings with one value of each of two axes, all others averaged."""

    first: str
    second: str
    estimate: Estimate
    settings: int


class HeatMap(msgspec.Struct, frozen=True):
    """Cells by two axes; a pair of values that no setting has is missing."""

    axes: tuple[str, str]
    measure: str
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    cells: tuple[HeatCell, ...]


def heat_map(
    table: Table, measure: str, axes: tuple[str, str], level: float = intervals.LEVEL
) -> HeatMap:
    """The means of a measure for each pair of values of two axes."""
    found = grid(table, measure)
    one, other = (levels(found.settings, axis) for axis in axes)
    cells = []
    for first in one:
        for second in other:
            both = sorted(set(first.settings) & set(second.settings))
            if both:
                estimate = found.estimate(found.by_seed(both), found.mean(both), level)
                cells.append(HeatCell(first.label, second.label, estimate, len(both)))
    labels = (tuple(each.label for each in one), tuple(each.label for each in other))
    return HeatMap(axes, measure, labels, tuple(cells))
