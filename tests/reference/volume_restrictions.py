"""VolumeRestrictions, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.status import SKIP, SUCCESS, Status, unresolvable, unschedulable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister

DISKS = ("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd")
DISK_TAKEN = "node(s) had no available disk"
CLAIM_TAKEN = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod"
)


def pre_filter(
    lister: Lister, pod: PodView, everyone: Iterable[PodView]
) -> tuple[Status, set[str]]:
    """The second value are the claims that are somebody else's alone."""
    alone = set()
    for name in _claims(pod):
        claim = lister.get("v1", "PersistentVolumeClaim", name, pod.namespace)
        if claim is None:
            return unresolvable(f'persistentvolumeclaim "{name}" not found'), set()
        if "ReadWriteOncePod" in claim["spec"]["accessModes"]:
            alone.add(name)
    taken = {
        name
        for other in everyone
        if other.namespace == pod.namespace
        for name in _claims(other)
        if name in alone
    }
    has_disk = any(disk in volume for volume in _volumes(pod) for disk in DISKS)
    return (SUCCESS if has_disk or taken else SKIP), taken


def filter_node(pod: PodView, taken: set[str], there: Iterable[PodView]) -> Status:
    for other in there:
        for mine in _volumes(pod):
            for theirs in _volumes(other):
                if _conflict(mine, theirs):
                    return unschedulable(DISK_TAKEN)
    return unschedulable(CLAIM_TAKEN) if taken else SUCCESS


def _conflict(mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    for disk in DISKS:
        if disk not in mine or disk not in theirs:
            continue
        one, other = mine[disk], theirs[disk]
        if disk == "awsElasticBlockStore":
            return bool(one["volumeID"] == other["volumeID"])
        if one.get("readOnly") and other.get("readOnly"):
            return False
        if disk == "gcePersistentDisk":
            return bool(one["pdName"] == other["pdName"])
        if disk == "iscsi":
            return bool(one["iqn"] == other["iqn"])
        return bool(
            one["pool"] == other["pool"]
            and one["image"] == other["image"]
            and set(one["monitors"]) & set(other["monitors"])
        )
    return False


def _volumes(pod: PodView) -> list[dict[str, Any]]:
    volumes: list[dict[str, Any]] = pod.raw["spec"].get("volumes", [])
    return volumes


def _claims(pod: PodView) -> list[str]:
    return [
        volume["persistentVolumeClaim"]["claimName"]
        for volume in _volumes(pod)
        if "persistentVolumeClaim" in volume
    ]
