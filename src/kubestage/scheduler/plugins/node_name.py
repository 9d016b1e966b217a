"""NodeName: a pod that names its node runs there or nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.status import Status, unresolvable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle

_REJECTED: Final = unresolvable("node(s) didn't match the requested node name")


class NodeName:
    """Rejects all nodes but the one in `spec.nodeName`, if there is one."""

    name = "NodeName"
    is_static = True

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args, handle

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del state
        if not pod.node_name:
            return None
        codes = np.ones(len(columns), np.int32)
        row = columns.row_of.get(pod.node_name)
        if row is not None:
            codes[row] = 0
        return codes[rows]

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod, code
        return _REJECTED

    def events_to_register(self) -> Sequence[EventHint]:
        return [EventHint(ClusterEvent(EventResource.NODE, ActionType.ADD))]
