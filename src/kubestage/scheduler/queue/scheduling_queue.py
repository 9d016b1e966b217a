"""One queue for all profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler import due_times, property_changes
from kubestage.scheduler.queue import occasions, wakening
from kubestage.scheduler.queue.backoff import BackoffQueue
from kubestage.scheduler.queue.gates import Gates
from kubestage.scheduler.queue.hints import QueueingHints, Strategy
from kubestage.scheduler.queue.in_flight import InFlight
from kubestage.scheduler.queue.keyed_heap import KeyedHeap
from kubestage.scheduler.queue.queued_pod import QueuedPod
from kubestage.scheduler.queue.reports import Reports
from kubestage.scheduler.queue.unschedulable import UnschedulablePods
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.cluster_events import ClusterEvent
    from kubestage.scheduler.queue.keyed_heap import Rank
    from kubestage.scheduler.queue.nominations import Nominations
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.timing import Timekeeper


_ADDED: Final = occasions.label_of(occasions.UNSCHEDULED_POD_ADD)
_UPDATED: Final = occasions.label_of(occasions.UNSCHEDULED_POD_UPDATE)


class SchedulingQueue:
    """Where every pending pod of the scheduler's profiles is, unless it is in flight.

    A pod is active, pausing, or unschedulable for the time being (gated ones among them). By its
    `reports` the driver of the scheduler knows when to call it again.
    """

    def __init__(
        self,
        profiles: Mapping[str, Profile],
        nominations: Nominations,
        time: Timekeeper,
        *,
        initial_backoff_seconds: int = 1,
        max_backoff_seconds: int = 10,
    ) -> None:
        self.nominations = nominations
        self.cycle = 0
        self.reports = Reports()
        self._clock = clock = time.clock
        self._metrics = time.metrics
        self._hints = QueueingHints(profiles, time)
        self._gates = Gates(profiles, self._hints, time)
        self._sort = next(iter(profiles.values())).queue_sort[0]
        self._active = KeyedHeap()
        self._backoff = BackoffQueue(
            clock, initial_backoff_seconds * SECOND_NS, max_backoff_seconds * SECOND_NS, self._rank
        )
        self._unschedulable = UnschedulablePods(clock)
        self._in_flight = InFlight()
        self._last_sequence = 0

    def __len__(self) -> int:
        return len(self._active) + len(self._backoff) + len(self._unschedulable)

    @property
    def due_ns(self) -> int | None:
        """When `flush` next has something to do."""
        return due_times.earlier(self._backoff.due_ns, self._unschedulable.due_ns)

    @property
    def in_flight(self) -> InFlight:
        """The pods that were popped and are not done."""
        return self._in_flight

    def pods(self) -> dict[str, list[QueuedPod]]:
        """All pods by the queue they are in, as ``scheduler_pending_pods`` groups them."""
        waiting = list(self._unschedulable)
        return {
            "active": list(self._active),
            "backoff": self._backoff.pods(),
            "unschedulable": [each for each in waiting if not each.is_gated],
            "gated": [each for each in waiting if each.is_gated],
        }

    def counts(self) -> dict[str, int]:
        """How many pods are in which queue."""
        return {queue: len(pods) for queue, pods in self.pods().items()}

    def get(self, key: str) -> QueuedPod | None:
        """The pod of a key, in whichever queue it is."""
        return self._unschedulable.get(key) or self._active.get(key) or self._backoff.get(key)

    def add(self, pod: PodView) -> None:
        """Take up a new pod."""
        self._to_active(self._queued(pod), _ADDED)

    def pop(self) -> QueuedPod | None:
        """The pod to try next; from then on it is in flight until `done`.

        When none is active, one that pauses because a plugin rejected it is tried early.
        """
        queued = self._active.pop()
        if queued is None:
            queued = self._backoff.pop_early()
            if queued is None:
                return None
            self._metrics.queued("active", occasions.POP_FROM_BACKOFF)
        self._count_try(queued)
        self._in_flight.begin(queued.pod.uid)
        return queued

    @property
    def active_count(self) -> int:
        """How many pods can be tried now."""
        return len(self._active)

    def ahead(self, count: int) -> list[QueuedPod]:
        """The pods that are next in turn, at most so many; they stay where they are."""
        return self._active.ahead(count)

    def pop_next(self, queued: QueuedPod) -> bool:
        """Pop a pod if it is its turn; whether it is. It is not in flight then."""
        if not self._active.pop_if(queued):
            return False
        self._count_try(queued)
        return True

    def _count_try(self, queued: QueuedPod) -> None:
        queued.count_try(self._clock.now_ns)
        self.cycle += 1

    def done(self, uid: str) -> None:
        """A pod is no longer in flight."""
        self._in_flight.done(uid)

    def add_unschedulable(self, queued: QueuedPod) -> None:
        """Take back a pod that could not be scheduled, and see if it has missed anything."""
        if self.get(queued.key) is not None:
            self.done(queued.pod.uid)
            return
        if queued.is_rejected:
            queued.unschedulable_count += 1
            queued.consecutive_errors = 0
        else:
            queued.consecutive_errors += 1
        self._last_sequence += 1
        queued.queued_ns, queued.sequence = self._clock.now_ns, self._last_sequence
        queued.backoff_until_ns = queued.flushed_ns = None
        strategy = self._in_flight.strategy(queued, self._hints)
        self._requeue(queued, strategy, occasions.SCHEDULE_ATTEMPT_FAILURE)
        self.done(queued.pod.uid)

    def update(self, old: Json, pod: PodView, *, is_reworded: bool = False) -> None:
        """A pending pod changed, or only the text of a condition; it may be schedulable now."""
        events = property_changes.REWORDED if is_reworded else property_changes.of_pod(old, pod.raw)
        if pod.uid in self._in_flight:
            for event in events:
                self._in_flight.note(event, old, pod.raw)
            return
        key = pod.key
        queued = self._active.get(key)
        if queued is not None:
            queued.renew(pod)
            self._active.put(key, self._rank(queued), queued)
            self.nominations.update(old, pod)
            return
        queued = self._backoff.get(key)
        if queued is not None:
            queued.renew(pod)
            self._backoff.add(queued)
            self.nominations.update(old, pod)
            return
        queued = self._unschedulable.get(key)
        if queued is None:
            self._to_active(self._queued(pod), _UPDATED)
            return
        queued.renew(pod)
        self.nominations.update(old, pod)
        for event in events:
            strategy = self._unschedulable.strategy(queued, self._hints, event, old)
            if is_reworded and strategy is Strategy.SKIP:
                return
            if self._requeue(queued, strategy, occasions.label_of(event)):
                break

    def delete(self, key: str, uid: str) -> None:
        """Forget a pod that is gone or got a node."""
        self.nominations.remove(uid)
        if self._active.take(key) is None and self._backoff.take(key) is None:
            self._unschedulable.take(key)

    def activate(self, pods: Iterable[PodView]) -> None:
        """Have pods tried as soon as possible, whatever rejected them."""
        for pod in pods:
            queued = self._unschedulable.get(pod.key)
            if queued is not None:
                self._to_active(queued, occasions.FORCE_ACTIVATE)
                continue
            queued = self._backoff.take(pod.key)
            if queued is not None:
                self._enter_active(queued, occasions.FORCE_ACTIVATE)
            elif pod.uid in self._in_flight:
                self._in_flight.note(occasions.FORCED_ACTIVATION, None, pod.raw)

    def move_all(
        self,
        event: ClusterEvent,
        old: Json | None,
        new: Json | None,
        check: Callable[[PodView], bool] | None = None,
    ) -> None:
        """Something happened: bring back the pods that it may help."""
        nobody_waits = not len(self._unschedulable) and not len(self._in_flight)
        if nobody_waits or not self._hints.is_of_interest(event):
            return
        if len(self._unschedulable):
            found = wakening.helped(self._unschedulable, self._hints, event, old, new)
            if check is not None:
                found = [each for each in found if check(each[0].pod)]
            self._move(found, event)
        self._in_flight.note(event, old, new)

    def flush(self) -> None:
        """Release the pods whose pause is over, and those that were put off for too long."""
        for queued in self._backoff.pop_completed():
            self._enter_active(queued, occasions.BACKOFF_COMPLETE)
        if self._unschedulable.due_ns is None:
            return
        leftovers = self._unschedulable.leftovers()
        if leftovers:
            helped = [(each, Strategy.AFTER_BACKOFF) for each in leftovers]
            self._move(helped, occasions.UNSCHEDULABLE_TIMEOUT)
            self._in_flight.note(occasions.UNSCHEDULABLE_TIMEOUT, None, None)

    def _move(self, pods: Iterable[tuple[QueuedPod, Strategy]], event: ClusterEvent) -> None:
        """Take pods that an event may help from where nothing can be done for them."""
        label = occasions.label_of(event)
        with self.reports.once():
            for queued, strategy in pods:
                if not queued.is_gated_from(event):
                    self._unschedulable.take(queued.key)
                    self._requeue(queued, strategy, label)

    def _requeue(self, queued: QueuedPod, strategy: Strategy, occasion: str) -> bool:
        """Put a pod where it belongs; whether that is where it can be tried from."""
        if strategy is Strategy.SKIP:
            self._put_off(queued, occasion)
            return False
        if strategy is Strategy.AFTER_BACKOFF and self._backoff.is_backing_off(queued):
            return self._to_backoff(queued, occasion)
        return self._to_active(queued, occasion)

    def _to_active(self, queued: QueuedPod, occasion: str) -> bool:
        if not self._gates.let_in(queued):
            self._put_off(queued, occasion)
            return False
        self._enter_active(queued, occasion)
        if occasion in (_ADDED, _UPDATED):
            self.nominations.add(queued.pod)
        return True

    def _enter_active(self, queued: QueuedPod, occasion: str) -> None:
        if queued.first_attempt_ns is None:
            queued.first_attempt_ns = self._clock.now_ns
        key = queued.key
        self._unschedulable.take(key)
        self._active.put(key, self._rank(queued), queued)
        self._metrics.queued("active", occasion)
        self.reports.say(is_ready=True)

    def _to_backoff(self, queued: QueuedPod, occasion: str) -> bool:
        if not self._gates.let_in(queued):
            self._put_off(queued, occasion)
            return False
        self._unschedulable.take(queued.key)
        self._backoff.add(queued)
        self._metrics.queued("backoff", occasion)
        self.reports.say(is_ready=True)
        return True

    def _put_off(self, queued: QueuedPod, occasion: str) -> None:
        if self._unschedulable.put(queued):
            self._metrics.queued("unschedulable", occasion)
        self.reports.say(is_ready=False)

    def _queued(self, pod: PodView) -> QueuedPod:
        self._last_sequence += 1
        return QueuedPod(pod, self._clock.now_ns, self._last_sequence)

    def _rank(self, queued: QueuedPod) -> Rank:
        key: Rank = self._sort.sort_key(queued.pod, queued.queued_ns)
        return (*key, queued.sequence)
