"""NodePorts: a host port can be had once per node and address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects import host_ports
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.status import SKIP, SUCCESS, Status, unschedulable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Mask, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle

_REJECTED: Final = unschedulable("node(s) didn't have free ports for the requested pod ports")


class NodePorts:
    """Rejects nodes on which a host port of the pod is taken."""

    name = "NodePorts"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args, handle

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        del state, columns
        return (SUCCESS if pod.host_ports else SKIP), None

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del state
        conflicts = [
            mask for port in pod.host_ports if (mask := columns.ports.conflicts(port)) is not None
        ]
        if not conflicts:
            return None
        taken: Mask = np.logical_or.reduce(conflicts)
        return taken[rows].astype(np.int32)

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod, code
        return _REJECTED

    def events_to_register(self) -> Sequence[EventHint]:
        deleted = ClusterEvent(EventResource.POD, ActionType.DELETE)
        return [
            EventHint(deleted, _after_pod_deletion),
            EventHint(ClusterEvent(EventResource.NODE, ActionType.ADD)),
        ]


def _after_pod_deletion(
    pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
) -> bool:
    del new
    assert old is not None, "a deletion has an object"
    spec = old.get("spec") or {}
    if not spec.get("nodeName") and not (old.get("status") or {}).get("nominatedNodeName"):
        return False
    return host_ports.conflict(pod.host_ports, host_ports.of(spec))
