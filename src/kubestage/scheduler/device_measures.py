"""Measures that come with kubestage: how much of shared devices is allocated, or of no use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.device_definition import DeviceRequest, Devices
from kubestage.scheduler.fragmentation import PodShape, TypicalPods
from kubestage.scheduler.measures import SHARE, measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.fragmentation import Floats
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.measures import Moment

_NONE: Final = DeviceRequest(0, 0)


@measure("deviceAllocation", better="more", unit=SHARE)
class DeviceAllocation:
    """The share of all devices, such as GPUs, that pods have."""

    devices = Devices()

    def __init__(self, args: Any, handle: Handle) -> None:
        del args, handle

    def measure(self, moment: Moment) -> float:
        """The share at this moment; 0 without devices."""
        table = moment.columns.devices(self.devices.name)
        total = self.devices.whole * int(table.count.sum())
        return (total - int(table.free.sum())) / total if total else 0.0


@measure("deviceFragmentation", better="less", unit=SHARE)
class DeviceFragmentation:
    """The share of all devices that is free and that typical pods cannot use (FGD, ATC'23).

    The pods of the cluster say what is typical; they are counted again at the end of each step,
    and after twice as many decisions.
    """

    devices = Devices()

    def __init__(self, args: Any, handle: Handle) -> None:
        del args
        self._lister = handle.lister
        self._typical: TypicalPods | None = None
        self._recount_at = 0
        # What each node has of it, on which columns, up to which change.
        self._nodes: Floats = np.zeros(0)
        self._columns: Columns | None = None
        self._seen = -1

    def measure(self, moment: Moment) -> float:
        """The share at this moment; 0 without devices."""
        number = 0 if moment.decision is None else moment.decision.number
        if self._typical is None or not number or number >= self._recount_at:
            self._typical = TypicalPods(self._shapes())
            self._recount_at, self._columns = 2 * number + 1, None
        columns = moment.columns
        table = columns.devices(self.devices.name)
        total = self.devices.whole * int(table.count.sum())
        if not total:
            return 0.0
        rows = self._changed(columns)
        cpu = columns.allocatable_of("cpu")[rows] - columns.requested_of("cpu")[rows]
        self._nodes[rows] = self._typical.fragmentation(cpu, table.free[rows])
        return float(self._nodes.sum()) / total

    def _changed(self, columns: Columns) -> Any:
        """The rows that are not known; all of other columns."""
        log = columns.row_log
        if columns is not self._columns:
            self._columns, self._seen = columns, -1
            self._nodes = np.zeros(len(columns.names))
        rows = np.unique(log.since(self._seen))
        self._seen = log.count
        return rows

    def _shapes(self) -> Iterator[PodShape]:
        for pod in self._lister.list("v1", "Pod"):
            view = pod_views.of(pod)
            share, number = self.devices.request_of(view) or _NONE
            yield PodShape(view.requests.milli_cpu, share, number)


SHIPPED: Final[dict[str, Any]] = {
    "deviceAllocation": DeviceAllocation,
    "deviceFragmentation": DeviceFragmentation,
}
"""The measures that can be named without a file."""
