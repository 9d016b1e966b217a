"""The scheduler: one queue, one cache, many profiles, at work on a store."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError
from kubestage.scheduler import config, event_recorder, extender, metrics, paced_time, registry
from kubestage.scheduler.binding_cycle import BindingCycle, Placement
from kubestage.scheduler.bindings_under_way import BindingsUnderWay
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.client import StoreClient
from kubestage.scheduler.cycle import Cycle
from kubestage.scheduler.driver import Driver
from kubestage.scheduler.event_handlers import EventHandlers
from kubestage.scheduler.failure_handler import Failure, FailureHandler
from kubestage.scheduler.gauges import Gauges
from kubestage.scheduler.handle import Handle, Surroundings
from kubestage.scheduler.heard_later import HeardLater
from kubestage.scheduler.metrics import SchedulerMetrics
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.paced_time import Timing
from kubestage.scheduler.preemption import report
from kubestage.scheduler.queue import SchedulingQueue
from kubestage.scheduler.queue.nominations import Nominations
from kubestage.scheduler.quick import kernels
from kubestage.scheduler.quick.backdrop import Backdrop
from kubestage.scheduler.quick.lane import Lane
from kubestage.scheduler.quick.look_ahead import LookAhead
from kubestage.scheduler.record import WAITING, Record, Recording
from kubestage.scheduler.selection import TieBreak
from kubestage.scheduler.status import SUCCESS, Status
from kubestage.scheduler.waiting_pods import WaitingPods

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.cycle import AnyAttempt, Attempt
    from kubestage.scheduler.extender import Transport
    from kubestage.scheduler.pacing import SchedulerPacing
    from kubestage.scheduler.queue import QueuedPod
    from kubestage.scheduler.timings import Timings
    from kubestage.sim.environment import Environment
    from kubestage.sim.streams import Streams
    from kubestage.store.store import Store

__all__ = ["Scheduler"]


class Scheduler:
    """Schedules the pods of a store whose ``schedulerName`` is one of its profiles.

    With an environment it works by itself as virtual time passes: an attempt takes no time, and
    what waits (backoff, flushes, permits) waits on the clock. Without one, call `run_until_idle`
    whenever there may be something to do. `plugins` are classes of your own by name, `transport`
    is how extenders are asked, `stopwatch` how durations in metrics are measured (by default on
    the virtual clock, on which nothing takes time). With a `pacing` it takes virtual time for what
    it does, and that is what metrics tell; with a `model` they tell how long it would have taken,
    and nothing takes time. `keeps_timings` has durations of a pacing kept by profile, extension
    point and plugin; those of a stopwatch and of a model always are. It pickles together with its
    store.
    """

    def __init__(
        self,
        store: Store,
        environment: Environment | None,
        streams: Streams,
        configuration: SchedulerConfiguration | None = None,
        *,
        plugins: Mapping[str, type[Any]] | None = None,
        tie_break: TieBreak | str = TieBreak.HEAP,
        recording: Recording | str = Recording.NONE,
        transport: Transport | None = None,
        stopwatch: Callable[[], int] | None = None,
        events: bool = True,
        pacing: SchedulerPacing | None = None,
        model: SchedulerPacing | None = None,
        keeps_timings: bool = False,
    ) -> None:
        assert environment is None or environment.clock is store.clock, "there is but one clock"
        own = plugins or {}
        points = {name: config.points_of(each) for name, each in own.items()}
        given = config.default() if configuration is None else configuration
        self.configuration = config.complete(given, points).configuration
        self.clock = store.clock
        self.record = Record(Recording(recording))
        self.metrics = SchedulerMetrics()
        self._store, self._environment, self._streams = store, environment, streams
        self._own_plugins, self._tie_break = own, TieBreak(tie_break)
        self._transport, self._has_events = transport, events
        self.timing = Timing(stopwatch, pacing, model, keeps_timings)
        if self.timing.is_paced and environment is None:
            raise InputError(
                "a scheduler that is not driven by time cannot be paced",
                path="pacing",
                fix="hand in an environment, or leave it out",
            )
        self._surroundings = Surroundings()
        # Whether what is written at this moment is written by it or by its plugins.
        self.is_at_work = False
        self._set_up()

    def start_over(self) -> None:
        """Work from now on as a new scheduler would: nothing is left of what it did before.

        Streams that it draws from go on where they are. Metrics add up, as those of a process.
        """
        self.retire(self._store)
        self._time.settle()
        self.record.begin_anew()
        self._set_up()

    def _set_up(self) -> None:
        """Make all that remembers anything, and take up what the store holds."""
        store, environment, streams = self._store, self._environment, self._streams
        self.cache = Cache()
        self.waiting = WaitingPods()
        self._client = StoreClient(store, events=self._has_events)
        self._nominator = Nominator()
        self._extenders = extender.of_configuration(self.configuration, self._transport)
        self._time = paced_time.timekeeper(self.metrics, self.clock, self.timing, streams)
        self._under_way: BindingsUnderWay | None = None
        self._suspended: dict[str, Placement] = {}
        self._unready: dict[str, Placement] = {}
        self._make_profiles(streams, self._own_plugins)
        self._cycle = Cycle(
            self._nominator,
            streams.stream("scheduler/ties"),
            self.configuration.percentage_of_nodes_to_score,
            self._tie_break,
            self._extenders,
        )
        self._binding = BindingCycle(
            self.cache, self.queue, self._client, self.waiting, self._extenders, self._time
        )
        self._backdrop = Backdrop(store)
        self._lane = Lane(
            self.cache,
            self.queue,
            self._cycle,
            LookAhead(self._cycle, self.profiles, self._backdrop),
            self._binding,
            self.record,
            self._time,
            store.ledger,
            self._carry_out,
            self._refuse,
        )
        self._failures = FailureHandler(self.queue, self._client, self.clock)
        self._driver = None if environment is None else Driver(self, environment)
        arrivals: SchedulingQueue | HeardLater = self.queue
        if self.timing.is_paced:
            pacing = self.timing.pacing
            assert pacing is not None
            assert environment is not None
            self._under_way = BindingsUnderWay(pacing, streams.stream("scheduler/bindings"))
            stream = streams.stream("scheduler/informer")
            arrivals = HeardLater(self.queue, pacing, stream, environment)
        self._handlers = EventHandlers(
            self.profiles, self.cache, arrivals, self.waiting, self._time
        )
        self._handlers.start(store)

    def schedule_one(self) -> Attempt | None:
        """Try the pod that is next in turn; None if there is none to be tried now."""
        self.catch_up()
        queued = self._next()
        return None if queued is None else self._schedule(queued)

    def schedule_next(self) -> bool:
        """The same for those who need not know all about the attempt; it may take less time."""
        return bool(self._schedule_some(1))

    def run_until_idle(self, at_most: int | None = None) -> int:
        """Try pods until none is left to try without time passing; how many attempts it took.

        With `at_most`, it ends after that many.
        """
        left = sys.maxsize if at_most is None else at_most
        before = self._time.attempts
        while left > 0:
            tried = self._schedule_some(left)
            if not tried:
                break
            left -= tried
        return self._time.attempts - before

    def activate(self, pods: Iterable[PodView]) -> None:
        """Have pods tried again as soon as possible, whatever rejected them."""
        self.queue.activate(pods)

    def catch_up(self) -> None:
        """Do what time and others have brought about since last time."""
        before, self.is_at_work = self.is_at_work, True
        try:
            self._catch_up()
        finally:
            self.is_at_work = before

    def _catch_up(self) -> None:
        self.queue.flush()
        if self._under_way is not None:
            self._receive(self._under_way)
        if self._unready:
            self._ask_again()
        if not self._suspended:
            return
        for waiting in self.waiting:
            waiting.expire(self.clock.now_ns)
        while decided := [each for each in self.waiting if each.outcome is not None]:
            for waiting in decided:
                self._finish(self._suspended.pop(waiting.pod.uid))

    def _receive(self, under_way: BindingsUnderWay) -> None:
        """Bind the pods whose calls are done."""
        while (done := under_way.pop_done(self.clock.now_ns)) is not None:
            placement, self._time.binding_ns = done
            self._finish(placement)

    def _ask_again(self) -> None:
        """See whether pods can be bound now that were to wait for something."""
        now_ns = self.clock.now_ns
        for uid, placement in tuple(self._unready.items()):
            if placement.again_ns is not None and placement.again_ns <= now_ns:
                del self._unready[uid]
                self._finish(placement)

    @property
    def due_ns(self) -> int | None:
        """When time alone will next give it something to do."""
        times = [at for at in (self.queue.due_ns, self.binding_due_ns) if at is not None]
        return min(times, default=None)

    @property
    def binding_due_ns(self) -> int | None:
        """When it next looks after a pod that has a node and waits to be bound."""
        calls_ns = None if self._under_way is None else self._under_way.due_ns
        if not len(self.waiting) and not self._unready:
            return calls_ns
        times = [self.waiting.due_ns, calls_ns]
        times.extend(placement.again_ns for placement in self._unready.values())
        return min((at for at in times if at is not None), default=None)

    @property
    def timings(self) -> Timings | None:
        """How long what took, if that was measured or modelled."""
        return self._time.timings

    @property
    def free_ns(self) -> int:
        """When the next attempt can begin."""
        return self._time.free_ns

    def stop(self) -> None:
        """Schedule nothing as time passes; `schedule_one` still does when it is called."""
        if self._driver is not None:
            self._driver.stop()

    def go_on(self) -> None:
        """Schedule by itself again."""
        if self._driver is not None:
            self._driver.go_on()

    def retire(self, store: Store) -> None:
        """Work no more: another scheduler takes over this store."""
        self.stop()
        self._handlers.stop(store)

    def wait_for_volumes(self) -> None:
        """Bind pods only when their volumes are bound: somebody on the stage does that."""
        self._surroundings.binds_volumes = True

    def _make_profiles(self, streams: Streams, own: Mapping[str, type[Any]]) -> None:
        handle = Handle(
            self._client,
            self._client,
            self._nominator,
            streams.stream("scheduler/preemption"),
            self.cache,
            self._extenders,
            waiting=self.waiting,
            activate=self.activate,
            clock=self.clock,
            surroundings=self._surroundings,
        )
        self.profiles = registry.profiles(self.configuration, handle, own, self._time.watch)
        self.queue = SchedulingQueue(
            self.profiles,
            Nominations(self._nominator, self._client),
            self._time,
            initial_backoff_seconds=self.configuration.pod_initial_backoff_seconds,
            max_backoff_seconds=self.configuration.pod_max_backoff_seconds,
        )
        self._time.know(self.profiles)
        self.metrics.know(self.profiles)
        gauges = Gauges(self.cache, self.queue, self.profiles, self._under_way or ())
        self.metrics.inspect, self.metrics.settle = gauges.put, self._time.settle

    def _is_passed_over(self, queued: QueuedPod) -> bool:
        """Whether there is no point in trying a pod: it is being deleted, or all but bound."""
        pod = queued.pod
        if "deletionTimestamp" in pod.raw["metadata"]:
            note = f"skip schedule deleting pod: {pod.key}"
            self._client.event(
                pod.raw,
                event_recorder.WARNING,
                "FailedScheduling",
                "Scheduling",
                note,
                pod.scheduler_name,
            )
        elif self.cache.assumed_pod(pod.uid) is None:
            return False
        self.queue.done(pod.uid)
        return True

    def _next(self) -> QueuedPod | None:
        """The pod that is to be tried now."""
        while (queued := self.queue.pop()) is not None:
            if not self._is_passed_over(queued):
                return queued
        return None

    def _schedule_some(self, at_most: int) -> int:
        """Try the next pod in the quickest way there is, and those after it likewise."""
        self.is_at_work = True
        try:
            return self._try_some(at_most)
        finally:
            self.is_at_work = False

    def _try_some(self, at_most: int) -> int:
        self._catch_up()
        # Those who wait for something are looked after between attempts.
        tried = self._lane.run(1 if self._suspended or self._unready else at_most)
        if not tried:
            queued = self._next()
            if queued is None:
                return 0
            self._schedule_quickly(queued)
            tried = 1
        return tried

    def _schedule_quickly(self, queued: QueuedPod) -> None:
        """Try a pod by what is known of its template, and in the ordinary way if nothing is."""
        pod = queued.pod
        profile = self.profiles[pod.scheduler_name]
        attempt = None
        if not (self._time.is_measuring or self.record.explains(self._time.attempts + 1)):
            attempt = self._cycle.quick(profile, pod, self.cache.columns, self._backdrop)
        if attempt is None:
            self._schedule(queued)
            kernels.COMPILED.count(kernels.ORDINARY)
            return
        kernels.COMPILED.count(1)
        started_ns = self._time.begin()
        number = self._time.attempts
        self._time.ran_to_the_end(profile.name, is_scored=attempt.feasible_count > 1)
        self._time.decided(started_ns, attempt.evaluated_count, profile.name)
        self._carry_out(self._binding.assume(number, queued, attempt, started_ns))

    def _carry_out(self, placement: Placement) -> None:
        """Reserve and bind what an assumed pod needs."""
        failure = self._binding.reserve(placement)
        if failure is None:
            self._go_on(placement)
        else:
            attempt, started_ns = placement.attempt, placement.started_ns
            self._fail(placement.number, placement.queued, attempt, failure, started_ns)

    def _schedule(self, queued: QueuedPod) -> Attempt:
        started_ns = self._time.begin()
        number = self._time.attempts
        attempt, failure = self._try(queued)
        self._time.decided(started_ns, attempt.evaluated_count, attempt.profile.name)
        if self.record.explains(number):
            self.record.tell(number, attempt)
        if failure is None:
            placement = self._binding.assume(number, queued, attempt, started_ns)
            failure = self._binding.reserve(placement)
            if failure is None:
                self._go_on(placement)
                return attempt
        self._fail(number, queued, attempt, failure, started_ns)
        return attempt

    def _try(self, queued: QueuedPod) -> tuple[Attempt, Failure | None]:
        """Look for a node, and for room if there is none."""
        pod = queued.pod
        profile = self.profiles[pod.scheduler_name]
        attempt = self._cycle.schedule(profile, pod, self.cache.columns)
        self._observe(attempt)
        if attempt.is_error:
            return attempt, Failure(attempt.failure)
        if attempt.selected is not None:
            return attempt, None
        self._cycle.post_filter(attempt)
        return attempt, self._misfit(attempt)

    def _misfit(self, attempt: Attempt) -> Failure:
        """Nothing fits: who is to blame, and which node preemption has won."""
        nominate: str | None = ""
        if attempt.post_filter is not None:
            result, status = attempt.post_filter
            nominate = None if result is None else result.nominated_node
            profile = attempt.profile.name
            self._time.ran("PostFilter", status, profile)
            account: report.Report | None = attempt.state.get(report.KEY)
            if account is not None:
                self.metrics.preempted(account.evicted, is_failed=bool(account.failure))
                if account.failure:
                    self.queue.activate([attempt.pod])
        return Failure(
            attempt.failure,
            is_rejected=True,
            unschedulable_plugins=frozenset(attempt.diagnosis.unschedulable_plugins),
            pending_plugins=frozenset(attempt.diagnosis.pending_plugins),
            nominate=nominate,
        )

    def _go_on(self, placement: Placement) -> None:
        """Bind a pod, unless it has to wait for that."""
        uid = placement.pod.uid
        if self.waiting.get(uid) is None:
            self._send(placement)
            return
        self._suspended[uid] = placement
        self._failures.nominate(placement.queued.pod, placement.node_name)
        number, attempt = placement.number, placement.attempt
        self.record.add(number, self.clock.now_ns, attempt, WAITING, placement.node_name)

    def _send(self, placement: Placement) -> None:
        """Bind a pod that does not wait for a permit: at once, or by a call that takes time."""
        if self._under_way is None:
            self._finish(placement)
            return
        # From here on no event can make a difference.
        self.queue.done(placement.pod.uid)
        self._under_way.send(placement, self._time.free_ns)
        if self._driver is not None:
            self._driver.set_timer()

    def _finish(self, placement: Placement) -> None:
        attempt, number = placement.attempt, placement.number
        failure = self._binding.bind(placement)
        if placement.again_ns is not None:
            self._unready[placement.pod.uid] = placement
            if self._driver is not None:
                self._driver.set_timer()
            return
        if failure is None:
            result = metrics.SCHEDULED
            self._time.attempted(result, attempt.profile.name, placement.started_ns)
            self._binding.finish(placement)
            self.record.add(number, self.clock.now_ns, attempt, result, placement.node_name)
        else:
            self._release(placement, failure)

    def _refuse(self, placement: Placement, status: Status) -> None:
        """A pod that was tried in the fast lane could not be bound."""
        self._release(placement, self._binding.refused(placement, status))

    def _release(self, placement: Placement, failure: Failure) -> None:
        def fail() -> None:
            attempt, started_ns = placement.attempt, placement.started_ns
            self._fail(placement.number, placement.queued, attempt, failure, started_ns)

        self._binding.release(placement, failure, fail)

    def _fail(
        self, number: int, queued: QueuedPod, attempt: AnyAttempt, failure: Failure, started_ns: int
    ) -> None:
        result = metrics.UNSCHEDULABLE if failure.is_rejected else metrics.ERROR
        self._time.attempted(result, attempt.profile.name, started_ns)
        self.record.add(number, self.clock.now_ns, attempt, result, message=failure.message)
        self._failures.handle(queued, failure)
        if self._under_way is not None:
            # The pod's condition is a call of the same client.
            self._under_way.charge(self._time.free_ns)

    def _observe(self, attempt: Attempt) -> None:
        """Note which extension points have run."""
        profile, ran = attempt.profile.name, self._time.ran
        if attempt.pre_filter is not None:
            ran("PreFilter", attempt.pre_filter.status, profile)
        if attempt.verdicts is not None:
            ran("Filter", SUCCESS, profile)
        if attempt.totals is not None and attempt.profile.score:
            ran("PreScore", SUCCESS, profile)
            ran("Score", SUCCESS, profile)
