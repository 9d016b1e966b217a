"""What is kept for one template: the numbers of all nodes, and how to keep them true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler.quick import kernels
from kubestage.scheduler.quick.kernels import Choice

if TYPE_CHECKING:
    from kubestage.scheduler.columns import Columns, Ints
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.quick.kernels import Amounts, Kept


_FEW: Final = 4


class Plan:
    """One template on one set of columns.

    `state` is what plugins wrote in the ordinary attempt that it was learnt from; `social` are the
    plugins that look at other pods, and that must have nothing to say.
    """

    def __init__(
        self,
        columns: Columns,
        state: CycleState,
        asked: Amounts,
        kept: Kept,
        social: tuple[Any, ...],
    ) -> None:
        self.state = state
        self.social = social
        self._columns = columns
        self._asked = asked
        self._kept = kept
        scoring = np.array([asked.score_lines, asked.scored, asked.weights], np.int64)
        self._template = (
            asked.lines,
            asked.least,
            scoring.reshape(3, -1),
            np.array([asked.balance_lines, asked.balanced], np.int64),
            np.array([asked.fit_weight, asked.balance_weight, asked.strategy], np.int64),
        )
        self._epoch = columns.row_log.epoch
        self._position = columns.row_log.count
        kernels.refresh(np.arange(len(columns)), columns.resources, asked, kept)

    def choose(self, start: int, needed: int) -> Choice:
        """The best node, after what has happened since it was last asked."""
        rows = self._changed()
        quick = kernels.COMPILED.attempt(needed)
        if quick is not None:
            return Choice(*quick(rows, start, needed, *self._arrays()))
        if len(rows) > _FEW:
            kernels.refresh(rows, self._columns.resources, self._asked, self._kept)
        elif len(rows):
            arrays = self._arrays()
            for row in rows.tolist():
                kernels.work_out(row, *arrays)
        return kernels.choose(self._kept, start, needed)

    def _arrays(self) -> tuple[Any, ...]:
        """What the kernels work on; the tables may be others from time to time."""
        table = self._columns.resources
        tables = table.free, table.allocatable, table.nonzero, table.requested
        return *tables, *self._template, *self._kept

    def _changed(self) -> Ints:
        log = self._columns.row_log
        if log.epoch != self._epoch:
            rows: Ints = np.arange(len(self._columns))
        else:
            rows = log.since(self._position)
        self._epoch, self._position = log.epoch, log.count
        return rows
