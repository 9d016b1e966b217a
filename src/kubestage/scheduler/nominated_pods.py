"""What nominated pods would take up on the nodes that they are nominated to.

Every attempt at a pod tries all nodes as if the nominated pods that go before it were there. So
what these would take is stored for each priority, and only nodes whose nominations have changed
since are added up again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler import resource_table
from kubestage.scheduler.shares import Share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.resource_table import ResourceTable, Table

_MAX_PRIORITIES: Final = 16


class NominatedPods:
    """The nominations over one set of columns; `pods` are the nominator's, by node and uid."""

    __slots__ = ("_by_priority", "_pods", "columns")

    def __init__(self, columns: Columns, pods: Mapping[str, Mapping[str, PodView]]) -> None:
        self.columns = columns
        self._pods = pods
        self._by_priority: dict[int, _Nominated] = {}

    def change(self, node_name: str) -> None:
        """The nominations of a node have changed."""
        for nominated in self._by_priority.values():
            nominated.changed.add(node_name)

    def by_row(self, pod: PodView, own_node: str) -> Mapping[int, tuple[PodView, ...]]:
        """The nominated pods that go before a pod, by the rows of their nodes.

        As long as nothing changes on a row they come in the same tuple. The pod's own
        nomination does not count.
        """
        pods = self._current(pod.priority).pods
        own_row = self.columns.row_of.get(own_node)
        if own_row not in pods:
            return pods
        others = tuple([each for each in pods[own_row] if each.uid != pod.uid])
        return {**pods, own_row: others}

    def nominated_amounts(self, pod: PodView, own_node: str, rows: Ints) -> tuple[Ints, Table]:
        """Where among the rows nominated pods go before a pod, and what these would take up there.

        Places are those in the list of rows; amounts come in the lines of the resource table.
        The pod's own nomination does not count.
        """
        share = self._current(pod.priority).share
        places: Ints = share.table[resource_table.PODS][rows].nonzero()[0]
        amounts: Table = share.table.take(rows[places], axis=1)
        own_row = self.columns.row_of.get(own_node)
        if own_row is not None:
            at = (rows[places] == own_row).nonzero()[0]
            if len(at):
                amounts[:, at] = self._without(pod, own_node)
                others = amounts[resource_table.PODS] > 0
                places, amounts = places[others], amounts[:, others]
        return places, amounts

    def _current(self, priority: int) -> _Nominated:
        found = self._by_priority.get(priority)
        if found is None:
            if len(self._by_priority) >= _MAX_PRIORITIES:
                self._by_priority.clear()
            found = self._by_priority[priority] = _Nominated(len(self.columns), set(self._pods))
        resources, row_of = self.columns.resources, self.columns.row_of
        for name in found.changed:
            row = row_of.get(name)
            if row is not None:
                pods = self._pods.get(name, {}).values()
                found.write(row, [each for each in pods if each.priority >= priority], resources)
        found.changed.clear()
        found.share.lengthen(len(resources.requested))
        return found

    def _without(self, pod: PodView, node_name: str) -> Table:
        """What all but one take up on its node, as a column."""
        alone = Share(1)
        pods = self._pods.get(node_name, {}).values()
        ahead = (each for each in pods if each.priority >= pod.priority and each.uid != pod.uid)
        alone.write(0, ahead, self.columns.resources)
        return alone.table


class _Nominated:
    """Nominated pods from one priority on; the numbers of nodes that `changed` are out of date."""

    __slots__ = ("changed", "pods", "share")

    def __init__(self, count: int, changed: set[str]) -> None:
        self.changed = changed
        self.pods: dict[int, tuple[PodView, ...]] = {}
        self.share = Share(count)

    def write(self, row: int, pods: list[PodView], resources: ResourceTable) -> None:
        self.share.write(row, pods, resources)
        if pods:
            self.pods[row] = tuple(pods)
        else:
            self.pods.pop(row, None)
