"""A plan at work without compiled code: the best node for the next pod, in plain NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.quick import kernels

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.quick.kernels import Choice, NodeScores
    from kubestage.scheduler.quick.plan_table import PlanTable, TemplateRequest

_FEW: Final = 4


class QuickPlan:
    """What the pods of a template request of nodes.

    `state` is the cycle state of plugins for such a pod.
    """

    __slots__ = ("_amounts", "_table", "is_plain", "number", "state")

    def __init__(self, table: PlanTable, request: TemplateRequest, state: CycleState) -> None:
        self.state = state
        self.number = table.add(request)
        self.is_plain = request.is_plain
        self._table = table
        self._amounts = request.amounts

    def choose(self, columns: Columns, start: int, needed: int) -> Choice:
        """The best node, after the changes since the last call."""
        scores, seen = self._table.scores(self.number), self._table.arrays.seen
        rows = columns.row_log.since(int(seen[self.number]))
        seen[self.number] = columns.row_log.count
        if len(rows) > _FEW:
            kernels.refresh(rows, columns.resources, self._amounts, scores)
        elif len(rows):
            # Amounts near the limit of int64 wrap around, as in Go and as in arrays.
            with np.errstate(over="ignore"):
                self._work_out(rows, columns, scores)
        return kernels.choose(scores, start, needed)

    def _work_out(self, rows: Ints, columns: Columns, scores: NodeScores) -> None:
        """Bring a few rows up to date."""
        table, arrays, number = columns.resources, self._table.arrays, self.number
        request, scored = arrays.sizes[number].tolist()
        for row in rows.tolist():
            kernels.work_out(
                row,
                table.free,
                table.allocatable,
                table.nonzero,
                table.requested,
                arrays.lines[number, :request],
                arrays.least[number, :request],
                arrays.scoring[number, :, :scored],
                arrays.balancing[number],
                arrays.weights[number],
                *scores,
            )
