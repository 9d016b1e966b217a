"""What nodes offer and what their pods take: a line per resource, a column per node.

Line 0 counts pods, lines 1 to 3 are CPU (in thousandths), memory and ephemeral storage; every
other resource gets a line when it is first seen. All four tables have the same lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.objects import pod_resources

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kubestage.objects.resource_totals import Resource
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.kept_rows import KeptRows
    from kubestage.scheduler.node_info import NodeInfo

Table = np.ndarray[tuple[int, int], np.dtype[np.int64]]

PODS: Final = 0
CPU: Final = 1
MEMORY: Final = 2
EPHEMERAL_STORAGE: Final = 3

_NATIVE: Final = {
    pod_resources.CPU: CPU,
    pod_resources.MEMORY: MEMORY,
    pod_resources.EPHEMERAL_STORAGE: EPHEMERAL_STORAGE,
}


class ResourceTable:
    """The amounts of all nodes.

    `nonzero` is `requested`, but what pods leave out of CPU and memory counts as a little;
    `free` is `allocatable` less `requested`, kept so that a fit is a single comparison.
    """

    __slots__ = ("allocatable", "free", "line_of", "nonzero", "requested")

    def __init__(self, count: int) -> None:
        shape = (len(_NATIVE) + 1, count)
        self.line_of = dict(_NATIVE)
        self.allocatable: Table = np.zeros(shape, np.int64)
        self.requested: Table = np.zeros(shape, np.int64)
        self.nonzero: Table = np.zeros(shape, np.int64)
        self.free: Table = np.zeros(shape, np.int64)

    @classmethod
    def from_nodes(
        cls,
        infos: Sequence[NodeInfo],
        earlier: ResourceTable | None = None,
        kept: KeptRows | None = None,
    ) -> ResourceTable:
        """The amounts of nodes with pods on them; those of rows that are kept are there already.

        NOTE: the same as `write_node` and `count` for each, at a fifth of the cost.
        """
        table = cls(len(infos))
        rows: Sequence[int] = range(len(infos))
        # Lines are numbered as nodes come up with resources: kept ones might have other numbers.
        if earlier is not None and kept is not None and len(earlier.line_of) == len(_NATIVE):
            table._take_over(earlier, kept)
            rows = kept.others
        offered = [infos[row].view.allocatable for row in rows]
        table.allocatable[PODS, rows] = [each.allowed_pod_number for each in offered]
        table.allocatable[CPU, rows] = [each.milli_cpu for each in offered]
        table.allocatable[MEMORY, rows] = [each.memory for each in offered]
        table.allocatable[EPHEMERAL_STORAGE, rows] = [each.ephemeral_storage for each in offered]
        for row, each in zip(rows, offered, strict=True):
            for resource, amount in each.scalars.items():
                line = table.line(resource)
                table.allocatable[line, row] = amount
        for row in rows:
            if infos[row].pods:
                table._count_all(row, infos[row].pods.values())
        np.subtract(table.allocatable, table.requested, out=table.free)
        return table

    def _take_over(self, earlier: ResourceTable, kept: KeptRows) -> None:
        """Take the amounts of rows that are kept; what is free is left to the caller."""
        before, after = kept.before, kept.after
        self.allocatable[:, after] = earlier.allocatable[:, before]
        self.requested[:, after] = earlier.requested[:, before]
        self.nonzero[:, after] = earlier.nonzero[:, before]

    def _count_all(self, row: int, pods: Collection[PodView]) -> None:
        """Count pods in on a node that has none yet; what is free is left to the caller."""
        requests = [pod.requests for pod in pods]
        self.requested[PODS, row] = len(requests)
        self.requested[CPU, row] = sum([each.milli_cpu for each in requests])
        self.requested[MEMORY, row] = sum([each.memory for each in requests])
        storage = sum([each.ephemeral_storage for each in requests])
        self.requested[EPHEMERAL_STORAGE, row] = self.nonzero[EPHEMERAL_STORAGE, row] = storage
        self.nonzero[CPU, row] = sum([pod.nonzero_cpu for pod in pods])
        self.nonzero[MEMORY, row] = sum([pod.nonzero_memory for pod in pods])
        for each in requests:
            for resource, amount in each.scalars.items():
                line = self.line(resource)
                self.requested[line, row] += amount
                self.nonzero[line, row] += amount

    def line(self, resource: str) -> int:
        """The line of a resource, created at first use; call it before reading the tables."""
        line = self.line_of.get(resource)
        if line is None:
            line = self.line_of[resource] = len(self.line_of) + 1
            self.allocatable = _lengthened(self.allocatable)
            self.requested = _lengthened(self.requested)
            self.nonzero = _lengthened(self.nonzero)
            self.free = _lengthened(self.free)
        return line

    def take(self, rows: Ints) -> ResourceTable:
        """Independent copies of some nodes' amounts."""
        other = ResourceTable(0)
        other.line_of = dict(self.line_of)
        other.allocatable = self.allocatable.take(rows, axis=1)
        other.requested = self.requested.take(rows, axis=1)
        other.nonzero = self.nonzero.take(rows, axis=1)
        other.free = self.free.take(rows, axis=1)
        return other

    def write_node(self, row: int, offered: Resource) -> None:
        """Note what a node offers from now on."""
        lines = [(self.line(resource), amount) for resource, amount in offered.items()]
        self.allocatable[:, row] = 0
        self.allocatable[PODS, row] = offered.allowed_pod_number
        for line, amount in lines:
            self.allocatable[line, row] = amount
        self.free[:, row] = self.allocatable[:, row] - self.requested[:, row]

    def count(self, row: int, pod: PodView, sign: int) -> None:
        """Count a pod in (1) or out (-1)."""
        for resource, amount in pod.requests.items():
            line, change = self.line(resource), sign * amount
            self.requested[line, row] += change
            self.free[line, row] -= change
            if line > MEMORY:
                self.nonzero[line, row] += change
        self.nonzero[CPU, row] += sign * pod.nonzero_cpu
        self.nonzero[MEMORY, row] += sign * pod.nonzero_memory
        self.requested[PODS, row] += sign
        self.free[PODS, row] -= sign


def _lengthened(table: Table) -> Table:
    return np.concatenate((table, np.zeros((1, table.shape[1]), np.int64)))
