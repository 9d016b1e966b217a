"""The fast lane: pods whose nodes are known ahead, carried out one by one as their turns come.

To everybody else it is as if each had been tried in the ordinary way: the same node, the same
changes in the store in the same order, the same record and metrics. Where anything else has
happened in between, what was known ahead is withdrawn.
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
    from kubestage.scheduler.quick.look_ahead import LookAhead
    from kubestage.scheduler.record import Record
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.status import Status
    from kubestage.scheduler.timing import Timekeeper
    from kubestage.store.ledger import Ledger

_LEAST_AHEAD: Final = 8
_MOST_AHEAD: Final = 1024


@dataclasses.dataclass(slots=True)
class Lane:
    """Looks ahead, and carries out what was seen.

    `go_on` has a pod reserved, permitted and bound in the ordinary way; `refuse` hears of one
    that could not be bound.
    """

    cache: Cache
    queue: SchedulingQueue
    cycle: Cycle
    look_ahead: LookAhead
    binding: BindingCycle
    record: Record
    time: Timekeeper
    ledger: Ledger
    go_on: Callable[[Placement], None]
    refuse: Callable[[Placement, Status], None]
    ahead: int = _MOST_AHEAD
    manners: dict[str, Manner] = dataclasses.field(default_factory=dict)

    def run(self, at_most: int) -> int:
        """Try pods as long as nothing but them happens; how many were tried."""
        done = 0
        while done < at_most:
            if not self.cycle.is_plain or self.time.is_measuring or self._is_told_in_full:
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
    def _is_told_in_full(self) -> bool:
        """Whether the next attempt is; then it is an ordinary one."""
        return self.record.explains(self.time.attempts + 1)

    def _forecast(self) -> Forecast | None:
        """Look ahead: far if that has come true so far, and not at all if it cannot."""
        compiled = kernels.COMPILED.get(self.queue.active_count)
        if compiled is None:
            return None
        columns, cache = self.cache.columns, self.cache
        first = self.queue.ahead(1)
        if not first or not len(columns) or self.look_ahead.is_vain(columns, first[0].pod):
            return None
        pods = self.queue.ahead(self.ahead)
        cache.forecast = forecast = self.look_ahead.forecast(columns, pods, cache.assumed, compiled)
        if forecast is None:
            self._look_less_far()
        else:
            self.ahead = min(4 * self.ahead, _MOST_AHEAD)
        return forecast

    def _carry_out(self, forecast: Forecast, at_most: int) -> bool:
        """Carry out what is known, until something else happens; whether nothing has."""
        ledger, queue, time = self.ledger, self.queue, self.time
        kinds, turns, last = forecast.known.kinds.all, forecast.turns, forecast.at + at_most
        # Where things around have changed since the forecast, every turn is looked at again.
        expected, is_current = -1, True
        while forecast.at < len(turns) and forecast.at < last:
            revision, turn = ledger.revision, turns[forecast.at]
            if revision != expected:
                is_current = self.look_ahead.is_current(forecast)
                if not self._still_holds(forecast, is_current):
                    return False
            if self._is_told_in_full:
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
            is_alone = ledger.revision == revision + manner.is_default
            told = self._tell(forecast, turn, pod, number)
            expected = told if is_alone and is_current else -1
        return True

    def _settle(self, forecast: Forecast, turn: Turn) -> PodView:
        """The attempt whose turn it is has come true."""
        columns, cycle = forecast.columns, self.cycle
        cycle.next_start = (cycle.next_start + turn.evaluated) % len(columns.names)
        pod = msgspec.structs.replace(turn.queued.pod, node_name=columns.names[turn.row])
        kind = forecast.known.kinds.pod_kind(turn.number) if columns.has_tallies else None
        self.cache.assume_forecast(pod, turn.row, kind)
        forecast.at += 1
        return pod

    def _tell(self, forecast: Forecast, turn: Turn, pod: PodView, number: int) -> int:
        """Have everybody know of a bound pod; the store's version then, or -1 if more has come."""
        queued, profile, record = turn.queued, pod.scheduler_name, self.record
        before = after = self.ledger.revision
        if self.binding.writes_events:
            self.binding.announce(pod, queued.key, pod.node_name, profile)
            after = self.ledger.revision
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
        """Have an attempt carried out in the ordinary way from here on."""
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
        if self.cycle.is_plain and (is_current or self.look_ahead.still_holds(forecast)):
            return True
        return self._withdraw()

    def _withdraw(self) -> bool:
        self.cache.withdraw()
        self._look_less_far()
        return False

    def _look_less_far(self) -> None:
        self.ahead = max(self.ahead // 4, _LEAST_AHEAD)

    def _manner(self, profile: Profile) -> Manner:
        points = (profile.reserve, profile.permit, profile.pre_bind, profile.post_bind)
        is_default = [type(each) for each in profile.bind] == [DefaultBinder]
        made = Manner(all(map(learning.is_built_in, points)), is_default)
        self.manners[profile.name] = made
        return made


class Manner(NamedTuple):
    """Whether plugins leave plain pods alone once they have a node, and whether these are bound in
    the default way.
    """

    is_quiet: bool
    is_default: bool
