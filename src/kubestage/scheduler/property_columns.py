"""Columns of what nodes are labelled with, and of any other property by which they are grouped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from kubestage.scheduler.arrays import ABSENT, LabelColumn, ValueColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from kubestage.objects.views.node import NodeView
    from kubestage.scheduler.arrays import Codes, Ints
    from kubestage.scheduler.kept_rows import KeptRows
    from kubestage.scheduler.node_info import NodeInfo

_V = TypeVar("_V", bound="Hashable")


class PropertyColumns:
    """A column for each property that was looked at, built at first use and patched from then on.

    Values are numbered in the order of the rows on which they first come up. `labels` and
    `groupings` are all that there are, for reading.
    """

    __slots__ = ("_earlier", "_infos", "_kept", "groupings", "labels")

    def __init__(self, infos: Sequence[NodeInfo]) -> None:
        self._infos = infos
        self._earlier: PropertyColumns | None = None
        self._kept: KeptRows | None = None
        self.labels: dict[str, LabelColumn] = {}
        self.groupings: dict[Callable[[NodeView], Any], ValueColumn[Any]] = {}

    def follow(self, earlier: PropertyColumns, kept: KeptRows) -> None:
        """Begin with the columns of earlier rows, of which some are kept."""
        earlier._earlier = None
        self._earlier, self._kept = earlier, kept

    def label(self, key: str) -> LabelColumn:
        """The column of a label."""
        column = self.labels.get(key)
        if column is None:
            before = None if self._earlier is None else self._earlier.labels.get(key)
            column = self.labels[key] = self._column(lambda view: view.labels.get(key), before)
        return column

    def groups(self, of: Callable[[NodeView], _V]) -> ValueColumn[_V]:
        """Nodes grouped by any property of theirs; the same function means the same column."""
        column = self.groupings.get(of)
        if column is None:
            before = None if self._earlier is None else self._earlier.groupings.get(of)
            column = self.groupings[of] = self._column(of, before)
        return column

    def take(self, rows: Ints, infos: Sequence[NodeInfo]) -> PropertyColumns:
        """The columns of some rows; numbers keep their meaning."""
        other = PropertyColumns(infos)
        other.labels = {key: column.take(rows) for key, column in self.labels.items()}
        other.groupings = {of: column.take(rows) for of, column in self.groupings.items()}
        return other

    def update(self, row: int, view: NodeView) -> None:
        """Rewrite the properties of a node."""
        if self._kept is not None:
            self._kept.drop(row)
        for key, label in self.labels.items():
            label.codes[row] = label.encode(view.labels.get(key))
        for of, column in self.groupings.items():
            column.codes[row] = column.encode(of(view))

    def _column(
        self, of: Callable[[NodeView], _V | None], before: ValueColumn[_V] | None
    ) -> ValueColumn[_V]:
        infos, kept = self._infos, self._kept
        if before is not None and kept is not None:
            return _following(before, kept, [of(infos[row].view) for row in kept.others])
        column: ValueColumn[_V] = ValueColumn(np.full(len(infos), ABSENT, np.int32), [], {})
        encode = column.encode
        column.codes[:] = [encode(of(info.view)) for info in infos]
        return column


def _following(
    earlier: ValueColumn[_V], kept: KeptRows, values: Sequence[_V | None]
) -> ValueColumn[_V]:
    """The column of all rows, from the numbers of those that are kept and the values of the others.

    NOTE: for two labels of 1,000 nodes it takes half of the time of reading them again (0.27 ms,
    not 0.51), and an upgrade does it for each node (benchmarks/rehearse.py).
    """
    known = ValueColumn(earlier.codes, list(earlier.values), dict(earlier.code_of))
    codes: Codes = np.empty(len(kept.before) + len(values), np.int32)
    codes[kept.after] = earlier.codes[kept.before]
    codes[kept.others] = [known.encode(value) for value in values]
    present, first = np.unique(codes, return_index=True)
    in_order = present[np.argsort(first)]
    in_order = in_order[in_order != ABSENT]
    number_of: Codes = np.full(len(known.values) + 1, ABSENT, np.int32)
    number_of[in_order] = np.arange(len(in_order), dtype=np.int32)
    left = [known.values[code] for code in in_order.tolist()]
    return ValueColumn(number_of[codes], left, {value: code for code, value in enumerate(left)})
