"""NodeUnschedulable: cordoned nodes take only pods that tolerate the cordon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects import taints
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.status import Status, unresolvable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.taints import Toleration
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle

_CORDON: Final = taints.Taint("node.kubernetes.io/unschedulable", "", taints.NO_SCHEDULE)
_REJECTED: Final = unresolvable("node(s) were unschedulable")


class NodeUnschedulable:
    """Rejects nodes with `spec.unschedulable`."""

    name = "NodeUnschedulable"
    is_static = True

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args, handle

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del state
        codes = columns.derived(self.name, _cordoned)
        if codes is None or _tolerates(pod.tolerations):
            return None
        return codes[rows]

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod, code
        return _REJECTED

    def events_to_register(self) -> Sequence[EventHint]:
        node_change = ActionType.ADD | ActionType.UPDATE_NODE_TAINT
        toleration = ClusterEvent(EventResource.POD, ActionType.UPDATE_POD_TOLERATION)
        return [
            EventHint(ClusterEvent(EventResource.NODE, node_change), _after_node_change),
            EventHint(toleration, _after_toleration_change),
        ]


def _cordoned(columns: Columns) -> Codes | None:
    return columns.unschedulable.astype(np.int32) if columns.unschedulable.any() else None


def _tolerates(tolerations: Iterable[Toleration]) -> bool:
    return taints.tolerates_taint(tolerations, _CORDON)


def _after_node_change(
    pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
) -> bool:
    del pod
    if new is None or (new.get("spec") or {}).get("unschedulable"):
        return False
    return old is None or bool((old.get("spec") or {}).get("unschedulable"))


def _after_toleration_change(
    pod: PodView, _: dict[str, Any] | None, new: dict[str, Any] | None
) -> bool:
    if new is None or new["metadata"].get("uid") != pod.uid:
        return False
    return _tolerates(map(taints.toleration_of, new["spec"].get("tolerations") or ()))
