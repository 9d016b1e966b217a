"""Scores from how full a node would be, shared by the plugins that weigh resources.

Amounts come as tables with a line per resource and a column per node. Integer divisions and the
order of floating point operations are upstream's, so that scores are the same to the last digit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from kubestage.objects import pod_resources, resource_totals
from kubestage.scheduler.framework import MAX_NODE_SCORE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.scheduler.arrays import Ints, Rows
    from kubestage.scheduler.resource_table import ResourceTable, Table

_MAX_UTILIZATION: Final = 100
_MAX_SHAPE_SCORE: Final = 10
_NATIVE: Final = (pod_resources.CPU, pod_resources.MEMORY, pod_resources.EPHEMERAL_STORAGE)


class Weighing(msgspec.Struct, frozen=True):
    """The resources that count for one pod: their lines, what it requests, their weights.

    `offered` is True if every node offers all of them, which saves a check.
    """

    lines: slice | Ints
    requests: Table
    weights: tuple[int, ...]
    offered: bool

    @property
    def numbers(self) -> Ints:
        """The lines by number."""
        lines = self.lines
        return np.arange(lines.start, lines.stop) if isinstance(lines, slice) else lines

    def lines_of(self, table: Table, rows: Rows) -> Table:
        """The lines of these resources for some nodes."""
        if isinstance(rows, slice):
            return table[self.lines, rows]
        if isinstance(self.lines, slice):
            return table[self.lines].take(rows, axis=1)
        return table[self.lines[:, None], rows]


def amounts(pod: dict[str, Any], names: Sequence[str], options: pod_resources.Options) -> list[int]:
    """What a pod requests of the named resources, CPU in thousandths."""
    requests = pod_resources.requests(pod, options)
    return [
        0
        if name not in requests
        else requests[name].milli_value
        if name == pod_resources.CPU
        else requests[name].value
        for name in names
    ]


def weighing(
    table: ResourceTable, resources: Sequence[tuple[str, int]], requested: Sequence[int]
) -> Weighing:
    """Choose what counts: resources beyond the native ones only if the pod requests them."""
    counted = [
        (table.line(name), amount, weight)
        for (name, weight), amount in zip(resources, requested, strict=True)
        if name in _NATIVE or (amount and resource_totals.is_scalar(name))
    ]
    numbers = [line for line, _, _ in counted]
    lines: slice | Ints = np.array(numbers, np.int64)
    if numbers and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        lines = slice(numbers[0], numbers[0] + len(numbers))
    return Weighing(
        lines,
        np.array([[amount] for _, amount, _ in counted], np.int64).reshape(-1, 1),
        tuple(weight for _, _, weight in counted),
        bool(table.allocatable[lines].all()),
    )


def least_allocated(allocatable: Table, requested: Table) -> Table:
    """The share of each resource that would stay free."""
    free: Table = np.maximum(allocatable - requested, 0)
    return free * MAX_NODE_SCORE // allocatable


def most_allocated(allocatable: Table, requested: Table) -> Table:
    """The share of each resource that would be taken."""
    taken: Table = np.minimum(requested, allocatable)
    return taken * MAX_NODE_SCORE // allocatable


def shaped(shape: Ints, allocatable: Table, requested: Table) -> Table:
    """What a broken line makes of the share that would be taken."""
    return shape[most_allocated(allocatable, requested)]


def ratio_shape(shape: Sequence[Mapping[str, int]]) -> Ints:
    """The score for each percentage of utilization, between the points of a broken line."""
    points = [(p["utilization"], p["score"] * MAX_NODE_SCORE // _MAX_SHAPE_SCORE) for p in shape]
    return np.array([_interpolated(points, x) for x in range(_MAX_UTILIZATION + 1)], np.int64)


def _interpolated(points: Sequence[tuple[int, int]], at: int) -> int:
    for index, (x, y) in enumerate(points):
        if at <= x:
            if index == 0:
                return y
            before_x, before_y = points[index - 1]
            rise = (y - before_y) * (at - before_x)
            # Rounded towards zero on the way down, too.
            step = abs(rise) // (x - before_x)
            return before_y + (step if rise >= 0 else -step)
    return points[-1][1]


def weighted_mean(scores: Table, weights: Sequence[int], offered: Table | None) -> Ints:
    """The mean over the resources that a node offers; all of them if `offered` is None."""
    if offered is None:
        return _weighted_sum(scores, weights) // max(sum(weights), 1)
    total = _weighted_sum(scores * offered, weights)
    return total // np.maximum(_weighted_sum(offered, weights), 1)


def rounded_mean(scores: Table, weights: Sequence[int], offered: Table | None) -> Ints:
    """The mean over the resources that score at all, rounded half up."""
    counted = (scores > 0).astype(np.int64)
    if offered is not None:
        counted *= offered
    total = _weighted_sum(scores * counted, weights)
    weight: Ints = np.maximum(_weighted_sum(counted, weights), 1)
    return (2 * total + weight) // (2 * weight)


def _weighted_sum(table: Table, weights: Sequence[int]) -> Ints:
    total: Ints = table[0] if weights[0] == 1 else table[0] * weights[0]
    for line, weight in zip(table[1:], weights[1:], strict=True):
        total = total + (line if weight == 1 else line * weight)
    return total
