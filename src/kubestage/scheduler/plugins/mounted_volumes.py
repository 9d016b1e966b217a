"""What the pods on each node mount, as far as they state it themselves.

Pods do not change their volumes, so this follows from which pods are where, and only nodes that
gained or lost pods are examined again.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.objects import csi_migration
from kubestage.scheduler.memo import Memo
from kubestage.scheduler.plugins import storage_objects

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns

Claim = tuple[str, str]
"""A claim by its namespace and name."""

UNKNOWN: Final = 1 << 32
"""Counted for a pod whose volumes are not known in advance."""

DISKS: Final = ("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd")
"""Sources of volumes that are exclusive on a node."""

_KEY: Final = "MountedVolumes"
_MAX_PODS: Final = 1 << 16


class _Stated(NamedTuple):
    """What matters of the volumes of one pod."""

    claims: tuple[Claim, ...]
    most_attached: int
    has_disks: bool


class MountedVolumes:
    """The volumes over one set of columns.

    `most_attached` is how many volumes drivers attach for the pods of a node at most, `has_disks`
    whether one of them holds a disk.
    """

    __slots__ = ("_claims", "_claims_on", "_known", "_position", "has_disks", "most_attached")

    def __init__(self, columns: Columns) -> None:
        self.most_attached: Ints = np.zeros(len(columns), np.int64)
        self.has_disks: Mask = np.zeros(len(columns), np.bool_)
        self._claims: dict[Claim, int] = {}
        self._claims_on: list[list[Claim]] = [[] for _ in range(len(columns))]
        self._known = Memo(_MAX_PODS)
        self._position = columns.row_log.count
        for row in range(len(columns)):
            self._examine(row, columns.infos[row].pods_with_volumes.values())

    def is_mounted(self, namespace: str, claim: str) -> bool:
        """Whether a pod on a node mounts a claim."""
        return self._claims.get((namespace, claim), 0) > 0

    def refresh(self, columns: Columns) -> None:
        """Take up what has happened since."""
        for row in changed_rows(columns, self._position):
            self._examine(row, columns.infos[row].pods_with_volumes.values())
        self._position = columns.row_log.count

    def _examine(self, row: int, pods: Iterable[PodView]) -> None:
        for claim in self._claims_on[row]:
            self._claims[claim] -= 1
        claims: list[Claim] = []
        self._claims_on[row] = claims
        most_attached, has_disks = 0, False
        for pod in pods:
            stated = self._known.get(pod.uid, functools.partial(_stated, pod))
            claims += stated.claims
            most_attached += stated.most_attached
            has_disks |= stated.has_disks
        for claim in claims:
            self._claims[claim] = self._claims.get(claim, 0) + 1
        self.most_attached[row], self.has_disks[row] = most_attached, has_disks


def over(columns: Columns) -> MountedVolumes:
    """The volumes over columns, up to date."""
    found = columns.memo.get(_KEY, lambda: MountedVolumes(columns))
    found.refresh(columns)
    return found


def changed_rows(columns: Columns, position: int) -> Collection[int]:
    """The rows whose pods have changed since there were so many entries in the log."""
    log = columns.row_log
    if log.count == position:
        return ()
    # The log of rows that were taken from others has no answer for late readers.
    return set(log.since(position).tolist()) or range(len(columns))


def may_attach(volume: Json) -> bool:
    """Whether a driver may have to attach a volume to the node."""
    return (
        volume.get("persistentVolumeClaim") is not None
        or volume.get("ephemeral") is not None
        or csi_migration.plugin_of(volume) is not None
    )


def _stated(pod: PodView) -> _Stated:
    volumes = storage_objects.volumes_of(pod)
    claims = []
    most_attached = 0
    for volume in volumes:
        source = volume.get("persistentVolumeClaim")
        if source is not None:
            claims.append((pod.namespace, source.get("claimName") or ""))
        if may_attach(volume):
            most_attached += 1 if source is not None and source.get("claimName") else UNKNOWN
    has_disks = any(volume.get(disk) is not None for volume in volumes for disk in DISKS)
    return _Stated(tuple(claims), most_attached, has_disks)
