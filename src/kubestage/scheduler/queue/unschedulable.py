"""Pods for which nothing can be done until the cluster changes, and those that are held back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.scheduler.plugins import alike_hints
from kubestage.scheduler.queue.hints import Concern, Strategy
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.scheduler.cluster_events import ClusterEvent
    from kubestage.scheduler.plugins.alike_hints import Likeness
    from kubestage.scheduler.queue.hints import QueueingHints
    from kubestage.scheduler.queue.queued_pod import QueuedPod
    from kubestage.sim.clock import Clock

MAX_STAY_NS: Final = 300 * SECOND_NS
"""After so long a pod is tried again even if no event has called for it."""

FLUSH_INTERVAL_NS: Final = 30 * SECOND_NS
"""How often stays are checked, counted from the start of the scheduler."""


class Rejection(NamedTuple):
    """What decides which events can bring a pod back: the plugins that rejected it."""

    profile: str
    unschedulable_plugins: frozenset[str]
    pending_plugins: frozenset[str]


class UnschedulablePods:
    """The pool, in the order in which pods came, and the same by rejection and likeness.

    NOTE: most events concern none of the few rejections that pods by the thousand share, and of
    pods that are alike one hint serves for all. A call for each takes 1 us, or 4 us to match
    terms, so 5 or 20 ms for every pod that is bound while 5,000 wait.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pods: dict[str, QueuedPod] = {}
        self._groups: dict[Rejection, dict[Likeness, dict[str, QueuedPod]]] = {}
        self._entries: dict[str, tuple[int, Rejection, Likeness]] = {}
        self._last = 0
        self._started_ns = clock.now_ns
        self.due_ns: int | None = None
        """When stays must be checked next; that may be earlier than needed."""

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[QueuedPod]:
        return iter(self._pods.values())

    def get(self, key: str) -> QueuedPod | None:
        """The pod of a key."""
        return self._pods.get(key)

    def put(self, queued: QueuedPod) -> bool:
        """Take a pod in; whether it was not here before."""
        key, pod = queued.key, queued.pod
        rejection = Rejection(
            pod.scheduler_name, queued.unschedulable_plugins, queued.pending_plugins
        )
        likeness = queued.likeness
        if likeness is None:
            likeness = queued.likeness = alike_hints.likeness_of(pod)
        entry = self._entries.get(key)
        if entry is not None and entry[2] is likeness and entry[1] == rejection:
            # Whatever it is that has changed of the pod, nothing here depends on it.
            self._pods[key] = self._groups[rejection][likeness][key] = queued
            self._note_due(queued)
            return False
        if entry is None:
            self._last += 1
            number = self._last
        else:
            number = entry[0]
            self._leave(key, entry)
        self._entries[key] = number, rejection, likeness
        self._pods[key] = queued
        self._groups.setdefault(rejection, {}).setdefault(likeness, {})[key] = queued
        self._note_due(queued)
        return entry is None

    def take(self, key: str) -> QueuedPod | None:
        """Let a pod go."""
        queued = self._pods.pop(key, None)
        if queued is not None:
            self._leave(key, self._entries.pop(key))
        return queued

    @property
    def rejections(self) -> Collection[Rejection]:
        """The rejections of the pods in the pool."""
        return self._groups.keys()

    def alike(self, rejection: Rejection) -> Collection[Mapping[str, QueuedPod]]:
        """The pods of one rejection by their keys, those that are alike together."""
        return self._groups[rejection].values()

    def strategy(
        self, queued: QueuedPod, hints: QueueingHints, event: ClusterEvent, old: Json
    ) -> Strategy:
        """Whether a change of a pod in the pool is worth another attempt at it.

        NOTE: hints need not be called for what no plugin that rejected it waits for, such as its
        own condition (benchmarks/karpenter_day.py).
        """
        _, rejection, likeness = self._entries[queued.key]
        is_as_before = likeness is queued.likeness
        if is_as_before and hints.concern(rejection, event) is Concern.NOBODY:
            return Strategy.SKIP
        return hints.strategy(queued, event, old, queued.pod.raw)

    def place(self, key: str) -> int:
        """Where in the order of all the pod of a key is."""
        return self._entries[key][0]

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

    def _note_due(self, queued: QueuedPod) -> None:
        due_ns = self._due_ns(queued)
        if self.due_ns is None or due_ns < self.due_ns:
            self.due_ns = due_ns

    def _leave(self, key: str, entry: tuple[int, Rejection, Likeness]) -> None:
        _, rejection, likeness = entry
        groups = self._groups[rejection]
        pods = groups[likeness]
        del pods[key]
        if not pods:
            del groups[likeness]
            if not groups:
                del self._groups[rejection]

    def _due_ns(self, queued: QueuedPod) -> int:
        """The first flush at which the pod has stayed too long."""
        elapsed_ns = queued.waiting_since_ns + MAX_STAY_NS - self._started_ns
        return self._started_ns + (elapsed_ns // FLUSH_INTERVAL_NS + 1) * FLUSH_INTERVAL_NS
