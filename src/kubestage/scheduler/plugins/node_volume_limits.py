"""NodeVolumeLimits: a driver can attach only so many volumes to a node."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects import csi_migration
from kubestage.objects.views import storage
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.plugins import storage_objects
from kubestage.scheduler.plugins.attachable_volumes import AttachableVolumes, Volumes
from kubestage.scheduler.plugins.storage_objects import StorageObjects
from kubestage.scheduler.status import SKIP, SUCCESS, Status, unschedulable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.objects.views.storage import CSINodeView
    from kubestage.scheduler.columns import Codes, Columns, Rows
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.node_info import NodeInfo

Json = dict[str, Any]

_EXCEEDED: Final = unschedulable("node(s) exceed max volume count")


@dataclasses.dataclass(slots=True)
class _Attempt:
    """What is the same for all nodes while one pod is tried, and the answers given so far.

    The pod's own volumes are reckoned twice: for nodes that tell of their drivers and for others.
    """

    drivers: dict[str, CSINodeView]
    attachments: dict[str, Volumes]
    with_drivers: Volumes | Status
    without_drivers: Volumes | Status
    statuses: list[Status] = dataclasses.field(default_factory=list)

    def code(self, status: Status) -> int:
        """The number of an answer, given on first sight."""
        if status not in self.statuses:
            self.statuses.append(status)
        return self.statuses.index(status) + 1


class NodeVolumeLimits:
    """Rejects nodes to which a driver could not attach the pod's volumes as well."""

    name = "NodeVolumeLimits"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args
        self._objects = StorageObjects(handle.lister)
        self._attachable = AttachableVolumes(self._objects)

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        del state, columns
        volumes = storage_objects.volumes_of(pod)
        return (SUCCESS if any(map(_may_attach, volumes)) else SKIP), None

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        attempt: _Attempt | None = state.get(self.name)
        if attempt is None:
            attempt = state[self.name] = self._attempt(pod)
        elsewhere = attempt.without_drivers
        numbers = np.arange(len(columns))[rows].tolist()
        usual = attempt.code(elsewhere) if isinstance(elsewhere, Status) else 0
        codes: Codes = np.full(len(numbers), usual, np.int32)
        if attempt.drivers:
            for at, row in enumerate(numbers):
                info = columns.infos[row]
                drivers = attempt.drivers.get(info.name)
                if drivers is not None:
                    status = self._check(attempt, info, drivers)
                    codes[at] = 0 if status.is_success else attempt.code(status)
        return codes

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del pod
        attempt: _Attempt = state[self.name]
        return attempt.statuses[code - 1]

    def _attempt(self, pod: PodView) -> _Attempt:
        return _Attempt(
            {each.name: each for each in self._objects.csi_nodes()},
            self._attachable.attached(),
            self._attachable.of(pod, on_csi_node=True, is_new=True),
            self._attachable.of(pod, on_csi_node=False, is_new=True),
        )

    def _check(self, attempt: _Attempt, info: NodeInfo, drivers: CSINodeView) -> Status:
        """Whether a node's drivers have room; a volume that is there already counts once."""
        wanted = attempt.with_drivers
        if isinstance(wanted, Status):
            return wanted
        limits = {name: limit for name, limit in drivers.limits.items() if limit is not None}
        if not wanted or not limits:
            return SUCCESS
        held: Volumes = {}
        for pod in info.pods_with_volumes.values():
            found = self._attachable.of(pod, on_csi_node=True, is_new=False)
            if isinstance(found, Status):
                return found
            held |= found
        attached = attempt.attachments.get(info.name, {})
        used = collections.Counter((held | attached).values()) if held or attached else {}
        more: dict[str, int] = {}
        for volume, driver in wanted.items():
            if volume not in held and driver in limits:
                more[driver] = more.get(driver, used.get(driver, 0)) + 1
        return _EXCEEDED if any(more[driver] > limits[driver] for driver in more) else SUCCESS

    def events_to_register(self) -> Sequence[EventHint]:
        claim_added = ClusterEvent(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD)
        detached = ClusterEvent(EventResource.VOLUME_ATTACHMENT, ActionType.DELETE)
        drivers_changed = ClusterEvent(EventResource.CSI_NODE, ActionType.UPDATE)
        return [
            EventHint(ClusterEvent(EventResource.CSI_NODE, ActionType.ADD)),
            EventHint(drivers_changed, _after_drivers_change),
            EventHint(ClusterEvent(EventResource.POD, ActionType.DELETE), _after_pod_deletion),
            EventHint(claim_added, _after_claim_addition),
            EventHint(detached, _after_detachment),
        ]


def _may_attach(volume: Json) -> bool:
    return (
        volume.get("persistentVolumeClaim") is not None
        or volume.get("ephemeral") is not None
        or csi_migration.plugin_of(volume) is not None
    )


def _after_drivers_change(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del pod
    if old is None or new is None:
        return True
    before = storage.csi_node_of(old).limits
    after = storage.csi_node_of(new).limits
    return any((limit or 0) > (before.get(driver) or 0) for driver, limit in after.items())


def _after_pod_deletion(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del pod, new
    assert old is not None, "a deletion has an object"
    spec = old.get("spec") or {}
    if not spec.get("nodeName") and not (old.get("status") or {}).get("nominatedNodeName"):
        return False
    return any(map(_may_attach, spec.get("volumes") or ()))


def _after_claim_addition(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del old
    if new is None or (new["metadata"].get("namespace") or "") != pod.namespace:
        return False
    name = new["metadata"]["name"]
    return any(claim.name == name for claim in pod.volume_claims)


def _after_detachment(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del new
    assert old is not None, "a deletion has an object"
    attacher = (old.get("spec") or {}).get("attacher")
    for volume in storage_objects.volumes_of(pod):
        if volume.get("persistentVolumeClaim") is not None:
            return True
        plugin = csi_migration.plugin_of(volume)
        if plugin is not None and _frees(plugin, volume, attacher):
            return True
    return False


def _frees(plugin: csi_migration.InTreePlugin, volume: Json, attacher: str | None) -> bool:
    """Whether a driver that let go of a volume may take this one; in doubt it may."""
    try:
        csi_migration.inline_handle(plugin, volume)
    except csi_migration.TranslationError:
        return True
    return attacher == plugin.driver
