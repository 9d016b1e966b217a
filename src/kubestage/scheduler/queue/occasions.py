"""The occasions on which pods change queues, and what metrics call them."""

from __future__ import annotations

import functools
from typing import Final

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventResource

SCHEDULE_ATTEMPT_FAILURE: Final = "ScheduleAttemptFailure"
BACKOFF_COMPLETE: Final = "BackoffComplete"
POP_FROM_BACKOFF: Final = "PopFromBackoffQ"
FORCE_ACTIVATE: Final = "ForceActivate"

ASSIGNED_POD_ADD: Final = ClusterEvent(EventResource.ASSIGNED_POD, ActionType.ADD)
ASSIGNED_POD_DELETE: Final = ClusterEvent(EventResource.ASSIGNED_POD, ActionType.DELETE)
ASSIGNED_POD_UPDATE: Final = ClusterEvent(EventResource.ASSIGNED_POD, ActionType.UPDATE)
UNSCHEDULED_POD_ADD: Final = ClusterEvent(EventResource.UNSCHEDULED_POD, ActionType.ADD)
UNSCHEDULED_POD_UPDATE: Final = ClusterEvent(EventResource.UNSCHEDULED_POD, ActionType.UPDATE)
NODE_ADD: Final = ClusterEvent(EventResource.NODE, ActionType.ADD)
NODE_DELETE: Final = ClusterEvent(EventResource.NODE, ActionType.DELETE)
UNSCHEDULABLE_TIMEOUT: Final = ClusterEvent(
    EventResource.WILDCARD, ActionType.ALL, "UnschedulableTimeout"
)
FORCED_ACTIVATION: Final = ClusterEvent(EventResource.WILDCARD, ActionType.ALL, FORCE_ACTIVATE)

_COMBINED: Final = {ActionType.UPDATE: "Update", ActionType.ALL: "All"}


@functools.cache
def label_of(event: ClusterEvent) -> str:
    """An event in one word, such as ``AssignedPodAdd`` or ``NodeUpdateNodeTaint``."""
    if event.label:
        return event.label
    action = _COMBINED.get(event.action)
    if action is None:
        action = (event.action.name or "").title().replace("_", "")
    return f"{event.resource.value}{action}"
