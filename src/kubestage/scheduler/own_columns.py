"""Columns that plugins define: devices of nodes, and arrays of their own.

`OwnDefinitions` belongs to the cache and outlives columns; `OwnColumns` belongs to one `Columns`.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kubestage.errors import InputError
from kubestage.scheduler.device_table import DeviceTable

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping, Sequence

    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.device_definition import Devices, Indexes
    from kubestage.scheduler.kept_rows import KeptRows
    from kubestage.scheduler.node_info import NodeInfo


class ColumnDefinition(NamedTuple):
    """An array over rows; `width` values a row, or a single one if it is 0."""

    dtype: Any
    width: int
    fill: Any

    def filled(self, count: int) -> Any:
        """As it is for nodes of which nothing is known yet."""
        shape = (count, self.width) if self.width else (count,)
        return np.full(shape, self.fill, self.dtype)


class OwnDefinitions:
    """What plugins have defined, and which pod has which devices."""

    def __init__(self) -> None:
        self.devices: dict[str, Devices] = {}
        self.assigned: dict[str, MutableMapping[str, Indexes]] = {}
        self.columns: dict[str, ColumnDefinition] = {}

    def add_devices(self, devices: Devices) -> None:
        """Define devices; several plugins may define the same."""
        _agree("devices", devices.name, self.devices.setdefault(devices.name, devices), devices)
        self.assigned.setdefault(devices.name, {})

    def add_column(self, name: str, definition: ColumnDefinition) -> None:
        """Define a column; several plugins may define the same."""
        _agree("column", name, self.columns.setdefault(name, definition), definition)

    def forget(self, uid: str) -> None:
        """A pod is gone."""
        for assigned in self.assigned.values():
            assigned.pop(uid, None)

    def follow(self, others: OwnDefinitions) -> None:
        """Begin with the devices that pods have there; what is assigned here is so here alone."""
        for name, assigned in others.assigned.items():
            self.assigned[name] = collections.ChainMap({}, assigned)

    def __bool__(self) -> bool:
        return bool(self.devices or self.columns)


class DevicesOfNode:
    """What is free of each device of one node, by the name of the devices.

    It holds no array: one that shows a part of another does not after it was pickled.
    """

    __slots__ = ("_row", "_tables")

    def __init__(self, tables: Mapping[str, DeviceTable], row: int) -> None:
        self._tables = tables
        self._row = row

    def __getitem__(self, name: str) -> Ints:
        return self._tables[name].of_row(self._row)


class OwnColumns:
    """The devices and arrays of one list of nodes."""

    __slots__ = ("_definitions", "arrays", "tables")

    def __init__(
        self,
        definitions: OwnDefinitions,
        infos: Sequence[NodeInfo],
        earlier: OwnColumns | None = None,
        kept: KeptRows | None = None,
        row_of: Mapping[str, int] | None = None,
    ) -> None:
        """`row_of` are the rows of nodes in the columns before."""
        self._definitions = definitions
        self.tables: dict[str, DeviceTable] = {}
        self.arrays: dict[str, Any] = {}
        for name, devices in definitions.devices.items():
            table = None if earlier is None else earlier.tables.get(name)
            assigned = definitions.assigned[name]
            self.tables[name] = DeviceTable.from_nodes(devices, infos, assigned, table, kept)
        self._show_in(infos)
        for name, definition in definitions.columns.items():
            array = self.arrays[name] = definition.filled(len(infos))
            if earlier is not None and row_of and name in earlier.arrays:
                after = [row for row, info in enumerate(infos) if info.name in row_of]
                before = [row_of[infos[row].name] for row in after]
                array[after] = earlier.arrays[name][before]

    def take(self, rows: Ints, infos: Sequence[NodeInfo]) -> OwnColumns:
        """Independent copies of some rows."""
        other = OwnColumns(OwnDefinitions(), ())
        other._definitions = self._definitions
        other.tables = {name: table.take(rows) for name, table in self.tables.items()}
        other.arrays = {name: array[rows] for name, array in self.arrays.items()}
        other._show_in(infos)
        return other

    def _show_in(self, infos: Sequence[NodeInfo]) -> None:
        """Let the nodes themselves show what is free, for plugins that check one at a time."""
        if self.tables:
            for row, info in enumerate(infos):
                info.devices = DevicesOfNode(self.tables, row)

    def count_pod(self, row: int, pod: PodView, sign: int) -> None:
        """Count a pod in (1) or out (-1)."""
        for table in self.tables.values():
            table.count_pod(row, pod, sign)

    def update_node(self, row: int, view: NodeView, infos: Sequence[NodeInfo]) -> None:
        """A node may have another number of devices now."""
        for name, table in self.tables.items():
            if table.definition.count_of(view) != table.count[row]:
                assigned = self._definitions.assigned[name]
                self.tables[name] = DeviceTable.from_nodes(table.definition, infos, assigned)


def _agree(kind: str, name: str, first: object, second: object) -> None:
    if first != second:
        problem = f"another plugin defines {kind} of that name otherwise: {first}"
        fix = "use one definition for both, or another name"
        raise InputError(problem, path=f'{kind} "{name}"', fix=fix)
