"""Which volumes are in use on nodes that are close to their limits.

It is found out about a node when first needed, and stored until the pods of the node or
the claims, volumes and classes behind them change.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.scheduler.plugins import mounted_volumes, storage_objects
from kubestage.scheduler.plugins.listed_changes import ListedChanges
from kubestage.scheduler.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.node_info import NodeInfo
    from kubestage.scheduler.plugins.attachable_volumes import (
        AttachableVolumes,
        Attachment,
        Volumes,
    )


_KEY: Final = "NodeVolumeLimits/held"
_CLAIM: Final = "claim"
_VOLUME: Final = "volume"
_HELD: Final = "held"


class Held(NamedTuple):
    """The volumes of the pods on a node, and how many of each driver are used or attached there."""

    volumes: Volumes
    used: Mapping[str, int]


def held_on(
    info: NodeInfo, attachable: AttachableVolumes, attachments: Iterable[Attachment]
) -> Held | Status:
    """Examine one node; the result may be an error of a pod there."""
    volumes: Volumes = {}
    for pod in info.pods_with_volumes.values():
        found = attachable.volumes_of(pod, on_csi_node=True, is_new=False)
        if isinstance(found, Status):
            return found
        volumes |= found
    attached = attachable.attached(attachments)
    return Held(volumes, collections.Counter((volumes | attached).values()))


class HeldVolumes:
    """What is known over one set of columns.

    `_rows_of` has the rows where claims, volumes and what is held were found, perhaps no more.
    """

    def __init__(self, columns: Columns, attachable: AttachableVolumes) -> None:
        self._attachable = attachable
        self._attachments: Mapping[str, Sequence[Attachment]] = {}
        self._is_known: Mask = np.zeros(len(columns), np.bool_)
        self._failing: set[int] = set()
        self._used: dict[str, Ints] = {}
        self._rows_of: dict[tuple[str, ...], set[int]] = collections.defaultdict(set)
        self._position = columns.row_log.count
        lister, core = attachable.objects.lister, storage_objects.CORE
        self._claims = ListedChanges(lister, core, storage_objects.CLAIM)
        self._volumes = ListedChanges(lister, core, storage_objects.VOLUME)
        self._classes = ListedChanges(lister, storage_objects.STORAGE, "StorageClass")

    def refresh(self, attachments: Mapping[str, Sequence[Attachment]]) -> HeldVolumes:
        """Forget what no longer is true because other objects have changed."""
        for kind, objects in ((_CLAIM, self._claims), (_VOLUME, self._volumes)):
            for name in _names(objects.take()):
                self._is_known[list(self._rows_of.pop((kind, *name), ()))] = False
        if any(self._classes.take()) or attachments is not self._attachments:
            self._is_known[:] = False
            self._attachments = attachments
        return self

    def examine(self, columns: Columns, rows: Ints) -> None:
        """Find out about some rows what is not known of them, or no longer."""
        self._is_known[list(mounted_volumes.changed_rows(columns, self._position))] = False
        self._position = columns.row_log.count
        for row in rows[~self._is_known[rows]].tolist():
            self._examine(row, columns.infos[row])

    def used(self, driver: str, rows: Ints) -> Ints | int:
        """How many volumes of a driver are used or attached on nodes."""
        line = self._used.get(driver)
        return 0 if line is None else line[rows]

    def peculiar(self, requested: Volumes) -> set[int]:
        """The rows to examine one by one: a pod there has an error, or holds what is requested.

        Maybe some more.
        """
        return self._failing.union(*(self._rows_of.get((_HELD, *each), ()) for each in requested))

    def _examine(self, row: int, info: NodeInfo) -> None:
        attachments = self._attachments.get(info.name, ())
        found = held_on(info, self._attachable, attachments)
        for key in self._behind(info, attachments):
            self._rows_of[key].add(row)
        self._is_known[row] = True
        if isinstance(found, Status):
            self._failing.add(row)
            return
        self._failing.discard(row)
        for volume in found.volumes:
            self._rows_of[_HELD, *volume].add(row)
        for driver in found.used:
            if driver not in self._used:
                self._used[driver] = np.zeros(len(self._is_known), np.int64)
        for driver, line in self._used.items():
            line[row] = found.used.get(driver, 0)

    def _behind(
        self, info: NodeInfo, attachments: Iterable[Attachment]
    ) -> Iterator[tuple[str, ...]]:
        """The objects that decide what is held on a node."""
        for pod in info.pods_with_volumes.values():
            for stated in pod.volume_claims:
                yield _CLAIM, pod.namespace, stated.name
                claim = self._attachable.objects.claim(pod.namespace, stated.name)
                if claim is not None:
                    yield _VOLUME, "", claim.volume_name
        for _, name in attachments:
            yield _VOLUME, "", name


def over(columns: Columns, attachable: AttachableVolumes) -> HeldVolumes:
    """What is known over columns."""
    return columns.memo.get(_KEY, lambda: HeldVolumes(columns, attachable))


def _names(changes: Iterable[Iterable[Json]]) -> Iterator[tuple[str, str]]:
    for objects in changes:
        for each in objects:
            yield each["metadata"].get("namespace") or "", each["metadata"]["name"]
