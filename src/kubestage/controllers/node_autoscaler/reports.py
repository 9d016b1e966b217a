"""The Events of the node autoscaler.

About one pod or node the same is told once in five minutes. What cluster-autoscaler tells of its
status ConfigMap is told of the NodeGroup here.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.event_recorder import EventRecorder
    from kubestage.sim.clock import Clock


_AGAIN_AFTER_NS: Final = 300 * 1_000_000_000
_REMEMBERED: Final = 8192


class Reports:
    """Writes Events, and knows which were written lately."""

    def __init__(self, events: EventRecorder, clock: Clock) -> None:
        self._events = events
        self._clock = clock
        self._told_ns: OrderedDict[tuple[str, str], int] = OrderedDict()

    def tell(self, regarding: Json, kind: str, reason: str, message: str) -> None:
        """Tell of a pod or a node, unless there was such an Event lately."""
        metadata, now_ns = regarding["metadata"], self._clock.now_ns
        key = (metadata.get("uid") or metadata["name"], reason)
        told_ns = self._told_ns.get(key)
        if told_ns is not None and now_ns - told_ns < _AGAIN_AFTER_NS:
            return
        self._told_ns[key] = now_ns
        self._told_ns.move_to_end(key)
        if len(self._told_ns) > _REMEMBERED:
            self._told_ns.popitem(last=False)
        self._events.event(regarding, kind, reason, message)

    def tell_of_group(self, group: Json, kind: str, reason: str, message: str) -> None:
        """Tell of a group, in any case."""
        self._events.event(group, kind, reason, message)
