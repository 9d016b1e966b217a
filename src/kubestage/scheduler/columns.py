"""Columns over nodes: one NumPy array per property, one row per node.

Plugins read columns and never loop over nodes. The cache patches the rows that change; a
`take` copies a few rows for trying things out (preemption, nominated pods) and answers the same
questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from kubestage.scheduler import node_info, resource_table
from kubestage.scheduler.cells import Cells
from kubestage.scheduler.image_states import ImageStates
from kubestage.scheduler.lower_priority_pods import LowerPriorityPods
from kubestage.scheduler.memo import Memo
from kubestage.scheduler.own_columns import OwnColumns
from kubestage.scheduler.pod_counters import PodCounters
from kubestage.scheduler.port_table import PortTable
from kubestage.scheduler.property_columns import PropertyColumns
from kubestage.scheduler.quick.row_log import RowLog
from kubestage.scheduler.resource_table import ResourceTable
from kubestage.scheduler.stated_terms import StatedTerms

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints, LabelColumn, Mask, ValueColumn
    from kubestage.scheduler.device_table import DeviceTable
    from kubestage.scheduler.kept_rows import KeptRows
    from kubestage.scheduler.node_info import NodeInfo
    from kubestage.scheduler.own_columns import OwnDefinitions
    from kubestage.scheduler.pod_counters import PodKind
    from kubestage.scheduler.quick.known import Known

# Derived arrays are kept up to so many values in all, so fewer of them in a larger cluster.
_MAX_MEMOS: Final = 1 << 13
_MAX_DERIVED: Final = 1 << 21
_MIN_DERIVED: Final = 1 << 6
_MAX_CELLS: Final = 1 << 23

_V = TypeVar("_V", bound="Hashable")
_T = TypeVar("_T")


class Columns:
    """All columns over a list of nodes.

    The cache hands in its own `images`, which know in which order nodes arrived; without them
    nodes count as having arrived in the order of their rows. It also hands in the columns that
    these follow, and which rows of theirs are kept.
    """

    def __init__(
        self,
        infos: Sequence[NodeInfo],
        images: ImageStates | None = None,
        earlier: Columns | None = None,
        kept: KeptRows | None = None,
        definitions: OwnDefinitions | None = None,
    ) -> None:
        self.infos = list(infos)
        count = len(self.infos)
        self.names = [info.view.name for info in self.infos] if kept is None else kept.names
        self.row_of = (
            dict(zip(self.names, range(count), strict=True)) if kept is None else kept.row_of
        )
        self.resources: ResourceTable = ResourceTable.from_nodes(
            self.infos, None if earlier is None else earlier.resources, kept
        )
        ports = None if earlier is None else earlier.ports
        self.ports: PortTable = PortTable.from_nodes(self.infos, ports, kept)
        self.unschedulable: Mask = np.zeros(count, np.bool_)
        self.generation = 0
        self.memo = Memo(_MAX_MEMOS)
        self._derived = Memo(max(_MAX_DERIVED // max(count, 1), _MIN_DERIVED))
        self.properties = PropertyColumns(self.infos)
        self._images = images
        self._owns_images = images is None
        self._taken_from: tuple[Columns, Ints] | None = None
        self.is_taken = False
        self.row_log: RowLog = RowLog(count)
        self.known: Known | None = None
        # NOTE: nodes come and go, templates stay. To learn a known one at once, not at its second
        # pod, saves 6 % of the time of a drain of all nodes (benchmarks/rehearse.py).
        self.seen_templates: set[tuple[Any, ...]] = (
            set() if earlier is None else earlier.seen_templates
        )
        self.cells = Cells()
        self._counters: PodCounters | None = None
        self._stated_terms: StatedTerms | None = None
        self._lower_priority_pods: LowerPriorityPods | None = None
        if earlier is not None and kept is not None:
            self._follow(earlier, kept)
        for row in range(count) if kept is None else kept.others:
            self.unschedulable[row] = self.infos[row].view.unschedulable
        self.own: OwnColumns | None = None
        if definitions:
            before = None if earlier is None else earlier.own
            names = {} if earlier is None else earlier.row_of
            self.own = OwnColumns(definitions, self.infos, before, kept, names)

    def _follow(self, earlier: Columns, kept: KeptRows) -> None:
        """Take over what is known of rows that are kept."""
        self.unschedulable[kept.after] = earlier.unschedulable[kept.before]
        self.properties.follow(earlier.properties, kept)
        if earlier.has_counters:
            self._counters = PodCounters.following(earlier.counters, self, kept)
        if earlier._stated_terms is not None and earlier._stated_terms.is_empty:
            self._stated_terms = StatedTerms(self, kept.others)

    def __len__(self) -> int:
        return len(self.infos)

    @property
    def allowed_pods(self) -> Ints:
        """How many pods each node takes."""
        line: Ints = self.resources.allocatable[resource_table.PODS]
        return line

    @property
    def pod_count(self) -> Ints:
        """How many pods each node has."""
        line: Ints = self.resources.requested[resource_table.PODS]
        return line

    @property
    def images(self) -> ImageStates:
        """The images on all nodes."""
        self._images = self._images or ImageStates(info.view for info in self.infos)
        return self._images

    @property
    def counters(self) -> PodCounters:
        """Counts of pods by selector, built at first use and patched from then on."""
        if self._counters is None:
            self._counters = PodCounters(self)
        return self._counters

    @property
    def stated_terms(self) -> StatedTerms:
        """The affinity terms of the pods on nodes, stored in the same way."""
        if self._stated_terms is None:
            self._stated_terms = StatedTerms(self)
        return self._stated_terms

    @property
    def lower_priority_pods(self) -> LowerPriorityPods:
        """What pods below a priority take up, stored in the same way."""
        if self._lower_priority_pods is None:
            self._lower_priority_pods = LowerPriorityPods(self)
        return self._lower_priority_pods

    def label(self, key: str) -> LabelColumn:
        """The column of a label, built at first use and patched from then on."""
        return self.properties.label(key)

    def groups(self, of: Callable[[NodeView], _V]) -> ValueColumn[_V]:
        """Nodes grouped by any property of theirs; the same function means the same column."""
        return self.properties.groups(of)

    def derived(self, key: Hashable, build: Callable[[Columns], _T]) -> _T:
        """An array over all rows (or None) that follows from the nodes, not from their pods.

        It is kept until a node changes in more than its conditions. Columns that were taken
        from others read it there: `build` may cost far more than a few rows are worth.
        """
        if self._taken_from is None:
            return self._derived.get(key, lambda: build(self))
        whole, rows = self._taken_from
        found: Any = whole.derived(key, build)
        taken: Any = None if found is None else found[rows]
        answer: _T = taken
        return answer

    def allocatable_of(self, resource: str) -> Ints:
        """How much of a resource each node offers; zeros for a resource that no node has."""
        number = self.resources.line(resource)
        line: Ints = self.resources.allocatable[number]
        return line

    def requested_of(self, resource: str) -> Ints:
        """How much of a resource the pods of each node request."""
        number = self.resources.line(resource)
        line: Ints = self.resources.requested[number]
        return line

    def devices(self, name: str) -> DeviceTable:
        """What is free of each device of each node; `name` is that of a plugin's `Devices`."""
        assert self.own is not None, "a plugin has defined them"
        return self.own.tables[name]

    def extended(self, name: str) -> Any:
        """A column that a plugin has added with `Handle.add_column`; it may be written to."""
        assert self.own is not None, "a plugin has added it"
        return self.own.arrays[name]

    def take(self, rows: Sequence[int]) -> Columns:
        """Independent copies of some rows, to change and try things out on."""
        numbers = np.array(rows, np.int64)
        other = Columns([], self._images)
        other.infos = [self.infos[row].copy() for row in rows]
        other.names = [info.name for info in other.infos]
        other.row_of = {name: row for row, name in enumerate(other.names)}
        other.resources = self.resources.take(numbers)
        other.ports = self.ports.take(numbers)
        other.row_log = RowLog(len(rows))
        other.unschedulable = self.unschedulable[numbers]
        other.properties = self.properties.take(numbers, other.infos)
        other._taken_from = self, numbers
        other.own = None if self.own is None else self.own.take(numbers, other.infos)
        other.is_taken = True
        return other

    def add_pod(self, row: int, pod: PodView) -> None:
        """Count a pod in on a node."""
        self.infos[row].add(pod)
        self._count(row, pod, 1)

    def remove_pod(self, row: int, uid: str) -> PodView:
        """Count a pod out; returns it as it was counted in."""
        pod = self.infos[row].remove(uid)
        self._count(row, pod, -1)
        return pod

    def update_node(self, row: int, view: NodeView) -> None:
        """Rewrite a node's own properties; its pods stay."""
        before = self.infos[row].view
        self.infos[row].view = view
        self.generation += 1
        self.row_log.note(row)
        if node_info.only_shows_life(before, view):
            return
        self.memo.clear()
        self._derived.clear()
        self.known = None
        self._taken_from = None
        self.resources.write_node(row, view.allocatable)
        self.unschedulable[row] = view.unschedulable
        if self.own is not None:
            self.own.update_node(row, view, self.infos)
        if before.labels != view.labels:
            # Pods are counted by the labels of their nodes.
            self._counters = self._stated_terms = None
            self.cells = Cells()
        self.properties.update(row, view)
        if self._owns_images and self._images is not None:
            self._images.remove(before)
            self._images.add(view)

    @property
    def has_counters(self) -> bool:
        """Whether pods have been counted by their labels so far."""
        return self._counters is not None

    @property
    def has_stated_terms(self) -> bool:
        """Whether any pod on a node states affinity terms."""
        return not self.stated_terms.is_empty

    def trim(self) -> None:
        """Drop counts that have grown too many; those still in use are built again."""
        if self.cells.used > _MAX_CELLS:
            self._stated_terms = self.known = None
            self.cells = Cells()
            if self._counters is not None:
                self._counters.forget_questions()

    def settle_pod(self, row: int, pod: PodView, kind: PodKind | None) -> None:
        """Add a pod whose resources and counters are counted in already."""
        self.infos[row].add(pod)
        if kind is not None and self._counters is not None:
            node = self._counters.node_on[row]
            kind.nodes[node] = kind.nodes.get(node, 0) + 1
        if pod.has_affinity:
            self.stated_terms.settle(pod)
        if self.own is not None:
            self.own.count_pod(row, pod, 1)
        if self._lower_priority_pods is not None:
            self._lower_priority_pods.count(row, pod, 1)

    def _count(self, row: int, pod: PodView, sign: int) -> None:
        self.resources.count(row, pod, sign)
        self.row_log.note(row)
        if self.own is not None:
            self.own.count_pod(row, pod, sign)
        if self._counters is not None:
            self._counters.count(row, pod, sign)
        if self._stated_terms is not None and pod.has_affinity:
            self._stated_terms.count(row, pod, sign)
        if self._lower_priority_pods is not None:
            self._lower_priority_pods.count(row, pod, sign)
        # As in the real scheduler, a port is free as soon as one of its holders goes.
        for port in pod.host_ports:
            self.ports.mark(row, port, sign > 0)
