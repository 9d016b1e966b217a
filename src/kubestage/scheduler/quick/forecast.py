"""Placements that were worked out ahead of their turn."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.queue import QueuedPod
    from kubestage.scheduler.quick.backdrop import Backdrop
    from kubestage.scheduler.quick.layout import KindArrays, Nodes, PlanArrays
    from kubestage.scheduler.resource_table import Table


class Turn(NamedTuple):
    """A pod, its kind, and what was found for it.

    That is the row of the node, how many nodes were evaluated, and how many of them were feasible.
    """

    queued: QueuedPod
    number: int
    row: int
    evaluated: int
    feasible: int


_make_turn: Final[Callable[[tuple[Any, ...]], Turn]] = functools.partial(tuple.__new__, Turn)


class Forecast:
    """What becomes of the pods that are next in turn.

    All of them are counted in on their nodes already. To read the columns as they are now,
    `withdraw` it first; then those before `at` stay, and the others are counted out again.
    """

    __slots__ = ("_arrays", "_kernels", "at", "columns", "known", "namespaces", "turns", "version")

    def __init__(
        self,
        columns: Columns,
        pods: Sequence[QueuedPod],
        numbers: Sequence[int],
        found: Table,
        backdrop: Backdrop,
        kernels: Any,
        arrays: tuple[Nodes, PlanArrays, KindArrays],
    ) -> None:
        assert columns.known is not None
        self.columns = columns
        self.known = columns.known
        each = zip(pods, numbers, *found.T.tolist(), strict=True)
        # NOTE: as `Turn._make`, at a third of the cost for each of a million pods.
        self.turns: list[Turn] = list(map(_make_turn, each))
        self.at = 0
        self.version = backdrop.version
        self.namespaces = backdrop.namespaces
        self._kernels = kernels
        self._arrays = arrays

    @property
    def is_over(self) -> bool:
        """Whether all turns have been taken."""
        return self.at >= len(self.turns)

    @property
    def turn(self) -> Turn:
        """What comes next."""
        return self.turns[self.at]

    def withdraw(self) -> None:
        """Count out the pods whose turn has not come."""
        left = self.turns[self.at :]
        if left:
            numbers: Ints = np.array([each.number for each in left], np.int64)
            rows: Ints = np.array([each.row for each in left], np.int64)
            self._kernels.take_back(numbers, rows, *self._arrays)
            del self.turns[self.at :]
