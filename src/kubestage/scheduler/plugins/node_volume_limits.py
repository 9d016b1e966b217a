"""NodeVolumeLimits: a driver can attach only so many volumes to a node."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects import csi_migration
from kubestage.objects.views import storage
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.plugins import (
    driver_limits,
    held_volumes,
    mounted_volumes,
    storage_objects,
)
from kubestage.scheduler.plugins.attachable_volumes import AttachableVolumes, Volumes
from kubestage.scheduler.status import SKIP, SUCCESS, Status, unschedulable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.objects.views.storage import CSINodeView
    from kubestage.scheduler.arrays import Codes, Ints, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.node_info import NodeInfo
    from kubestage.scheduler.plugins.attachable_volumes import Attachment
    from kubestage.scheduler.plugins.driver_limits import DriverLimits
    from kubestage.scheduler.plugins.held_volumes import HeldVolumes


_EXCEEDED: Final = unschedulable("node(s) exceed max volume count")
_FEW: Final = 8
"""Finding out what has changed costs about as much as looking at so many nodes."""


@dataclasses.dataclass(slots=True)
class _Attempt:
    """What is the same for all nodes while one pod is tried, and the answers so far.

    The pod's own volumes are counted twice: for nodes that report their drivers and for others.
    """

    nodes: Mapping[str, CSINodeView]
    attachments: Mapping[str, Sequence[Attachment]]
    requested: dict[bool, Volumes | Status] = dataclasses.field(default_factory=dict)
    statuses: list[Status] = dataclasses.field(default_factory=list)
    _held: tuple[Columns, HeldVolumes] | None = None

    def held(self, columns: Columns, attachable: AttachableVolumes) -> HeldVolumes:
        """The volumes on nodes close to their limits; no object changes during an attempt."""
        if self._held is None or self._held[0] is not columns:
            found = held_volumes.over(columns, attachable)
            self._held = columns, found.refresh(self.attachments)
        return self._held[1]

    def code(self, status: Status) -> int:
        """The number of an answer, assigned when first seen."""
        if status not in self.statuses:
            self.statuses.append(status)
        return self.statuses.index(status) + 1


class NodeVolumeLimits:
    """Rejects nodes to which a driver could not attach the pod's volumes as well."""

    name = "NodeVolumeLimits"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args
        self._objects = storage_objects.shared(handle.lister)
        self._attachable = AttachableVolumes(self._objects)

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        del columns
        if not any(map(mounted_volumes.may_attach, storage_objects.volumes_of(pod))):
            return SKIP, None
        state[self.name] = _Attempt(self._objects.csi_nodes(), self._attachable.attachments())
        return SUCCESS, None

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        attempt: _Attempt = state[self.name]
        if not attempt.nodes:
            usual = self._usual(attempt, pod)
            return np.full(len(columns), usual, np.int32)[rows] if usual else None
        limits = driver_limits.over(columns, attempt.nodes, attempt.attachments)
        known = limits.known[rows]
        codes: Codes = np.zeros(len(known), np.int32)
        if not limits.is_complete:
            codes[~known] = self._usual(attempt, pod)
        requested = self._requested(attempt, pod, on_csi_node=True)
        if isinstance(requested, Status):
            codes[known] = attempt.code(requested)
        elif requested:
            doubtful = limits.doubtful(columns, requested.values())[rows].nonzero()[0]
            if len(doubtful):
                numbers = np.arange(len(columns))[rows][doubtful]
                codes[doubtful] = self._codes(attempt, requested, columns, numbers, limits)
        return codes

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del pod
        attempt: _Attempt = state[self.name]
        return attempt.statuses[code - 1]

    def _usual(self, attempt: _Attempt, pod: PodView) -> int:
        """The code for nodes that do not report their drivers."""
        requested = self._requested(attempt, pod, on_csi_node=False)
        return attempt.code(requested) if isinstance(requested, Status) else 0

    def _requested(self, attempt: _Attempt, pod: PodView, *, on_csi_node: bool) -> Volumes | Status:
        found = attempt.requested.get(on_csi_node)
        if found is None:
            found = self._attachable.volumes_of(pod, on_csi_node=on_csi_node, is_new=True)
            attempt.requested[on_csi_node] = found
        return found

    def _codes(
        self,
        attempt: _Attempt,
        requested: Volumes,
        columns: Columns,
        rows: Ints,
        limits: DriverLimits,
    ) -> Codes:
        """Check nodes more closely: each one if they are few, else all together."""
        codes: Codes = np.zeros(len(rows), np.int32)
        closest: Iterable[int] = range(len(rows))
        if len(rows) > _FEW:
            held = attempt.held(columns, self._attachable)
            held.examine(columns, rows)
            for driver, count in collections.Counter(requested.values()).items():
                exceeded = held.used(driver, rows) + count > limits.limit_of(driver, rows)
                codes[exceeded] = attempt.code(_EXCEEDED)
            peculiar = held.peculiar(requested)
            if peculiar:
                closest = [at for at, row in enumerate(rows.tolist()) if row in peculiar]
            else:
                closest = ()
        for at in closest:
            status = self._check(requested, columns.infos[rows[at]], attempt)
            codes[at] = 0 if status is SUCCESS else attempt.code(status)
        return codes

    def _check(self, requested: Volumes, info: NodeInfo, attempt: _Attempt) -> Status:
        """Whether a node's drivers have room; a volume that is there already counts once."""
        limits = attempt.nodes[info.name].limits
        if all(limit is None for limit in limits.values()):
            return SUCCESS
        attachments = attempt.attachments.get(info.name, ())
        held = held_volumes.held_on(info, self._attachable, attachments)
        if isinstance(held, Status):
            return held
        fresh = collections.Counter(
            requested[each] for each in requested if each not in held.volumes
        )
        for driver, count in fresh.items():
            limit = limits.get(driver)
            if limit is not None and held.used.get(driver, 0) + count > limit:
                return _EXCEEDED
        return SUCCESS

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
    return any(map(mounted_volumes.may_attach, spec.get("volumes") or ()))


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
