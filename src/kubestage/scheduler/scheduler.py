"""The scheduler: one queue, one cache, many profiles, at work on a store."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from kubestage.scheduler import config, delayed_queue, extender, paced_time, profiles
from kubestage.scheduler.attempts import Attempts
from kubestage.scheduler.binding_cycle import BindingCycle
from kubestage.scheduler.bindings import BindingCalls, Bindings
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.client import StoreClient
from kubestage.scheduler.contract import classes
from kubestage.scheduler.cycle import Cycle
from kubestage.scheduler.driver import Driver
from kubestage.scheduler.due_times import earlier
from kubestage.scheduler.event_handlers import EventHandlers
from kubestage.scheduler.failure_handler import FailureHandler, Unschedulable
from kubestage.scheduler.gauges import Gauges
from kubestage.scheduler.handle import ClusterContext, Handle
from kubestage.scheduler.measuring import Measuring
from kubestage.scheduler.metrics import SchedulerMetrics
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.paced_time import Timing
from kubestage.scheduler.queue import SchedulingQueue
from kubestage.scheduler.queue.nominations import Nominations
from kubestage.scheduler.quick.backdrop import Backdrop
from kubestage.scheduler.quick.forecaster import Forecaster
from kubestage.scheduler.quick.lane import Lane
from kubestage.scheduler.record import Record, Recording
from kubestage.scheduler.selection import TieBreak
from kubestage.scheduler.waiting_pods import WaitingPods

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.extender import Transport
    from kubestage.scheduler.pacing import SchedulerPacing
    from kubestage.scheduler.timings import Timings
    from kubestage.sim.environment import Environment
    from kubestage.sim.streams import Streams
    from kubestage.store.store import Store

__all__ = ["Scheduler"]


class Scheduler:
    """Schedules the pods of a store whose ``schedulerName`` is one of its profiles.

    With an environment it works as virtual time passes: an attempt takes no time, and what waits
    (backoff, flushes, permits) waits on the clock. Without one, call `run_until_idle` whenever
    there may be something to do. It pickles together with its store.

    - `plugins`: your own plugin classes by name.
    - `transport`: how extenders are called.
    - `stopwatch`: measures durations; without one they are zero, as on the virtual clock.
    - `pacing`: attempts take virtual time, and metrics report it.
    - `model`: metrics report how long attempts would have taken; no time passes.
    - `keeps_timings`: store the durations of a pacing, as those of a stopwatch or a model are.
    - `unschedulable`: a pod that fits nowhere is tried again (``retry``), or fails (``leave``).
    - `measures`: your own measures, functions or classes; `measuring` has their values.
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
        unschedulable: Unschedulable | str = Unschedulable.RETRY,
        measures: Sequence[Any] = (),
    ) -> None:
        assert environment is None or environment.clock is store.clock, "there is but one clock"
        points = classes.points_of_all(own := plugins or {})
        if configuration is None:
            configuration = config.default()
        self._completed = config.complete(configuration, points)
        self.configuration = self._completed.configuration
        self.clock = store.clock
        self.record = Record(Recording(recording))
        self.measuring = Measuring(measures, self.record)
        self.metrics = SchedulerMetrics()
        self._store, self._environment, self._streams = store, environment, streams
        self.user_plugins = own
        self.tie_break, self.unschedulable = TieBreak(tie_break), Unschedulable(unschedulable)
        self.transport, self._has_events = transport, events
        self.timing = Timing(stopwatch, pacing, model, keeps_timings)
        self.timing.check(environment)
        self._context = ClusterContext()
        # Whether what is written at this moment is written by the scheduler or its plugins.
        self.is_at_work = False
        self._set_up()

    def start_over(self) -> None:
        """Start again as a new scheduler would: it forgets everything that it did before.

        Its random streams continue. Metrics add up, as those of a process.
        """
        self.retire(self._store)
        self._time.settle()
        self.record.begin_anew()
        self._set_up()

    def _set_up(self) -> None:
        """Create everything that has state, and read what is in the store."""
        store, environment, streams = self._store, self._environment, self._streams
        self.cache = Cache()
        self.waiting = WaitingPods()
        self._client = StoreClient(store, events=self._has_events)
        self._nominator = Nominator()
        self._extenders = extender.of_configuration(self.configuration, self.transport)
        self._time = paced_time.timekeeper(self.metrics, self.clock, self.timing, streams)
        self._make_profiles(streams, self.user_plugins)
        self._cycle = Cycle(
            self._nominator,
            streams.stream("scheduler/ties"),
            self.configuration.percentage_of_nodes_to_score,
            self.tie_break,
            self._extenders,
        )
        self._make_bindings(streams)
        backdrop = Backdrop(store)
        self._attempts = Attempts(
            self.profiles,
            self.cache,
            self.queue,
            self._client,
            self._cycle,
            self._binding,
            self._bindings,
            self.record,
            self._time,
            backdrop,
        )
        self._lane = Lane(
            self.cache,
            self.queue,
            self._cycle,
            Forecaster(self._cycle, self.profiles, backdrop),
            self._binding,
            self.record,
            self._time,
            store,
            self._bindings.carry_out,
            self._bindings.refuse,
        )
        self._driver = None
        if environment is not None:
            self._driver = Driver(self, environment)
            self._bindings.set_timer = self._driver.set_timer
        pacing = self.timing.active_pacing
        arrivals = delayed_queue.arrivals(self.queue, pacing, streams, environment)
        self._handlers = EventHandlers(
            self.profiles, self.cache, arrivals, self.waiting, self._time
        )
        self._handlers.start(store)

    def _make_bindings(self, streams: Streams) -> None:
        calls, pacing = None, self.timing.active_pacing
        if pacing is not None:
            calls = BindingCalls(pacing, streams.stream("scheduler/bindings"))
        self._binding = BindingCycle(
            self.cache, self.queue, self._client, self.waiting, self._extenders, self._time
        )
        failures = FailureHandler(self.queue, self._client, self.clock, self.unschedulable)
        self._bindings = Bindings(
            self._binding, self.queue, self.waiting, failures, self.record, self._time, calls
        )

    def schedule_one(self) -> Attempt | None:
        """Try the pod that is next in turn; None if there is none to be tried now."""
        self.catch_up()
        queued = self._attempts.next_pod()
        return None if queued is None else self._attempts.schedule(queued)

    def schedule_next(self) -> bool:
        """Try the next pod, faster where possible; whether there was one."""
        return bool(self._schedule_some(1))

    def run_until_idle(self, at_most: int | None = None) -> int:
        """Try pods until none is left, or `at_most`, while no time passes; how many attempts."""
        left = sys.maxsize if at_most is None else at_most
        before = self._time.attempts
        while left > 0 and (tried := self._schedule_some(left)):
            left -= tried
        return self._time.attempts - before

    def activate(self, pods: Iterable[PodView]) -> None:
        """Try pods again as soon as possible, whichever plugin rejected them."""
        self.queue.activate(pods)

    def catch_up(self) -> None:
        """Handle what has become due since the last call."""
        before, self.is_at_work = self.is_at_work, True
        try:
            self._catch_up()
        finally:
            self.is_at_work = before

    def _catch_up(self) -> None:
        self.queue.flush()
        self._bindings.catch_up()

    @property
    def due_ns(self) -> int | None:
        """When something is next due without any event."""
        return earlier(self.queue.due_ns, self._bindings.due_ns)

    @property
    def binding_due_ns(self) -> int | None:
        """When a pod that has a node and waits to be bound is next due."""
        return self._bindings.due_ns

    @property
    def timings(self) -> Timings | None:
        """All durations, if they are measured or modelled."""
        return self._time.timings

    @property
    def free_ns(self) -> int:
        """When the next attempt can start."""
        return self._time.free_ns

    def stop(self) -> None:
        """Do not schedule as time passes; `schedule_one` still works when it is called."""
        if self._driver is not None:
            self._driver.stop()

    def go_on(self) -> None:
        """Schedule as time passes again."""
        if self._driver is not None:
            self._driver.go_on()

    def retire(self, store: Store) -> None:
        """Stop for good: another scheduler takes over this store."""
        self.stop()
        self._handlers.stop(store)

    def wait_for_volumes(self) -> None:
        """Bind pods only when their volumes are bound: a controller on the stage does that."""
        self._context.binds_volumes = True

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
            context=self._context,
        )
        watch, completed = self._time.watch, self._completed
        self.profiles = profiles.build(self.configuration, handle, own, watch, completed)
        self.queue = SchedulingQueue(
            self.profiles,
            Nominations(self._nominator, self._client),
            self._time,
            initial_backoff_seconds=self.configuration.pod_initial_backoff_seconds,
            max_backoff_seconds=self.configuration.pod_max_backoff_seconds,
        )
        self.measuring.begin(handle, self.queue, self.profiles.values())
        self._has_no_lane = all(each.is_own for each in self.profiles.values())
        self._time.know(self.profiles)
        self.metrics.know(self.profiles)
        gauges = Gauges(self.cache, self.queue, self.profiles)
        self.metrics.inspect, self.metrics.settle = gauges.put, self._time.settle

    def _schedule_some(self, at_most: int) -> int:
        """Try the next pods in the fastest way; how many were tried."""
        self.is_at_work = True
        try:
            return self._try_some(at_most)
        finally:
            self.is_at_work = False

    def _try_some(self, at_most: int) -> int:
        self._catch_up()
        # A measure sees what was decided, not forecasts. Between attempts, waiting pods are bound.
        if self.measuring.is_by_decision or self._has_no_lane:
            return self._attempts.try_next()
        tried = self._lane.run(1 if self._bindings.are_waiting else at_most)
        return tried or self._attempts.try_next()
