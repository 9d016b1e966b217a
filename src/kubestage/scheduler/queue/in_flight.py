"""What happens in the cluster while a pod is being scheduled.

A pod that comes back unscheduled may have missed the very event that would have helped. So events
are stored as long as a pod is in flight that was popped before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.scheduler.queue.hints import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.scheduler.cluster_events import ClusterEvent
    from kubestage.scheduler.queue.hints import QueueingHints
    from kubestage.scheduler.queue.queued_pod import QueuedPod


class InFlightEvent(NamedTuple):
    """An event and the objects before and after it."""

    event: ClusterEvent
    old: Json | None
    new: Json | None


class InFlight:
    """Pods that were popped and are not done, and the events since the first of them."""

    __slots__ = ("_dropped", "_events", "_starts")

    def __init__(self) -> None:
        self._starts: dict[str, int] = {}
        self._events: list[InFlightEvent] = []
        self._dropped = 0

    def __len__(self) -> int:
        return len(self._starts)

    def __contains__(self, uid: str) -> bool:
        return uid in self._starts

    @property
    def event_count(self) -> int:
        """How many events are stored."""
        return len(self._events)

    def events(self) -> Iterator[ClusterEvent]:
        """All events that are stored."""
        return (each.event for each in self._events)

    def begin(self, uid: str) -> None:
        """Store events from now on for a pod."""
        self._starts[uid] = self._dropped + len(self._events)

    def note(self, event: ClusterEvent, old: Json | None, new: Json | None) -> None:
        """Store an event, if a pod is in flight."""
        if self._starts:
            self._events.append(InFlightEvent(event, old, new))

    def events_for(self, uid: str) -> list[InFlightEvent]:
        """What happened since a pod was popped."""
        return self._events[self._starts[uid] - self._dropped :]

    def strategy(self, queued: QueuedPod, hints: QueueingHints) -> Strategy:
        """Whether anything that happened while a pod was tried is worth another attempt."""
        if not queued.is_rejected or queued.pod.uid not in self._starts:
            return Strategy.AFTER_BACKOFF
        found = Strategy.SKIP
        for event, old, new in self.events_for(queued.pod.uid):
            strategy = hints.strategy(queued, event, old, new)
            if strategy is Strategy.IMMEDIATELY:
                return strategy
            if strategy is Strategy.AFTER_BACKOFF:
                found = strategy
                if not queued.pending_plugins:
                    break
        return found

    def done(self, uid: str) -> None:
        """A pod is back or bound: events that only it was interested in are dropped."""
        if self._starts.pop(uid, None) is None:
            return
        # Pods take off in order, so the first one still in flight is the oldest.
        oldest = next(iter(self._starts.values()), self._dropped + len(self._events))
        del self._events[: oldest - self._dropped]
        self._dropped = oldest
