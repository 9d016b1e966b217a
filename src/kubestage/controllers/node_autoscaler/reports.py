"""The Events of the node autoscaler.

About one pod or node the same is reported once in five minutes. Events that cluster-autoscaler
writes about its status ConfigMap are about the NodeGroup here.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.status import Statuses
    from kubestage.sim.clock import Clock
    from kubestage.store.event_recorder import EventRecorder


_AGAIN_AFTER_NS: Final = 300 * 1_000_000_000
_REMEMBERED: Final = 8192


class Reports(Protocol):
    """Where the autoscaler reports what it does."""

    def report(self, regarding: Json, kind: str, reason: str, message: str) -> None:
        """Something about a pod, a node or a ConfigMap."""
        ...

    def report_group(self, group: Json, kind: str, reason: str, message: str) -> None:
        """Something about a group."""
        ...

    def report_status(self, groups: Iterable[Group], kind: str, reason: str, message: str) -> None:
        """Something about all groups together."""
        ...

    def stamp(self, group: str, field: str, now_ns: int) -> None:
        """A group was scaled up or down."""
        ...


class EventReports:
    """Writes Events, and knows which were written lately."""

    def __init__(self, events: EventRecorder, clock: Clock, statuses: Statuses) -> None:
        self._events = events
        self._clock = clock
        self._statuses = statuses
        self._reported_ns: OrderedDict[tuple[str, str], int] = OrderedDict()

    def report(self, regarding: Json, kind: str, reason: str, message: str) -> None:
        """Write an Event about an object, unless there was such an Event lately."""
        metadata, now_ns = regarding["metadata"], self._clock.now_ns
        key = (metadata.get("uid") or metadata["name"], reason)
        reported_ns = self._reported_ns.get(key)
        if reported_ns is not None and now_ns - reported_ns < _AGAIN_AFTER_NS:
            return
        self._reported_ns[key] = now_ns
        self._reported_ns.move_to_end(key)
        if len(self._reported_ns) > _REMEMBERED:
            self._reported_ns.popitem(last=False)
        self._events.event(regarding, kind, reason, message)

    def report_group(self, group: Json, kind: str, reason: str, message: str) -> None:
        """Write an Event about a group, in any case."""
        self._events.event(group, kind, reason, message)

    def report_status(self, groups: Iterable[Group], kind: str, reason: str, message: str) -> None:
        """Write an Event about each group, unless there was such an Event lately."""
        for group in groups:
            self.report(group.raw, kind, reason, message)

    def stamp(self, group: str, field: str, now_ns: int) -> None:
        """Record in its status when a group was last scaled up or down."""
        self._statuses.stamp(group, field, now_ns)
