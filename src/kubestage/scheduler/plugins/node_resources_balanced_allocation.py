"""NodeResourcesBalancedAllocation: a pod should leave its node's resources evenly used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage.objects import pod_resources
from kubestage.scheduler.arrays import as_run
from kubestage.scheduler.framework import MAX_NODE_SCORE
from kubestage.scheduler.memo import Memo
from kubestage.scheduler.plugins import resource_scoring
from kubestage.scheduler.status import SKIP, SUCCESS, Status

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.resource_table import Table

_Floats = np.ndarray[Any, np.dtype[np.float64]]


class NodeResourcesBalancedAllocation:
    """Scores nodes by how the pod changes the spread between their resources' use."""

    name = "NodeResourcesBalancedAllocation"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del handle
        self._resources = [(each["name"], each["weight"]) for each in args["resources"]]
        self._names = [name for name, _ in self._resources]
        self._amounts = Memo()

    def pre_score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Status:
        del columns, rows
        if pod.requests is pod.plan.usage.resource:
            amounts = self._amounts.get(pod.plan, lambda: self._amounts_of(pod))
        else:
            amounts = self._amounts_of(pod)
        state[self.name] = amounts
        return SUCCESS if any(amounts) else SKIP

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        amounts: tuple[int, ...] = state.get(self.name) or self._amounts_of(pod)
        table = columns.resources
        weighing = columns.memo.get(
            (self, amounts), lambda: resource_scoring.weighing(table, self._resources, amounts)
        )
        run = as_run(rows)
        allocatable = weighing.lines_of(table.allocatable, run)
        both: Table = np.empty((2, *allocatable.shape), np.int64)
        both[1] = weighing.lines_of(table.requested, run)
        np.add(both[1], weighing.requests, out=both[0])
        offered = None if weighing.offered else allocatable > 0
        if offered is not None:
            allocatable = np.maximum(allocatable, 1)
        fractions = both / allocatable
        balance = balanced(np.minimum(fractions, 1.0, out=fractions), offered)
        half = MAX_NODE_SCORE // 2
        change: Ints = balance[0] - balance[1]
        change += half
        change >>= 1
        change += half
        return change

    def balanced(self, columns: Columns, state: CycleState) -> tuple[Ints, Ints] | None:
        """The lines that count and what a pod adds to them; None if not all nodes have them."""
        amounts: tuple[int, ...] = state[self.name]
        weighing = resource_scoring.weighing(columns.resources, self._resources, amounts)
        return (weighing.numbers, weighing.requests[:, 0]) if weighing.offered else None

    def _amounts_of(self, pod: PodView) -> tuple[int, ...]:
        return tuple(resource_scoring.amounts(pod.raw, self._names, pod_resources.IN_PLACE))


def balanced(fractions: _Floats, offered: np.ndarray[Any, np.dtype[np.bool_]] | None) -> Table:
    """How even the used fractions are, best where they are equal.

    `fractions` has a layer for each case, in it a line per resource and a column per node;
    `offered` is which resources a node has at all.
    """
    if fractions.shape[1] == 2 and offered is None:
        deviation: _Floats = fractions[:, 0] - fractions[:, 1]
        np.abs(deviation, out=deviation)
        deviation /= 2
    else:
        deviation = _deviation(fractions, offered)
    evenness = np.subtract(1, deviation, out=deviation)
    evenness *= MAX_NODE_SCORE
    return evenness.astype(np.int64)


def _deviation(fractions: _Floats, offered: np.ndarray[Any, np.dtype[np.bool_]] | None) -> _Floats:
    """The standard deviation over the resources that each node has; none for fewer than two."""
    layers, lines, nodes = fractions.shape
    has = np.ones((lines, nodes), np.bool_) if offered is None else offered
    count = has.sum(axis=0)
    least = np.maximum(count, 1)
    total = np.zeros((layers, nodes))
    for line in range(lines):
        total += np.where(has[line], fractions[:, line], 0.0)
    mean = total / least
    squares = np.zeros((layers, nodes))
    for line in range(lines):
        apart = fractions[:, line] - mean
        squares += np.where(has[line], apart * apart, 0.0)
    deviation: _Floats = np.sqrt(squares / least)
    # Of two, half the distance is the same number but for the last digit, and counts.
    first, last = has.argmax(axis=0), lines - 1 - has[::-1].argmax(axis=0)
    at = np.arange(nodes)
    halves = np.abs(fractions[:, first, at] - fractions[:, last, at]) / 2
    return np.where(count > 2, deviation, np.where(count == 2, halves, 0.0))
