"""VolumeZone: a pod runs in the zone and region of the volumes it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects.views import storage
from kubestage.scheduler.arrays import ABSENT
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.plugins import storage_objects, volume_matching
from kubestage.scheduler.status import SKIP, SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.objects.views.storage import ClaimView
    from kubestage.scheduler.arrays import Codes, Mask, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle

_STABLE_NAMES: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
}
"""The labels that place a volume, in the order in which they are checked, and their newer names."""

_REJECTED: Final = unresolvable("node(s) had no available volume zone")
_ZONES_END: Final = "__"

Topology = tuple[str, frozenset[str]]


class VolumeZone:
    """Rejects nodes outside the zones and regions with which the pod's volumes are labelled."""

    name = "VolumeZone"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args
        self._objects = storage_objects.shared(handle.lister)

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        del columns
        topologies: list[Topology] = []
        for volume in storage_objects.volumes_of(pod):
            source = volume.get("persistentVolumeClaim")
            if source is not None:
                found = self._topologies(pod.namespace, source.get("claimName") or "")
                if isinstance(found, Status):
                    return found, None
                topologies += found
        if not topologies:
            return SKIP, None
        state[self.name] = tuple(topologies)
        return SUCCESS, None

    def _topologies(self, namespace: str, name: str) -> Sequence[Topology] | Status:
        """Where the volume of a claim is; nothing if it is still to be chosen."""
        if not name:
            return unresolvable(storage_objects.NO_CLAIM_NAME)
        claim = self._objects.claim(namespace, name)
        if claim is None:
            return unresolvable(storage_objects.claim_not_found(name))
        if not claim.volume_name:
            problem = self._unbound(claim)
            return () if problem is None else unresolvable(problem)
        volume = self._objects.volume(claim.volume_name)
        if volume is None:
            missing = storage_objects.not_found("persistentvolume", claim.volume_name)
            return unresolvable(missing)
        return topologies_of(volume.labels)

    def _unbound(self, claim: ClaimView) -> str | None:
        """Why a claim without a volume rejects nodes; None if it may wait for the pod."""
        if not claim.class_name:
            return "PersistentVolumeClaim had no pv name and storageClass name"
        found = self._objects.storage_class(claim.class_name)
        if found is None:
            return storage_objects.not_found("storageclass.storage.k8s.io", claim.class_name)
        if "volumeBindingMode" not in found.raw:
            return f'VolumeBindingMode not set for StorageClass "{claim.class_name}"'
        return None if found.waits_for_consumer else "PersistentVolume had no name"

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del pod
        topologies: tuple[Topology, ...] = state[self.name]
        codes = columns.derived((self.name, topologies), lambda whole: _rejected(whole, topologies))
        return None if codes is None else codes[rows]

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod, code
        return _REJECTED

    def events_to_register(self) -> Sequence[EventHint]:
        changed = ActionType.ADD | ActionType.UPDATE
        class_added = ClusterEvent(EventResource.STORAGE_CLASS, ActionType.ADD)
        node_change = ActionType.ADD | ActionType.UPDATE_NODE_LABEL
        claim_changed = ClusterEvent(EventResource.PERSISTENT_VOLUME_CLAIM, changed)
        volume_changed = ClusterEvent(EventResource.PERSISTENT_VOLUME, changed)
        return [
            EventHint(class_added, _after_class_addition),
            EventHint(ClusterEvent(EventResource.NODE, node_change)),
            EventHint(claim_changed, _after_claim_change),
            EventHint(volume_changed, _after_volume_change),
        ]


def topologies_of(labels: Mapping[str, str]) -> list[Topology]:
    """The zones and regions a volume is labelled with; a malformed label does not count."""
    topologies = []
    for key in _STABLE_NAMES:
        if key in labels:
            values = [value.strip() for value in labels[key].split(_ZONES_END)]
            if all(values):
                topologies.append((key, frozenset(values)))
    return topologies


def _rejected(columns: Columns, topologies: tuple[Topology, ...]) -> Codes | None:
    """A node without any of the labels is taken to be in the only zone there is."""
    placed: Mask = np.zeros(len(columns), np.bool_)
    for key in _STABLE_NAMES:
        placed |= columns.label(key).codes != ABSENT
    fitting: Mask = np.ones(len(columns), np.bool_)
    for key, values in topologies:
        matches = volume_matching.labelled(columns, key, values)
        if key != _STABLE_NAMES[key]:
            unlabelled = columns.label(key).codes == ABSENT
            matches |= unlabelled & volume_matching.labelled(columns, _STABLE_NAMES[key], values)
        fitting &= matches
    rejected = placed & ~fitting
    return rejected.astype(np.int32) if rejected.any() else None


def _after_class_addition(
    pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
) -> bool:
    del pod, old
    return new is not None and storage.class_of(new).waits_for_consumer


def _after_claim_change(
    pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
) -> bool:
    del old
    if new is None or (new["metadata"].get("namespace") or "") != pod.namespace:
        return False
    name = new["metadata"]["name"]
    return any(claim.name == name and not claim.ephemeral for claim in pod.volume_claims)


def _after_volume_change(
    pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
) -> bool:
    del pod
    if old is None or new is None:
        return True
    before, after = (storage.volume_of(each).labels for each in (old, new))
    return topologies_of(before) != topologies_of(after)
