"""Fewer samples than there were: the record of a cluster that lives for days has a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.results.life.tables import TABLES, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLED: Final = (
    "replicas", "utilization", "metrics", "recommendations", "nodes", "cluster", "cost",
)  # fmt: skip
"""The tables whose rows are what a sample found."""

_PENDING: Final = [each.name for each in TABLES["cluster"].columns].index("pending")


def kept_moments(moments: Sequence[float], resolution: float) -> dict[float, float]:
    """Each moment with the one that stands for it: the last of its stretch of this length.

    The first and the last moment stay as they are.
    """
    found: dict[float, float] = {}
    group: list[float] = []
    for moment in moments:
        if group and _cell(moment, resolution) != _cell(group[0], resolution):
            found.update(dict.fromkeys(group, group[-1]))
            group = []
        group.append(moment)
    found.update(dict.fromkeys(group, group[-1] if group else 0.0))
    if moments:
        found[moments[0]] = moments[0]
    return found


def _cell(moment: float, resolution: float) -> int:
    """The stretch that ends with, or after, a moment."""
    return -int(-moment // resolution)


def thinned(table: str, kept: dict[float, float], rows: Sequence[Row]) -> list[Row]:
    """The rows of the moments that stay; of pods without a node, the most that there were."""
    if table != "cluster":
        return [row for row in rows if kept.get(row[0], row[0]) == row[0]]
    found: list[Row] = []
    most = 0
    for row in rows:
        most = max(most, row[_PENDING])
        if kept.get(row[0], row[0]) == row[0]:
            found.append((*row[:_PENDING], most, *row[_PENDING + 1 :]))
            most = 0
    return found


def every_second(rows: list[Any], most: int) -> None:
    """Remove every second one of the older half if there are more than so many."""
    if len(rows) > most:
        half = len(rows) // 2
        rows[:half] = rows[:half:2]
