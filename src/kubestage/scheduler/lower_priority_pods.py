"""Which nodes hold pods below a priority, and what those pods take up there.

Preemption needs it of every node for each pod that fits nowhere, again and again while little
changes. So answers are cached, and nodes that gained or lost pods since are counted again when
they are next needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.memo import Memo
from kubestage.scheduler.shares import Share

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.resource_table import Table

_NO_POD: Final = np.iinfo(np.int64).max
"""Stands for the lowest priority on a node without pods."""

_MAX_SHARES: Final = 16
# Trials are kept for so many nodes in all, so for fewer templates in a larger cluster.
_MAX_TRIALS: Final = 1 << 17


class LowerPriorityPods:
    """The answers over one set of columns. The priority of a pod never changes.

    `changes` counts for each node how often pods came or went; `trials` is where preemption keeps
    what it came to there.
    """

    __slots__ = ("_columns", "_lowest", "_shares", "_unsure", "changes", "trials")

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._lowest: Ints = np.full(len(columns), _NO_POD, np.int64)
        self._unsure = set(range(len(columns)))
        self._shares: dict[int, Share] = {}
        self.changes = [0] * len(columns)
        self.trials = Memo(max(_MAX_TRIALS // max(len(columns), 1), 1))

    def count(self, row: int, pod: PodView, sign: int) -> None:
        """A pod came (1) or went (-1)."""
        priority = pod.priority
        self.changes[row] += 1
        if row not in self._unsure:
            lowest = self._lowest[row]
            if sign > 0 and priority < lowest:
                self._lowest[row] = priority
            elif sign < 0 and priority == lowest:
                self._unsure.add(row)
        for limit, share in self._shares.items():
            if priority < limit:
                share.known[row] = False

    def are_on(self, priority: int) -> Mask:
        """The nodes that hold a pod of lower priority."""
        infos = self._columns.infos
        for row in self._unsure:
            pods = infos[row].pods.values()
            self._lowest[row] = min((pod.priority for pod in pods), default=_NO_POD)
        self._unsure.clear()
        found: Mask = self._lowest < priority
        return found

    def share(self, priority: int, rows: Ints) -> Table:
        """What the pods of lower priority take up together, in the lines of the resource table.

        True for the given rows only, and not to be written to.
        """
        resources, infos = self._columns.resources, self._columns.infos
        share = self._shares.get(priority)
        if share is None:
            if len(self._shares) >= _MAX_SHARES:
                self._shares.clear()
            share = self._shares[priority] = Share(len(self._columns))
        share.lengthen(len(resources.requested))
        for row in rows[~share.known[rows]].tolist():
            pods = [pod for pod in infos[row].pods.values() if pod.priority < priority]
            share.write(row, pods, resources)
        return share.table
