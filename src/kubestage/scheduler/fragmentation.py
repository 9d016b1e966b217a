"""Fragmentation of devices by what typical pods cannot use (FGD, USENIX ATC'23).

A node's fragmentation is the free share of its devices that a pod cannot use, averaged over typical
pods by how popular they are: all of it if the pod does not fit on the node or needs no device, else
what is free on devices that have too little for it.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.resource_table import Table

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]
_FEW: Final = 64


class PodShape(NamedTuple):
    """What a pod requests: CPU in thousandths, a share of a device, and the number of devices."""

    milli_cpu: int
    share: int
    number: int


class TypicalPods:
    """The most popular shapes of pods that together make up so many percent of all."""

    def __init__(self, shapes: Iterable[PodShape], threshold: float = 95.0) -> None:
        counts = collections.Counter(shapes)
        total, counted = counts.total(), 0
        chosen: list[tuple[PodShape, int]] = []
        # Of equally popular shapes the larger ones come first: the choice is always the same.
        for shape, count in sorted(
            counts.items(), key=lambda each: (each[1], each[0]), reverse=True
        ):
            if 100 * counted >= threshold * total:
                break
            chosen.append((shape, count))
            counted += count
        self.shapes = [shape for shape, _ in chosen]
        numbers: Any = np.array(self.shapes, np.int64).reshape(-1, 3)
        self._cpu, share, self._number = numbers.T
        # Many shapes have the same share.
        self._shares, self._share_of = np.unique(np.maximum(share, 1), return_inverse=True)
        self._popularity: Floats = np.array([count for _, count in chosen]) / max(counted, 1)

    def fragmentation(self, milli_cpu: Ints, devices: Table) -> Floats:
        """The fragmentation of nodes: their free CPU, and what is free of each of their devices."""
        count = _count_at_once if len(devices) <= _FEW else _count_by_device
        fitting, lost = count(devices, self._shares)
        has_room = fitting[:, self._share_of] >= self._number
        has_room &= (milli_cpu[:, None] >= self._cpu) & (self._number > 0)
        total = devices.sum(axis=1)[:, None]
        unusable = np.where(has_room, lost[:, self._share_of], total)
        found: Floats = unusable @ self._popularity
        return found


def _count_by_device(devices: Table, shares: Ints) -> tuple[Table, Table]:
    """How many devices of each node a share fits on, and what is free of the others.

    NOTE: one device of all nodes after the other: for many nodes, a table of nodes, devices and
    shares takes half as long again, and for a few half the time (`_count_at_once`).
    """
    fitting: Table = np.zeros((len(devices), len(shares)), np.int64)
    lost: Table = np.zeros(fitting.shape, np.int64)
    for at in range(devices.shape[1]):
        free = devices[:, at, None]
        fits = free >= shares
        fitting += fits
        lost += np.where(fits, 0, free)
    return fitting, lost


def _count_at_once(devices: Table, shares: Ints) -> tuple[Table, Table]:
    """The same for a few nodes."""
    free = devices[:, :, None]
    fits = free >= shares
    return fits.sum(axis=1), np.where(fits, 0, free).sum(axis=1)
