"""Letting a cluster come to rest, before a rehearsal begins and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import groups
from kubestage.objects import gvk
from kubestage.results.life.workloads import LAUNCHING, TERMINATING, Workloads
from kubestage.store.log import ADDED, DELETED, Change
from kubestage.units import MINUTE_NS, SECOND_NS

if TYPE_CHECKING:
    from kubestage.stage import Stage

QUIET_NS: Final = 60 * SECOND_NS
"""A cluster is quiescent if nothing has changed for so long, and nothing is under way."""
PATIENCE_NS: Final = 15 * MINUTE_NS
"""What has not changed for so long is not going to."""
LONGEST_NS: Final = 2 * 60 * MINUTE_NS
"""Traffic and autoscalers may never come to rest: then this is long enough."""
_STEP_NS: Final = 5 * SECOND_NS


class Activity:
    """Watches pods and nodes, and knows since when nothing has changed.

    What counts is a pod that comes, goes, gets a node or becomes ready or not, and a node that
    comes, goes, becomes ready or not. A container that crashes again and again does not.
    Who counts pods already hands in its `known` workloads: they receive each change first.
    """

    def __init__(self, stage: Stage, known: Workloads | None = None) -> None:
        self.workloads = Workloads(stage.store) if known is None else known
        self.changed_ns = stage.clock.now_ns
        self._stage = stage
        self._counts_itself = known is None
        self._nodes: dict[str, bool] = {}
        store = stage.store
        if self._counts_itself:
            for key, pod in store.read(gvk.POD).items():
                self.workloads.on_pod(Change(0, ADDED, store.kind(gvk.POD), key, pod, None))
        self._changes = self.workloads.changes
        for key, node in store.read(gvk.NODE).items():
            self._nodes[key] = is_ready(node)
        store.subscribe(self._on_change, {("", "Pod"), ("", "Node")})

    @property
    def is_under_way(self) -> bool:
        """Whether pods are starting or ending, or nodes may still come for those that wait."""
        counts = self.workloads.on_nodes
        if counts[LAUNCHING] or counts[TERMINATING]:
            return True
        return bool(self.workloads.pending) and bool(self._stage.store.read(groups.NODE_GROUP))

    @property
    def quiet_ns(self) -> int:
        """For how long nothing has changed."""
        return self._stage.clock.now_ns - self.changed_ns

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is going to change, as far as that can be known."""
        return self.quiet_ns >= (PATIENCE_NS if self.is_under_way else QUIET_NS)

    def expect(self) -> None:
        """Something was done just now, of which consequences are yet to come."""
        self.changed_ns = self._stage.clock.now_ns

    def close(self) -> None:
        """Watch no longer."""
        self._stage.store.unsubscribe(self._on_change)

    def _on_change(self, change: Change) -> None:
        if change.kind.kind == "Pod":
            if self._counts_itself:
                self.workloads.on_pod(change)
            if self.workloads.changes != self._changes:
                self._changes = self.workloads.changes
                self.changed_ns = self._stage.clock.now_ns
        else:
            ready = None if change.type == DELETED else is_ready(change.new)
            if self._nodes.get(change.key) != ready:
                self.changed_ns = self._stage.clock.now_ns
            if ready is None:
                self._nodes.pop(change.key, None)
            else:
                self._nodes[change.key] = ready


def settle(stage: Stage, activity: Activity, limit_ns: int = LONGEST_NS) -> bool:
    """Let time pass until a cluster is quiescent; whether it came to that within the limit."""
    end_ns = stage.clock.now_ns + limit_ns
    while not activity.is_at_rest:
        left_ns = end_ns - stage.clock.now_ns
        if left_ns <= 0:
            return False
        stage.run(min(_STEP_NS, left_ns))
    return True


def is_ready(obj: dict[str, object]) -> bool:
    """Whether the condition Ready of a pod or node is true."""
    status = obj.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions or ())
