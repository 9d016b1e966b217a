"""A plan at work without compiled code: the best node for the next pod, in plain NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler.quick import kernels

if TYPE_CHECKING:
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.quick.kernels import Choice
    from kubestage.scheduler.quick.plan_table import Asked, PlanTable

_FEW: Final = 4


class Plan:
    """What the pods of a template ask of nodes.

    `state` is what plugins keep in mind about such a pod.
    """

    __slots__ = ("_amounts", "_table", "is_plain", "number", "state")

    def __init__(self, table: PlanTable, asked: Asked, state: CycleState) -> None:
        self.state = state
        self.number = table.add(asked)
        self.is_plain = asked.is_plain
        self._table = table
        self._amounts = asked.amounts

    def choose(self, columns: Columns, start: int, needed: int) -> Choice:
        """The best node, after what has happened since it was last asked."""
        kept, seen = self._table.kept(self.number), self._table.arrays.seen
        rows = columns.row_log.since(int(seen[self.number]))
        seen[self.number] = columns.row_log.count
        if len(rows) > _FEW:
            kernels.refresh(rows, columns.resources, self._amounts, kept)
        elif len(rows):
            table, arrays, number = columns.resources, self._table.arrays, self.number
            asked, scored = arrays.sizes[number].tolist()
            for row in rows.tolist():
                kernels.work_out(
                    row,
                    table.free,
                    table.allocatable,
                    table.nonzero,
                    table.requested,
                    arrays.lines[number, :asked],
                    arrays.least[number, :asked],
                    arrays.scoring[number, :, :scored],
                    arrays.balancing[number],
                    arrays.weights[number],
                    *kept,
                )
        return kernels.choose(kept, start, needed)
