"""Which nodes hold pods below a priority, and what those pods take up there.

Preemption asks it of every node for each pod that fits nowhere, again and again while little
changes. So answers are kept, and nodes that gained or lost pods since are looked at anew when
they are next asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler import resource_table

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns, Ints, Mask
    from kubestage.scheduler.resource_table import ResourceTable, Table

_NO_POD: Final = np.iinfo(np.int64).max
"""Stands for the lowest priority on a node without pods."""

_NATIVE_LINES: Final = resource_table.EPHEMERAL_STORAGE + 1
_MAX_SHARES: Final = 16


class WeakerPods:
    """The answers over one set of columns. The priority of a pod never changes."""

    __slots__ = ("_columns", "_lowest", "_shares", "_unsure")

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._lowest: Ints = np.full(len(columns), _NO_POD, np.int64)
        self._unsure = set(range(len(columns)))
        self._shares: dict[int, _Share] = {}

    def count(self, row: int, pod: PodView, sign: int) -> None:
        """Hear of a pod that came (1) or went (-1)."""
        priority = pod.priority
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
            share = self._shares[priority] = _Share(len(self._columns))
        share.lengthen(len(resources.requested))
        for row in rows[~share.known[rows]].tolist():
            pods = [pod for pod in infos[row].pods.values() if pod.priority < priority]
            share.write(row, pods, resources)
        return share.table


class _Share:
    """What pods below one priority take up; only the `known` rows of the table are true."""

    __slots__ = ("known", "table")

    def __init__(self, count: int) -> None:
        self.table: Table = np.zeros((_NATIVE_LINES, count), np.int64)
        self.known: Mask = np.zeros(count, np.bool_)

    def lengthen(self, lines: int) -> None:
        """Take up resources that were heard of since; rows that use them are not known yet."""
        missing = lines - len(self.table)
        if missing:
            more = np.zeros((missing, len(self.known)), np.int64)
            self.table = np.concatenate((self.table, more))

    def write(self, row: int, pods: list[PodView], resources: ResourceTable) -> None:
        """Add up what pods take; plain numbers are faster than cells of a table."""
        cpu = memory = storage = 0
        scalars: dict[str, int] = {}
        for pod in pods:
            taken = pod.requests
            cpu += taken.milli_cpu
            memory += taken.memory
            storage += taken.ephemeral_storage
            for resource, amount in taken.scalars.items():
                scalars[resource] = scalars.get(resource, 0) + amount
        column = self.table[:, row]
        column[:_NATIVE_LINES] = len(pods), cpu, memory, storage
        column[_NATIVE_LINES:] = 0
        for resource, amount in scalars.items():
            column[resources.line_of[resource]] = amount
        self.known[row] = True
