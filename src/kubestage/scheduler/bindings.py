"""Pods that have a node and are not bound yet: those that wait, and those whose calls take time."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kubestage.golang.rate import Limiter
from kubestage.objects import distributions
from kubestage.scheduler import metrics
from kubestage.scheduler.record import WAITING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kubestage.scheduler.attempt import AnyAttempt
    from kubestage.scheduler.binding_cycle import BindingCycle, Placement
    from kubestage.scheduler.failure_handler import Failure, FailureHandler
    from kubestage.scheduler.pacing import SchedulerPacing
    from kubestage.scheduler.queue import QueuedPod, SchedulingQueue
    from kubestage.scheduler.record import Record
    from kubestage.scheduler.status import Status
    from kubestage.scheduler.timing import Timekeeper
    from kubestage.scheduler.waiting_pods import WaitingPods


class BindingCalls:
    """Bindings that take time, in the order in which their calls are done.

    Calls are sent in the order in which they were requested, at the rate of the client.
    """

    def __init__(self, pacing: SchedulerPacing, stream: random.Random) -> None:
        self._duration = distributions.parse(pacing.binding)
        self._stream = stream
        qps, burst = pacing.client_qps, pacing.client_burst
        self._limiter = Limiter(qps, burst) if qps else None
        self._calls: list[tuple[int, int, int, Placement]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def due_ns(self) -> int | None:
        """When the next call is done."""
        return self._calls[0][0] if self._calls else None

    def send(self, placement: Placement, at_ns: int) -> None:
        """Bind a pod by a call that is requested at a time."""
        sent_ns = self.charge(at_ns)
        done_ns = sent_ns + self._duration.sample_ns(self._stream)
        self._count += 1
        heappush(self._calls, (done_ns, self._count, at_ns, placement))

    def charge(self, at_ns: int) -> int:
        """Send a call whose answer is not waited for; returns when it is sent."""
        return at_ns if self._limiter is None else self._limiter.charge(at_ns)

    def pop_done(self, now_ns: int) -> tuple[Placement, int] | None:
        """A placement whose call is done, and how long that took; None if there is none."""
        if not self._calls or self._calls[0][0] > now_ns:
            return None
        done_ns, _, at_ns, placement = heappop(self._calls)
        return placement, done_ns - at_ns


class Bindings:
    """Carries placements out, at once or when what they wait for has come about.

    A pod waits for a permit (`suspended`), for something that PreBind needs (`unready`), or for
    the answer to its call (`calls`, if bindings take time). `set_timer` is called when time alone
    will next bring something about.
    """

    def __init__(
        self,
        cycle: BindingCycle,
        queue: SchedulingQueue,
        waiting: WaitingPods,
        failures: FailureHandler,
        record: Record,
        time: Timekeeper,
        calls: BindingCalls | None,
    ) -> None:
        self._cycle = cycle
        self._queue = queue
        self._waiting = waiting
        self._failures = failures
        self._record = record
        self._time = time
        self._clock = time.clock
        self._calls = calls
        self._suspended: dict[str, Placement] = {}
        self._unready: dict[str, Placement] = {}
        self.set_timer: Callable[[], None] | None = None

    @property
    def are_waiting(self) -> bool:
        """Whether any pod waits for a permit, or for what PreBind needs."""
        return bool(self._suspended or self._unready)

    @property
    def due_ns(self) -> int | None:
        """When the next pod that waits to be bound is due."""
        calls_ns = None if self._calls is None else self._calls.due_ns
        if not len(self._waiting) and not self._unready:
            return calls_ns
        times = [self._waiting.due_ns, calls_ns]
        times.extend(placement.again_ns for placement in self._unready.values())
        return min((at for at in times if at is not None), default=None)

    def catch_up(self) -> None:
        """Bind the pods that need not wait any longer."""
        now_ns = self._clock.now_ns
        if self._calls is not None:
            while (done := self._calls.pop_done(now_ns)) is not None:
                placement, self._time.binding_ns = done
                self._finish(placement)
        for uid, placement in tuple(self._unready.items()) if self._unready else ():
            if placement.again_ns is not None and placement.again_ns <= now_ns:
                del self._unready[uid]
                self._finish(placement)
        if not self._suspended:
            return
        for waiting in self._waiting:
            waiting.expire(now_ns)
        while decided := [each for each in self._waiting if each.decision is not None]:
            for waiting in decided:
                self._finish(self._suspended.pop(waiting.pod.uid))

    def carry_out(self, placement: Placement) -> None:
        """Reserve and bind what an assumed pod needs."""
        failure = self._cycle.reserve(placement)
        if failure is None:
            self.go_on(placement)
        else:
            attempt, started_ns = placement.attempt, placement.started_ns
            self.fail(placement.number, placement.queued, attempt, failure, started_ns)

    def refuse(self, placement: Placement, status: Status) -> None:
        """A pod that was tried in the fast lane could not be bound."""
        self._release(placement, self._cycle.refused(placement, status))

    def go_on(self, placement: Placement) -> None:
        """Bind a pod, unless it has to wait for that."""
        uid = placement.pod.uid
        if self._waiting.get(uid) is None:
            self._send(placement)
            return
        self._suspended[uid] = placement
        self._failures.nominate(placement.queued.pod, placement.node_name)
        number, attempt = placement.number, placement.attempt
        self._record.add(number, self._clock.now_ns, attempt, WAITING, placement.node_name)

    def _send(self, placement: Placement) -> None:
        """Bind a pod that does not wait for a permit: at once, or by a call that takes time."""
        if self._calls is None:
            self._finish(placement)
            return
        # From here on no event can make a difference.
        self._queue.done(placement.pod.uid)
        self._calls.send(placement, self._time.free_ns)
        if self.set_timer is not None:
            self.set_timer()

    def _finish(self, placement: Placement) -> None:
        attempt, number = placement.attempt, placement.number
        failure = self._cycle.bind(placement)
        if placement.again_ns is not None:
            self._unready[placement.pod.uid] = placement
            if self.set_timer is not None:
                self.set_timer()
            return
        if failure is None:
            result = metrics.SCHEDULED
            self._time.attempted(result, attempt.profile.name, placement.started_ns)
            self._cycle.finish(placement)
            self._record.add(number, self._clock.now_ns, attempt, result, placement.node_name)
        else:
            self._release(placement, failure)

    def _release(self, placement: Placement, failure: Failure) -> None:
        def fail() -> None:
            attempt, started_ns = placement.attempt, placement.started_ns
            self.fail(placement.number, placement.queued, attempt, failure, started_ns)

        self._cycle.release(placement, failure, fail)

    def fail(
        self, number: int, queued: QueuedPod, attempt: AnyAttempt, failure: Failure, started_ns: int
    ) -> None:
        """Take back a pod that could not be scheduled or bound."""
        result = metrics.UNSCHEDULABLE if failure.is_rejected else metrics.ERROR
        self._time.attempted(result, attempt.profile.name, started_ns)
        self._record.add(number, self._clock.now_ns, attempt, result, message=failure.message)
        self._failures.handle(queued, failure)
        if self._calls is not None:
            # The pod's condition is a call of the same client.
            self._calls.charge(self._time.free_ns)
