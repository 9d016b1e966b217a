"""A plugin that checks one node at a time: a maximum number of pods of one app per node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.framework import (
    MAX_NODE_SCORE,
    SUCCESS,
    ActionType,
    ClusterEvent,
    EventHint,
    EventResource,
    Status,
    unschedulable,
)

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import CycleState, NodeInfo
    from kubestage.scheduler.handle import Handle


class AppLimit:
    """Rejects a node that runs `maxPerNode` pods of the app, and prefers those with fewer."""

    name = "AppLimit"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self.label: str = args.get("label", "app")
        self.max_per_node: int = args["maxPerNode"]

    def events_to_register(self) -> list[EventHint]:
        """The events that may help a rejected pod; without this method, any event may."""
        return [
            EventHint(ClusterEvent(EventResource.ASSIGNED_POD, ActionType.DELETE)),
            EventHint(ClusterEvent(EventResource.NODE, ActionType.ADD)),
        ]

    def filter_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> Status:
        if self._count(pod, node) >= self.max_per_node:
            return unschedulable("node(s) already run enough pods of this app")
        return SUCCESS

    def score_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> int:
        free = self.max_per_node - self._count(pod, node)
        return MAX_NODE_SCORE * free // self.max_per_node

    def _count(self, pod: PodView, node: NodeInfo) -> int:
        app = pod.labels.get(self.label)
        if app is None:
            return 0
        return sum(other.labels.get(self.label) == app for other in node.pods.values())
