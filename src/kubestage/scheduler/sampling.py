"""How many nodes are evaluated, and in which order."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Ints

MIN_FEASIBLE_NODES: Final = 100
MIN_FEASIBLE_PERCENTAGE: Final = 5
_SPARE: Final = 16


def nodes_to_find(percentage: int, all_nodes: int) -> int:
    """When enough feasible nodes are found; a percentage of 0 adapts to the cluster's size."""
    if all_nodes < MIN_FEASIBLE_NODES:
        return all_nodes
    if percentage == 0:
        percentage = max(50 - all_nodes // 125, MIN_FEASIBLE_PERCENTAGE)
    return max(all_nodes * percentage // 100, MIN_FEASIBLE_NODES)


def rows_ahead(needed: int, passing: int, done: int) -> int:
    """How many more rows to filter at once, after so many of those that are done have passed.

    A quarter more than it takes if the next are like the last, and no more than twice as many. A
    user's plugin that checks one node at a time is not called without need.
    """
    likely = (needed - passing) * done // max(passing, 1)
    return min(likely * 5 // 4 + _SPARE, 2 * done)


def rotated(start: int, candidates: Ints) -> Ints:
    """The candidates in order of evaluation: from the start index on, then around."""
    at = start % len(candidates)
    return np.concatenate((candidates[at:], candidates[:at])) if at else candidates


def all_rotated(start: int, count: int) -> Ints:
    """All rows in order of evaluation, as a view: nothing is copied.

    As upstream, a start that is left from a time with more nodes counts around.
    """
    at = start % count
    return _ring(count)[at : at + count]


@functools.lru_cache(maxsize=8)
def _ring(count: int) -> Ints:
    rows = np.arange(count)
    ring = np.concatenate((rows, rows))
    ring.setflags(write=False)
    return ring
