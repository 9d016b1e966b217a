"""The numbers of all counters in one array, so that compiled code can reach every one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Codes, Ints
    from kubestage.scheduler.columns import Columns

_FIRST: Final = 1 << 10
# NOTE: where arrays begin to be faster than one number after the other.
_MANY: Final = 16
_EXTRA: Final = 2
"""After the numbers of a counter: that of nodes without the label, and the sum of the others."""


class Cells:
    """Numbers that are handed out in pieces; all begin at zero."""

    __slots__ = ("_free", "_row_numbers", "used", "values")

    def __init__(self) -> None:
        self.values: Codes = np.zeros(_FIRST, np.int32)
        self.used = 0
        self._free: dict[int, list[int]] = {}
        self._row_numbers: Codes = np.zeros(0, np.int32)

    def row_numbers(self, count: int) -> Codes:
        """0, 1, 2 and so on: one array for all counters, which is not to be changed."""
        if len(self._row_numbers) != count:
            self._row_numbers = np.arange(count, dtype=np.int32)
        return self._row_numbers

    def give_back(self, first: int, count: int) -> None:
        """Release a piece; it must not be read any more."""
        self.values[first : first + count] = 0
        self._free.setdefault(count, []).append(first)

    def take(self, count: int) -> int:
        """Room for so many numbers; where it begins. The array may be another one afterwards."""
        free = self._free.get(count)
        if free:
            return free.pop()
        first = self.used
        self.used += count
        if self.used > len(self.values):
            grown: Codes = np.zeros(max(2 * len(self.values), self.used), np.int32)
            grown[:first] = self.values[:first]
            self.values = grown
        return first


class PodCounter:
    """A number per slot: the values of a node label, then one for nodes without it; or nodes.

    `topology_key` is None for nodes. Of the `size` slots the first is the cell `first`.
    """

    __slots__ = ("_cells", "_slots", "first", "size", "topology_key")

    def __init__(self, columns: Columns, topology_key: str | None) -> None:
        self.topology_key = topology_key
        if topology_key is not None:
            label = columns.label(topology_key)
            self._slots = label.codes
            self.size = len(label.values)
        else:
            self._slots = columns.cells.row_numbers(len(columns))
            self.size = len(columns)
        self._cells = columns.cells
        self.first = self._cells.take(self.size + _EXTRA)

    def release(self) -> None:
        """Release its numbers."""
        self._cells.give_back(self.first, self.size + _EXTRA)

    @property
    def counts(self) -> Codes:
        """The numbers, for reading; those of a label have the nodes without it last.

        They belong to the cells: read them again after a counter was created or a pod counted.
        """
        end = self.first + self.size
        return self._cells.values[self.first : end if self.topology_key is None else end + 1]

    @property
    def placed(self) -> int:
        """How many are counted on nodes that have the label."""
        return int(self._cells.values[self.first + self.size + 1])

    def count(self, row: int, number: int) -> None:
        """Count pods of a node in, or out if the number is negative."""
        slot, cells, end = int(self._slots[row]), self._cells.values, self.first + self.size
        # ABSENT is -1, so nodes without the label meet in the last slot.
        if slot < 0:
            cells[end] += number
        else:
            cells[self.first + slot] += number
            cells[end + 1] += number

    def count_all(self, rows: Ints, numbers: Codes) -> None:
        """Count pods of many nodes in: how many are on each of some rows, which differ."""
        if len(rows) < _MANY:
            for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
                self.count(row, number)
        elif self.topology_key is None:
            cells, end = self._cells.values, self.first + self.size
            cells[self.first + rows] += numbers
            cells[end + 1] += numbers.sum()
        else:
            self._add(self._slots[rows], numbers)

    def add_up(self, by_node: PodCounter) -> None:
        """Count in all pods that another counter has by node."""
        self._add(self._slots, by_node.counts)

    def _add(self, slots: Codes, counted: Codes) -> None:
        # ABSENT is -1: those without the label are counted first.
        totals = np.bincount(slots + 1, counted, self.size + 1).astype(np.int32)
        cells, end = self._cells.values, self.first + self.size
        cells[self.first : end] += totals[1:]
        cells[end] += totals[0]
        cells[end + 1] += totals[1:].sum()
