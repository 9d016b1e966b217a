"""Pods that failed and must pause before they are tried again.

Pauses end at whole seconds of the calendar: within such a window pods are ordered as in the active
queue, and the whole window is released at once when the next one begins. Pods that came back
because of an error wait apart from those that a plugin rejected: only the latter may be tried
early, when there is nothing else to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler.queue.keyed_heap import KeyedHeap
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.scheduler.queue.keyed_heap import Rank
    from kubestage.scheduler.queue.queued_pod import QueuedPod
    from kubestage.sim.clock import Clock

_WINDOW_NS: Final = SECOND_NS
_EARLY_TRIES: Final = 2
"""How often a pod may be tried in one instant before it must wait its pause out.

The real scheduler tries again as often as it finds the time; in virtual time an attempt takes
none, and two pods that wake each other up would never come to rest.
"""


class BackoffQueue:
    """Both backoff queues, as if they were one."""

    def __init__(
        self, clock: Clock, initial_ns: int, max_ns: int, rank: Callable[[QueuedPod], Rank]
    ) -> None:
        self._clock = clock
        self._initial_ns = initial_ns
        self._max_ns = max_ns
        self._rank = rank
        self._rejected = KeyedHeap()
        self._failed = KeyedHeap()
        self._added = 0
        self._barren: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self._rejected) + len(self._failed)

    def __contains__(self, key: str) -> bool:
        return key in self._rejected or key in self._failed

    def pods(self) -> list[QueuedPod]:
        """All pods, those that a plugin rejected first."""
        return [*self._rejected, *self._failed]

    def until_ns(self, queued: QueuedPod) -> int | None:
        """When a pod's pause ends, to the window; None if it needs none."""
        count = queued.consecutive_errors or queued.unschedulable_count
        if not self._max_ns or not count:
            return None
        if queued.backoff_until_ns is None:
            until_ns = queued.queued_ns + self._duration_ns(count)
            queued.backoff_until_ns = self._window_of(until_ns)
        return queued.backoff_until_ns

    def is_backing_off(self, queued: QueuedPod) -> bool:
        """Whether a pod must still pause; it does until its window is over."""
        until_ns = self.until_ns(queued)
        return until_ns is not None and until_ns >= self._window_of(self._clock.now_ns)

    def add(self, queued: QueuedPod) -> None:
        """Let a pod pause, or put one that changed in its place."""
        until_ns = self.until_ns(queued)
        assert until_ns is not None, "only a pod that failed can pause"
        key = queued.key
        if queued.is_rejected:
            self._added += 1
            self._rejected.put(key, (until_ns, *self._rank(queued)), queued)
        else:
            self._failed.put(key, (until_ns, queued.sequence), queued)

    def get(self, key: str) -> QueuedPod | None:
        """The pod of a key."""
        return self._rejected.get(key) or self._failed.get(key)

    def take(self, key: str) -> QueuedPod | None:
        """Take out the pod of a key."""
        return self._rejected.take(key) or self._failed.take(key)

    def pop_early(self) -> QueuedPod | None:
        """The pod whose pause ends first, before that time has come.

        One that was tried again in this very instant waits. As long as all do, and no pod is
        added, they need not be searched again.
        """
        now_ns = self._clock.now_ns
        if self._barren == (now_ns, self._added):
            return None
        held: list[QueuedPod] = []
        queued = self._rejected.pop()
        while queued is not None and queued.tried_ns == now_ns and queued.tries >= _EARLY_TRIES:
            held.append(queued)
            queued = self._rejected.pop()
        for each in held:
            self.add(each)
        if queued is None:
            self._barren = now_ns, self._added
        return queued

    def pop_completed(self) -> list[QueuedPod]:
        """All pods whose pause is over."""
        completed: list[QueuedPod] = []
        if not len(self):
            return completed
        for heap in (self._rejected, self._failed):
            first = heap.peek()
            while first is not None and not self.is_backing_off(first[1]):
                heap.pop()
                completed.append(first[1])
                first = heap.peek()
        return completed

    @property
    def due_ns(self) -> int | None:
        """When the next pause is over: at the end of its window."""
        # NOTE: needed at every change of the queue (benchmarks/karpenter_day.py).
        due_ns: int | None = None
        for heap in (self._rejected, self._failed):
            first = heap.peek() if len(heap) else None
            if first is not None and (due_ns is None or first[0][0] < due_ns):
                due_ns = first[0][0]
        return None if due_ns is None else due_ns + _WINDOW_NS

    def _window_of(self, at_ns: int) -> int:
        """The beginning of a window, which the calendar decides and not the simulation's zero."""
        return at_ns - (at_ns + self._clock.epoch_ns) % _WINDOW_NS

    def _duration_ns(self, count: int) -> int:
        """Twice as long after each failure, up to a limit."""
        shift = count - 1
        if self._initial_ns > self._max_ns >> shift:
            return self._max_ns
        return self._initial_ns << shift
