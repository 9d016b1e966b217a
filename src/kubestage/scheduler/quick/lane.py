"""The fast lane: nodes are forecast for many pods at once, which are then bound one by one.

The result is the same as if each pod had been tried in the ordinary way: the same node, the same
changes in the store in the same order, the same record and metrics. If anything else happens in
between, the forecast is withdrawn.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.scheduler.binding_cycle import Placement
from kubestage.scheduler.metrics import SCHEDULED
from kubestage.scheduler.plugins.default_binder import DefaultBinder
from kubestage.scheduler.quick import kernels, learning
from kubestage.scheduler.quick.attempt import QuickAttempt
from kubestage.scheduler.record import Recording, make_decision
from kubestage.scheduler.status import SUCCESS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.binding_cycle import BindingCycle
    from kubestage.scheduler.cache import Cache
    from kubestage.scheduler.cycle import Cycle
    from kubestage.scheduler.queue import SchedulingQueue
    from kubestage.scheduler.quick.forecast import Forecast, Turn
    from kubestage.scheduler.quick.forecaster import Forecaster
    from kubestage.scheduler.record import Record
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.status import Status
    from kubestage.scheduler.timing import Timekeeper
    from kubestage.store.store import Store

_LEAST_AHEAD: Final = 8
_MOST_AHEAD: Final = 1024


@dataclasses.dataclass(slots=True)
class Lane:
    """Makes forecasts and carries them out.

    `go_on` reserves, permits and binds a pod in the ordinary way; `refuse` is called for one that
    could not be bound. `ahead` is how many pods the next forecast covers.
    """

    cache: Cache
    queue: SchedulingQueue
    cycle: Cycle
    forecaster: Forecaster
    binding: BindingCycle
    record: Record
    time: Timekeeper
    store: Store
    go_on: Callable[[Placement], None]
    refuse: Callable[[Placement, Status], None]
    ahead: int = _MOST_AHEAD
    manners: dict[str, Manner] = dataclasses.field(default_factory=dict)

    def run(self, at_most: int) -> int:
        """Try pods as long as nothing else happens; how many were tried."""
        done, forecast = 0, self.cache.forecast
        if not self.queue.active_count and (forecast is None or forecast.is_over):
            # NOTE: pods that pause are tried early, each of them (benchmarks/karpenter_day.py).
            return 0
        while done < at_most:
            if not self.cycle.is_plain or self.time.is_measuring or self._is_explained:
                break
            forecast = self.cache.forecast
            if forecast is None or forecast.is_over:
                forecast = self._forecast()
                if forecast is None:
                    break
            before = forecast.at
            goes_on = self._carry_out(forecast, at_most - done)
            done += forecast.at - before
            if not goes_on:
                break
        return done

    @property
    def _is_explained(self) -> bool:
        """Whether the next attempt is to be explained; then it is an ordinary one."""
        return self.record.explains(self.time.attempts + 1)

    def _forecast(self) -> Forecast | None:
        """Make a forecast for the next pods; None if the first of them cannot be forecast.

        It covers more pods while forecasts hold, and fewer after one was withdrawn.
        """
        first = self.queue.ahead(1)
        if not first or self.forecaster.is_own(first[0].pod):
            return None
        compiled = kernels.COMPILED.get(self.queue.active_count)
        if compiled is None:
            return None
        columns, cache = self.cache.columns, self.cache
        if not len(columns) or self.forecaster.is_hopeless(columns, first[0].pod):
            return None
        pods = self.queue.ahead(self.ahead)
        cache.forecast = forecast = self.forecaster.forecast(columns, pods, cache.assumed, compiled)
        if forecast is None:
            self._shorten_forecasts()
        else:
            self.ahead = min(4 * self.ahead, _MOST_AHEAD)
        return forecast

    def _carry_out(self, forecast: Forecast, at_most: int) -> bool:
        """Carry a forecast out until something else happens; whether it may go on."""
        store, queue, time = self.store, self.queue, self.time
        kinds, turns, last = forecast.known.kinds.all, forecast.turns, forecast.at + at_most
        # If objects around have changed since the forecast, every turn is checked again.
        expected, is_current = -1, True
        while forecast.at < len(turns) and forecast.at < last:
            revision, turn = store.revision, turns[forecast.at]
            if revision != expected:
                is_current = self.forecaster.is_current(forecast)
                if not self._still_holds(forecast, is_current):
                    return False
            if self._is_explained:
                return False
            if not queue.pop_next(turn.queued):
                return self._withdraw()
            kind = kinds[turn.number]
            profile = kind.profile
            manner = self.manners.get(profile.name) or self._manner(profile)
            pod = self._settle(forecast, turn)
            if time.is_paced or not manner.is_quiet:
                self._hand_over(forecast, turn, pod)
                return False
            number = time.attempts = time.attempts + 1
            counts = time.placed(profile.name, turn.feasible > 1)
            state = kind.plan.state if manner.is_default else kind.plan.state.shared()
            status = self.binding.bind_by_plugin(profile, state, pod, pod.node_name)
            if status is not SUCCESS:
                self.refuse(self._placement(forecast, turn, pod, number), status)
                return False
            counts[-1] += 1
            # A pod that is bound in the default way is one change in the store.
            bound = store.revision
            announced = self._announce(forecast, turn, pod, number, bound)
            is_alone = bound == revision + manner.is_default
            expected = announced if is_alone and is_current else -1
        return True

    def _settle(self, forecast: Forecast, turn: Turn) -> PodView:
        """Take the next turn: the pod is on its node from now on."""
        columns, cycle = forecast.columns, self.cycle
        cycle.next_start = (cycle.next_start + turn.evaluated) % len(columns.names)
        pod = msgspec.structs.replace(turn.queued.pod, node_name=columns.names[turn.row])
        kind = forecast.known.kinds.pod_kind(turn.number) if columns.has_counters else None
        self.cache.assume_forecast(pod, turn.row, kind)
        forecast.at += 1
        return pod

    def _announce(
        self, forecast: Forecast, turn: Turn, pod: PodView, number: int, before: int
    ) -> int:
        """Announce a pod that was bound at the store's revision `before`.

        Returns the revision then, or -1 if more has changed.
        """
        queued, profile, record = turn.queued, pod.scheduler_name, self.record
        after = before
        if self.binding.writes_events:
            self.binding.announce(pod, queued.key, pod.node_name, profile)
            after = self.store.revision
        self.time.bound(queued)
        if record.listens:
            attempt = self._placement(forecast, turn, pod, number).attempt
            record.add(number, self.time.clock.now_ns, attempt, SCHEDULED, pod.node_name)
        elif record.level is not Recording.NONE:
            row = (
                number, self.time.clock.now_ns, queued.key, profile, SCHEDULED, pod.node_name,
                turn.evaluated, turn.feasible, "",
            )  # fmt: skip
            record.decisions.append(make_decision(row))
        # The Event is one change, or none in a namespace that ends.
        return after if after <= before + 1 else -1

    def _hand_over(self, forecast: Forecast, turn: Turn, pod: PodView) -> None:
        """Carry an attempt out in the ordinary way from here on."""
        name, time = forecast.known.kinds.all[turn.number].profile.name, self.time
        self.queue.in_flight.begin(pod.uid)
        started_ns = time.begin()
        time.ran_to_the_end(name, is_scored=turn.feasible > 1)
        time.decided(started_ns, turn.evaluated, name)
        self.go_on(self._placement(forecast, turn, pod, time.attempts))

    def _placement(self, forecast: Forecast, turn: Turn, pod: PodView, number: int) -> Placement:
        kind = forecast.known.kinds.all[turn.number]
        found = turn.row, turn.evaluated, turn.feasible
        attempt = QuickAttempt(
            turn.queued.pod, kind.profile, forecast.columns, kind.plan.state.shared(), found
        )
        started_ns = self.time.read_ns()
        return Placement(number, turn.queued, attempt, pod, pod.node_name, started_ns)

    def _still_holds(self, forecast: Forecast, is_current: bool) -> bool:
        if self.cycle.is_plain and (is_current or self.forecaster.still_holds(forecast)):
            return True
        return self._withdraw()

    def _withdraw(self) -> bool:
        self.cache.withdraw()
        self._shorten_forecasts()
        return False

    def _shorten_forecasts(self) -> None:
        self.ahead = max(self.ahead // 4, _LEAST_AHEAD)

    def _manner(self, profile: Profile) -> Manner:
        points = (profile.reserve, profile.permit, profile.pre_bind, profile.post_bind)
        is_default = [type(each) for each in profile.bind] == [DefaultBinder]
        manner = Manner(all(map(learning.is_built_in, points)), is_default)
        self.manners[profile.name] = manner
        return manner


class Manner(NamedTuple):
    """Whether no plugin acts on plain pods after a node is chosen, and whether these are bound in
    the default way.
    """

    is_quiet: bool
    is_default: bool
