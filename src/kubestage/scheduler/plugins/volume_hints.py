"""Which changes may help a pod that could not have its volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import csi_migration
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.plugins import storage_objects, volume_provisioning

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


_CHANGED: Final = ActionType.ADD | ActionType.UPDATE


def _after_class_change(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del pod
    if old is None or new is None:
        return True
    return (old.get("allowedTopologies") or []) != (new.get("allowedTopologies") or [])


def _after_claim_change(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del old
    if new is None or (new["metadata"].get("namespace") or "") != pod.namespace:
        return False
    name = new["metadata"]["name"]
    return any(claim.name == name for claim in pod.volume_claims)


def _after_drivers_change(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del pod
    if old is None or new is None:
        return True
    return _migrated_plugins(old) != _migrated_plugins(new)


def _migrated_plugins(csi_node: Json) -> str:
    annotations = csi_node["metadata"].get("annotations") or {}
    return annotations.get(csi_migration.MIGRATED_PLUGINS_ANNOTATION) or ""


def _after_driver_change(pod: PodView, old: Json | None, new: Json | None) -> bool:
    """The capacity of a driver that no longer publishes it is no longer checked."""
    if old is None or new is None:
        return True
    if not _publishes_capacity(old) or _publishes_capacity(new):
        return False
    name = new["metadata"]["name"]
    return any(
        (volume.get("csi") or {}).get("driver") == name
        for volume in storage_objects.volumes_of(pod)
    )


def _publishes_capacity(driver: Json) -> bool:
    return bool((driver.get("spec") or {}).get("storageCapacity"))


def _after_capacity_change(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del pod
    if old is None or new is None:
        return True
    before = volume_provisioning.volume_limit(old)
    after = volume_provisioning.volume_limit(new)
    return after is not None and (before is None or after > before)


BINDING_EVENTS: Final = (
    EventHint(ClusterEvent(EventResource.STORAGE_CLASS, _CHANGED), _after_class_change),
    EventHint(ClusterEvent(EventResource.PERSISTENT_VOLUME_CLAIM, _CHANGED), _after_claim_change),
    EventHint(ClusterEvent(EventResource.PERSISTENT_VOLUME, _CHANGED)),
    EventHint(ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL)),
    EventHint(ClusterEvent(EventResource.CSI_NODE, _CHANGED), _after_drivers_change),
    EventHint(ClusterEvent(EventResource.CSI_DRIVER, ActionType.UPDATE), _after_driver_change),
    EventHint(ClusterEvent(EventResource.CSI_STORAGE_CAPACITY, _CHANGED), _after_capacity_change),
)
"""What VolumeBinding waits for."""
