"""VolumeRestrictions: some volumes bear only one user, on a node or in the whole cluster."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.plugins import mounted_volumes, storage_objects
from kubestage.scheduler.status import SKIP, SUCCESS, Status, unresolvable, unschedulable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle


_ONE_POD: Final = "ReadWriteOncePod"
_DISK_TAKEN: Final = 1
_CLAIM_TAKEN: Final = 2
_STATUSES: Final = {
    _DISK_TAKEN: unschedulable("node(s) had no available disk"),
    _CLAIM_TAKEN: unschedulable(
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
        "already in-use by another pod"
    ),
}


@dataclasses.dataclass(slots=True)
class _Requested:
    """What the pod needs for itself: disks on its node, and claims, with how many are taken."""

    disks: list[Json]
    claims: frozenset[str]
    taken: int

    def clone(self) -> _Requested:
        return dataclasses.replace(self)

    def shared_with(self, pod: PodView) -> int:
        """How often another pod names the claims; namespaces do not count here."""
        return sum(name in self.claims for name in _claim_names(pod))


class VolumeRestrictions:
    """Rejects nodes whose pods hold a disk, and all nodes while a pod holds a claim alone."""

    name = "VolumeRestrictions"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args
        self._objects = storage_objects.shared(handle.lister)

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        volumes = storage_objects.volumes_of(pod)
        if not volumes:
            return SKIP, None
        claims = set()
        for name in _claim_names(pod):
            claim = self._objects.claim(pod.namespace, name)
            if claim is None:
                return unresolvable(storage_objects.claim_not_found(name)), None
            if _ONE_POD in claim.access_modes:
                claims.add(name)
        disks = [volume for volume in volumes if _is_disk(volume)]
        taken = 0
        if claims:
            mounted = mounted_volumes.over(columns)
            taken = sum(mounted.is_mounted(pod.namespace, name) for name in claims)
        if not disks and not taken:
            return SKIP, None
        state[self.name] = _Requested(disks, frozenset(claims), taken)
        return SUCCESS, None

    def add_pod(
        self, state: CycleState, pod: PodView, added: PodView, columns: Columns, row: int
    ) -> None:
        del pod, columns, row
        requested: _Requested = state[self.name]
        requested.taken += requested.shared_with(added)

    def remove_pod(
        self, state: CycleState, pod: PodView, removed: PodView, columns: Columns, row: int
    ) -> None:
        del pod, columns, row
        requested: _Requested = state[self.name]
        requested.taken -= requested.shared_with(removed)

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del pod
        requested: _Requested = state[self.name]
        numbers = np.arange(len(columns))[rows]
        codes: Codes = np.full(len(numbers), _CLAIM_TAKEN if requested.taken > 0 else 0, np.int32)
        if requested.disks:
            holding = mounted_volumes.over(columns).has_disks[numbers]
            for at in holding.nonzero()[0].tolist():
                pods = columns.infos[numbers[at]].pods_with_volumes
                if _conflicts(requested.disks, pods.values()):
                    codes[at] = _DISK_TAKEN
        return codes

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod
        return _STATUSES[code]

    def events_to_register(self) -> Sequence[EventHint]:
        claim_added = ClusterEvent(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD)
        return [
            EventHint(ClusterEvent(EventResource.POD, ActionType.DELETE), _after_pod_deletion),
            EventHint(ClusterEvent(EventResource.NODE, ActionType.ADD)),
            EventHint(claim_added, _after_claim_addition),
        ]


def _claim_names(pod: PodView) -> Iterator[str]:
    for volume in storage_objects.volumes_of(pod):
        source = volume.get("persistentVolumeClaim")
        if source is not None:
            yield source.get("claimName") or ""


def _is_disk(volume: Json) -> bool:
    return any(volume.get(source) is not None for source in mounted_volumes.DISKS)


def _conflicts(disks: list[Json], pods: Iterable[PodView]) -> bool:
    return any(
        _clash(disk, held)
        for pod in pods
        for held in storage_objects.volumes_of(pod)
        for disk in disks
    )


def _clash(requested: Json, held: Json) -> bool:
    for source, is_same in _CLASHES.items():
        one, other = requested.get(source), held.get(source)
        if one is not None and other is not None and is_same(one, other):
            return True
    return False


def _share_reading(one: Json, other: Json) -> bool:
    return bool(one.get("readOnly")) and bool(other.get("readOnly"))


def _same_gce_disk(one: Json, other: Json) -> bool:
    return one.get("pdName") == other.get("pdName") and not _share_reading(one, other)


def _same_ebs_volume(one: Json, other: Json) -> bool:
    return bool(one.get("volumeID") == other.get("volumeID"))


def _same_iscsi_target(one: Json, other: Json) -> bool:
    return one.get("iqn") == other.get("iqn") and not _share_reading(one, other)


def _same_rbd_image(one: Json, other: Json) -> bool:
    monitors = set(one.get("monitors") or ())
    return (
        not monitors.isdisjoint(other.get("monitors") or ())
        and one.get("pool") == other.get("pool")
        and one.get("image") == other.get("image")
        and not _share_reading(one, other)
    )


_SAMENESS: Final = (_same_gce_disk, _same_ebs_volume, _same_iscsi_target, _same_rbd_image)
_CLASHES: Final = dict(zip(mounted_volumes.DISKS, _SAMENESS, strict=True))
"""When two disks of the same source are the same."""


def _after_claim_addition(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del old
    if new is None or (new["metadata"].get("namespace") or "") != pod.namespace:
        return False
    return new["metadata"]["name"] in _claim_names(pod)


def _after_pod_deletion(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del new
    assert old is not None, "a deletion has an object"
    if (old["metadata"].get("namespace") or "") != pod.namespace:
        return False
    held = (old.get("spec") or {}).get("volumes") or ()
    names = set(_claim_names(pod))
    return any(
        (volume.get("persistentVolumeClaim") or {}).get("claimName") in names
        or any(_clash(requested, volume) for requested in storage_objects.volumes_of(pod))
        for volume in held
    )
