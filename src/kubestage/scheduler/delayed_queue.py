"""New pods of which a paced scheduler learns some time after they were created."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from kubestage.objects import distributions

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.cluster_events import ClusterEvent
    from kubestage.scheduler.pacing import SchedulerPacing
    from kubestage.scheduler.queue import QueuedPod, SchedulingQueue
    from kubestage.sim.environment import Environment
    from kubestage.sim.streams import Streams


def arrivals(
    queue: SchedulingQueue,
    pacing: SchedulerPacing | None,
    streams: Streams,
    environment: Environment | None,
) -> SchedulingQueue | DelayedQueue:
    """Where new pods arrive: in the queue, or before it for the delay of a pacing."""
    if pacing is None or environment is None:
        return queue
    return DelayedQueue(queue, pacing, streams.stream("scheduler/informer"), environment)


class DelayedQueue:
    """Stands before the queue: new pods enter it after the informer's delay, in their order.

    A pod enters the queue as it is then: changes in the meantime are not events of their own.
    """

    def __init__(
        self,
        queue: SchedulingQueue,
        pacing: SchedulerPacing,
        stream: random.Random,
        environment: Environment,
    ) -> None:
        self._queue = queue
        self._delay = distributions.parse(pacing.informer_delay)
        self._stream = stream
        self._clock = environment.clock
        self._coming: dict[str, PodView] = {}
        self._due: deque[tuple[int, str]] = deque()
        self._alarm = environment.timer("SchedulerInformer", self._on_time)

    def add(self, pod: PodView) -> None:
        """A pod was created."""
        at_ns = self._clock.now_ns + self._delay.sample_ns(self._stream)
        if self._due:
            at_ns = max(at_ns, self._due[-1][0])
        self._coming[pod.uid] = pod
        self._due.append((at_ns, pod.uid))
        if len(self._due) == 1:
            self._alarm.set(at_ns)

    def get(self, key: str) -> QueuedPod | None:
        """The pod of a key, if it is in the queue."""
        return self._queue.get(key)

    def update(self, old: Json, pod: PodView, *, is_reworded: bool = False) -> None:
        """A pending pod changed."""
        if pod.uid in self._coming:
            self._coming[pod.uid] = pod
        else:
            self._queue.update(old, pod, is_reworded=is_reworded)

    def delete(self, key: str, uid: str) -> None:
        """A pod is gone, or another scheduler gave it a node."""
        if self._coming.pop(uid, None) is None:
            self._queue.delete(key, uid)

    def move_all(
        self,
        event: ClusterEvent,
        old: Json | None,
        new: Json | None,
        check: Callable[[PodView], bool] | None = None,
    ) -> None:
        """Something happened that may help pods which are in the queue."""
        self._queue.move_all(event, old, new, check)

    def _on_time(self) -> None:
        now_ns = self._clock.now_ns
        while self._due and self._due[0][0] <= now_ns:
            _, uid = self._due.popleft()
            pod = self._coming.pop(uid, None)
            if pod is not None:
                self._queue.add(pod)
        if self._due:
            self._alarm.set(self._due[0][0])
