"""The Events of the node autoscaler.

About one pod or node the same is reported once in five minutes. Events that cluster-autoscaler
writes about its status ConfigMap are about the NodeGroup here.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sim.clock import Clock
    from kubestage.store.event_recorder import EventRecorder


_AGAIN_AFTER_NS: Final = 300 * 1_000_000_000
_REMEMBERED: Final = 8192


class Reports:
    """Writes Events, and knows which were written lately."""

    def __init__(self, events: EventRecorder, clock: Clock) -> None:
        self._events = events
        self._clock = clock
        self._reported_ns: OrderedDict[tuple[str, str], int] = OrderedDict()

    def report(self, regarding: Json, kind: str, reason: str, message: str) -> None:
        """Write an Event about a pod or a node, unless there was such an Event lately."""
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
