"""Adapts a plugin that checks one node at a time to columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage.scheduler.status import SUCCESS

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.status import Status


class ScalarFilter:
    """Calls `filter_node` for each row; codes number the different answers of the attempt."""

    def __init__(self, plugin: Any) -> None:
        self.plugin = plugin
        self.name: str = plugin.name
        self._key = f"{self.name}/statuses"

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Codes:
        """One code a row, in the order of the rows."""
        statuses: list[Status] | None = state.get(self._key)
        if statuses is None:
            state[self._key] = statuses = []
        codes = np.zeros(len(rows), np.int32)
        # NOTE: hundreds of calls for each pod; around each go 30 ns this way instead of 130 ns.
        call, infos = self.plugin.filter_node, columns.infos
        for at, row in enumerate(rows.tolist()):
            status = call(state, pod, infos[row])
            if status is not SUCCESS and not status.is_success:
                if status not in statuses:
                    statuses.append(status)
                codes[at] = statuses.index(status) + 1
        return codes

    def status(self, state: CycleState, _: PodView, code: int) -> Status:
        """The answer behind a code."""
        status: Status = state[self._key][code - 1]
        return status


def score_each(plugin: Any, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
    """Call `score_node` for each row."""
    call, infos = plugin.score_node, columns.infos
    scores = [call(state, pod, infos[row]) for row in rows.tolist()]
    return np.fromiter(scores, np.int64, len(scores))
