"""Pods for which nothing can be done until the cluster changes, and those that are held back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scheduler.queue.queued_pod import QueuedPod
    from kubestage.sim.clock import Clock

_SECOND_NS: Final = 1_000_000_000
MAX_STAY_NS: Final = 300 * _SECOND_NS
"""After so long a pod is tried again even if no event has called for it."""

FLUSH_INTERVAL_NS: Final = 30 * _SECOND_NS
"""How often stays are looked at, counted from the start of the scheduler."""


class UnschedulablePods:
    """The pool, in the order in which pods came."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pods: dict[str, QueuedPod] = {}
        self._started_ns = clock.now_ns
        self.due_ns: int | None = None
        """When stays must be looked at next; it may turn out that there was no need."""

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[QueuedPod]:
        return iter(self._pods.values())

    def get(self, key: str) -> QueuedPod | None:
        """The pod of a key."""
        return self._pods.get(key)

    def put(self, queued: QueuedPod) -> bool:
        """Take a pod in; whether it was not here before."""
        is_new = queued.key not in self._pods
        self._pods[queued.key] = queued
        due_ns = self._due_ns(queued)
        if self.due_ns is None or due_ns < self.due_ns:
            self.due_ns = due_ns
        return is_new

    def take(self, key: str) -> QueuedPod | None:
        """Let a pod go."""
        return self._pods.pop(key, None)

    def leftovers(self) -> list[QueuedPod]:
        """The pods that have been here for too long, marked as such."""
        now_ns = self._clock.now_ns
        if self.due_ns is None or now_ns < self.due_ns:
            return []
        found = [
            each for each in self._pods.values() if now_ns - each.waiting_since_ns > MAX_STAY_NS
        ]
        for each in found:
            each.flushed_ns = now_ns
        self.due_ns = min(map(self._due_ns, self._pods.values()), default=None)
        return found

    def _due_ns(self, queued: QueuedPod) -> int:
        """The first look at which the pod's stay will be found too long."""
        elapsed_ns = queued.waiting_since_ns + MAX_STAY_NS - self._started_ns
        return self._started_ns + (elapsed_ns // FLUSH_INTERVAL_NS + 1) * FLUSH_INTERVAL_NS
