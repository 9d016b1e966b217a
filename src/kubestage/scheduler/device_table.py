"""What is free of each device of each node."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableMapping, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.device_definition import Devices, Indexes
    from kubestage.scheduler.kept_rows import KeptRows
    from kubestage.scheduler.node_info import NodeInfo
    from kubestage.scheduler.resource_table import Table


class DeviceTable:
    """A line for each node, a number for each of its devices; 0 where a node has no more of them.

    `free` is what is left of each device, `count` how many each node has. Pods are counted in on
    the devices that they are assigned to; a pod that is assigned to none yet gets the fullest that
    have room.
    """

    __slots__ = ("_assigned", "count", "definition", "free")

    def __init__(
        self, definition: Devices, counts: Sequence[int], assigned: MutableMapping[str, Indexes]
    ) -> None:
        self.definition = definition
        self._assigned = assigned
        self.count: Ints = np.array(counts, np.int64)
        width = max(counts, default=0)
        has = np.arange(width) < self.count[:, None]
        self.free: Table = np.where(has, definition.whole, 0).astype(np.int64)

    @classmethod
    def from_nodes(
        cls,
        definition: Devices,
        infos: Sequence[NodeInfo],
        assigned: MutableMapping[str, Indexes],
        earlier: DeviceTable | None = None,
        kept: KeptRows | None = None,
    ) -> DeviceTable:
        """The devices of nodes with pods on them; those of rows that are kept are there already."""
        table = cls(definition, [definition.count_of(info.view) for info in infos], assigned)
        rows: Iterable[int] = range(len(infos))
        if earlier is not None and kept is not None:
            width = min(table.free.shape[1], earlier.free.shape[1])
            table.free[kept.after, :width] = earlier.free[kept.before, :width]
            rows = kept.others
        for row in rows:
            for pod in infos[row].pods.values():
                table.count_pod(row, pod, 1)
        return table

    def of_row(self, row: int) -> Ints:
        """What is free of each device of a node, for reading."""
        free: Ints = self.free[row, : self.count[row]]
        return free

    def take(self, rows: Ints) -> DeviceTable:
        """Independent copies of some lines; what is assigned there is assigned there alone."""
        other = DeviceTable(self.definition, (), collections.ChainMap({}, self._assigned))
        other.count, other.free = self.count[rows], self.free[rows]
        return other

    def count_pod(self, row: int, pod: PodView, sign: int) -> None:
        """Count a pod in (1) or out (-1)."""
        request = self.definition.request_of(pod)
        if request is None:
            return
        indexes = self._assigned.get(pod.uid)
        if indexes is None:
            indexes = self.definition.indexes_of(pod, int(self.count[row]))
            if indexes is None:
                indexes = self.pick(row, *request) or ()
            self._assigned[pod.uid] = indexes
        self.free[row, list(indexes)] -= sign * request.share

    def assign(self, row: int, pod: PodView, indexes: Indexes) -> None:
        """Have a pod that is counted in on other devices of its node."""
        self.count_pod(row, pod, -1)
        self._assigned[pod.uid] = indexes
        self.count_pod(row, pod, 1)

    def assigned(self, pod: PodView) -> Indexes:
        """The devices of a pod; none if it is on no node or needs none."""
        return self._assigned.get(pod.uid, ())

    def free_without(self, row: int, pod: PodView) -> Ints:
        """What is free of each device of a node but for a pod on it."""
        free: Ints = self.of_row(row).copy()
        request = self.definition.request_of(pod)
        if request is not None:
            free[list(self.assigned(pod))] += request.share
        return free

    def pick(self, row: int, share: int, number: int) -> Indexes | None:
        """The fullest devices of a node that have room, and of equal ones the first."""
        return fullest(self.of_row(row), share, number)

    def fitting(self, share: int) -> Ints:
        """How many devices of each node have room for a share."""
        found: Ints = (self.free >= max(share, 1)).sum(axis=1)
        return found


def fullest(free: Ints, share: int, number: int) -> Indexes | None:
    """The devices that have room and least of it; None if there are fewer than the number."""
    fitting = (free >= share).nonzero()[0]
    if len(fitting) < number:
        return None
    order = fitting[free[fitting].argsort(kind="stable")]
    return tuple(sorted(order[:number].tolist()))
