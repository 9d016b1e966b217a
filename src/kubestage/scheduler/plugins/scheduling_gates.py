"""SchedulingGates: a pod with gates does not even enter the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.status import SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Handle


class SchedulingGates:
    """Holds a pod back until all of its gates are removed."""

    name = "SchedulingGates"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args, handle

    def pre_enqueue(self, pod: PodView) -> Status:
        gates = pod.scheduling_gates
        if not gates:
            return SUCCESS
        return unresolvable(f"waiting for scheduling gates: [{' '.join(gates)}]")

    def events_to_register(self) -> Sequence[EventHint]:
        removed = ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        return [EventHint(ClusterEvent(EventResource.POD, removed), _is_same_pod)]


def _is_same_pod(pod: PodView, _: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
    return new is not None and new["metadata"].get("uid") == pod.uid
