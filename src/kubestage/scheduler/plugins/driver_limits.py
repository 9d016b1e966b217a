"""How many volumes the drivers of each node attach at most, and which nodes need no closer look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.plugins import mounted_volumes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kubestage.objects.views.storage import CSINodeView
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.plugins.attachable_volumes import Attachment

_UNLIMITED: Final = mounted_volumes.UNKNOWN - 1
_KEY: Final = "NodeVolumeLimits"


class DriverLimits:
    """The limits over one set of columns, as `nodes` and `attachments` report them.

    `known` are the nodes whose drivers are known, `is_complete` if all are.
    """

    __slots__ = ("_attached", "_limits", "attachments", "is_complete", "known", "nodes")

    def __init__(
        self,
        columns: Columns,
        nodes: Mapping[str, CSINodeView],
        attachments: Mapping[str, Sequence[Attachment]],
    ) -> None:
        self.nodes = nodes
        self.attachments = attachments
        self.known: Mask = np.array([name in nodes for name in columns.names], np.bool_)
        self.is_complete = bool(self.known.all())
        self._limits: dict[str, Ints] = {}
        for row in self.known.nonzero()[0].tolist():
            for driver, limit in nodes[columns.names[row]].limits.items():
                if limit is not None:
                    self._line(driver, len(columns))[row] = min(limit, _UNLIMITED)
        attached = [len(attachments.get(name, ())) for name in columns.names]
        self._attached: Ints = np.array(attached, np.int64)

    def limit_of(self, driver: str, rows: Ints) -> Ints | int:
        """How many volumes a driver attaches to nodes."""
        line = self._limits.get(driver)
        return _UNLIMITED if line is None else line[rows]

    def _line(self, driver: str, count: int) -> Ints:
        found = self._limits.get(driver)
        if found is None:
            found = self._limits[driver] = np.full(count, _UNLIMITED, np.int64)
        return found

    def doubtful(self, columns: Columns, drivers: Collection[str]) -> Mask:
        """The nodes where as many more volumes of these drivers may be too many.

        Elsewhere there is room for them even if all volumes that pods state and all attachments
        are different ones and of the scarcest driver.
        """
        mounted = mounted_volumes.over(columns)
        most = mounted.most_attached + (self._attached + len(drivers))
        doubtful: Mask = most >= mounted_volumes.UNKNOWN
        for driver in set(drivers):
            if driver in self._limits:
                doubtful |= most > self._limits[driver]
        return doubtful & self.known


def over(
    columns: Columns,
    nodes: Mapping[str, CSINodeView],
    attachments: Mapping[str, Sequence[Attachment]],
) -> DriverLimits:
    """The limits over columns, rebuilt when they may have changed."""
    cached: list[DriverLimits] = columns.memo.get(_KEY, list)
    if not cached or cached[0].nodes is not nodes or cached[0].attachments is not attachments:
        cached[:] = [DriverLimits(columns, nodes, attachments)]
    return cached[0]
