"""What some of the pods of each node take up there, in the lines of the resource table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler import resource_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Mask
    from kubestage.scheduler.resource_table import ResourceTable, Table

_NATIVE_LINES: Final = resource_table.EPHEMERAL_STORAGE + 1


class Share:
    """The amounts on all nodes; only the `known` rows of the table are true."""

    __slots__ = ("known", "table")

    def __init__(self, count: int) -> None:
        self.table: Table = np.zeros((_NATIVE_LINES, count), np.int64)
        self.known: Mask = np.zeros(count, np.bool_)

    def lengthen(self, lines: int) -> None:
        """Add resources that are new since; rows that use them are not known yet."""
        missing = lines - len(self.table)
        if missing:
            more = np.zeros((missing, len(self.known)), np.int64)
            self.table = np.concatenate((self.table, more))

    def write(self, row: int, pods: Iterable[PodView], resources: ResourceTable) -> None:
        """Add up what pods take; plain numbers are faster than cells of a table."""
        count = cpu = memory = storage = 0
        scalars: dict[str, int] = {}
        for pod in pods:
            taken = pod.requests
            count += 1
            cpu += taken.milli_cpu
            memory += taken.memory
            storage += taken.ephemeral_storage
            for resource, amount in taken.scalars.items():
                scalars[resource] = scalars.get(resource, 0) + amount
        lines = {resources.line(resource): amount for resource, amount in scalars.items()}
        self.lengthen(len(resources.requested))
        column = self.table[:, row]
        column[:_NATIVE_LINES] = count, cpu, memory, storage
        column[_NATIVE_LINES:] = 0
        for line, amount in lines.items():
            column[line] = amount
        self.known[row] = True
