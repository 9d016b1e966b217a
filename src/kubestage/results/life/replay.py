"""The record of a served cluster, from the history of its changes: live, and in bounded memory."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, cast

import kubestage
from kubestage.golang import times
from kubestage.results.life import autoscalers, cost_summary, thinning
from kubestage.results.life.autoscalers import ScalingDecision
from kubestage.results.life.life import Life
from kubestage.results.life.observer import LifeObserver
from kubestage.results.life.replayed_store import ReplayedClock, ReplayedStore
from kubestage.store.log import ADDED, DELETED, Change
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import KindTable
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.results.life.marks import Mark
    from kubestage.results.life.node_decisions import NodeDecisionRecord
    from kubestage.results.life.workloads import WorkloadName
    from kubestage.sim.clock import Clock
    from kubestage.store.store import Store

WORKLOADS: Final = 60
"""Of so many workloads there are replicas over time, besides those that something is about."""

MOST_MOMENTS: Final = 1_000
"""So many samples are kept; when there are more, each stands for a stretch twice as long."""

MOST_DECISIONS: Final = 2_000
"""So many decisions and marks are kept; of the older half, every second one is removed."""

_FIRST_RESOLUTION_NS: Final = 100 * MILLISECOND_NS
_GRAIN: Final = 16
# What observers keep of objects that are gone is removed after so many changes.
_TIDY_EVERY: Final = 20_000
_GROUP: Final = "NodeGroup"


class LifeReplay(LifeObserver):
    """Follows a history at its own pace: a cluster works as fast as if nothing were recorded.

    `steps` takes in what has happened since. A sample is taken at the end of each stretch of
    `resolution_ns` in which something changed; its pods without a node are the most of the stretch.
    What was `decided` about nodes is marked, too, where that is known.
    """

    def __init__(
        self,
        history: ClusterHistory,
        kinds: KindTable,
        decided: NodeDecisionRecord | None = None,
    ) -> None:
        self.history = history
        self.decided = decided
        self.resolution_ns = _FIRST_RESOLUTION_NS
        self._replayed = ReplayedStore(kinds, ReplayedClock(history.begin_ns))
        # It has all of a Store that observers read.
        store, clock = cast("Store", self._replayed), cast("Clock", self._replayed.clock)
        super().__init__(store, clock, WORKLOADS)
        self.health.begin(history.begin_ns)
        self.next = 0
        """The number of the change that comes next."""
        self._cell_end_ns = 0
        self._is_changed = False
        self._most_pending = self._pending_before = 0
        self._moments: list[float] = []
        # A state that is being taken in; it goes on where it was interrupted.
        self._loading: Iterator[None] | None = self._begin()

    @property
    def begin_ns(self) -> int:
        """Where the record begins, in Unix nanoseconds."""
        return self._begin_ns

    @property
    def is_lost(self) -> bool:
        """Whether it cannot go on: changes were taken back, or the calendar was set back."""
        return self.next > self.history.end or self.history.begin_ns < self._begin_ns

    @property
    def behind(self) -> int:
        """How many changes have yet to be taken in."""
        return self.history.end - self.next

    def steps(self) -> Iterator[None]:
        """Take in what has happened, a few changes at a time."""
        while True:
            # The history goes on, and may forget, between two steps.
            if self._loading is None and self.next < self.history.forgotten:
                # It was away for too long: what happened meanwhile is not known any more.
                self._loading = self._take_state()
            if self._loading is not None:
                for _ in self._loading:
                    yield
                self._loading = None
                continue
            if self.behind <= 0:
                return
            for at_ns, change in self._some():
                self._take(at_ns, change)
            yield

    def _some(self) -> list[tuple[int, Change]]:
        at = self.next - self.history.forgotten
        times, changes = self.history.times, self.history.changes
        return list(zip(times[at : at + _GRAIN], changes[at : at + _GRAIN], strict=True))

    def life(self, now_ns: int) -> Life:
        """The record until now (Unix nanoseconds), of all that was taken in."""
        self._finish_cell(now_ns)
        self._replayed.clock.now_ns = max(now_ns, self._replayed.clock.now_ns)
        self.health.mark_evictions()
        lengths = self.rows.lengths()
        at = self._seconds(now_ns)
        if not self._moments or self._moments[-1] < at:
            self._sampler.sample(at, None)
        for each in self.autoscalers.decisions:
            self.rows.add(
                "decisions",
                self._seconds(each.at_ns),
                *(each.sort, each.by, each.subject, each.before, each.after, each.reason),
            )
        for row in self.marks.rows(self._begin_ns, self._decided(now_ns), self._begin_ns):
            self.rows.add("marks", *row)
        tables = self.rows.tables()
        self.rows.shorten(lengths)
        seconds = (now_ns - self._begin_ns) / SECOND_NS
        start = times.rfc3339_nano(self._begin_ns)
        resolution = self.resolution_ns / SECOND_NS
        summary = self._summary(seconds)
        return Life(kubestage.__version__, 0, start, seconds, resolution, summary, tables)

    def _decided(self, now_ns: int) -> Iterator[Mark]:
        """The marks about nodes, from the beginning until now."""
        if self.decided is not None:
            for each in self.decided.marks():
                if self._begin_ns <= each.at_ns <= now_ns:
                    yield each

    def targets(self) -> dict[str, WorkloadName]:
        """The workload that each Traffic is for."""
        return {key: autoscalers.target_of(each, "target") for key, each in self._traffics.items()}

    def _summary(self, seconds: float) -> Json:
        self.costs.reach()
        return {
            "health": self.health.in_short(),
            "traffic": [],
            **cost_summary.of(self.costs, seconds),
        }

    def _begin(self) -> Iterator[None]:
        yield from self._take_state()
        self.nodes.began = True
        self.costs.begin()
        self._pending_before = self.workloads.pending
        self._sample(self._begin_ns, self._pending_before)

    def _take_state(self) -> Iterator[None]:
        """Take in the state that the history begins with; what is not there any more is gone."""
        history = self.history
        self._finish_cell(history.begin_ns)
        self._replayed.clock.now_ns = history.begin_ns
        found, self.next = history.objects_at(history.begin_ns - 1), history.forgotten
        for place in dict.fromkeys([*found, *self._replayed.places()]):
            objects = found.get(place, {})
            before = dict(self._replayed.objects_of(place))
            self._replayed.fill(place, objects)
            for key, obj in objects.items():
                old = before.pop(key, None)
                if old is not obj:
                    self._observe(ADDED, key, obj, old)
                    yield
            for key, obj in before.items():
                self._observe(DELETED, key, obj, obj)
                yield
        self._is_changed = True

    def _observe(self, sort: str, key: str, obj: Json, old: Json | None) -> None:
        kind = self._replayed.kinds.get(obj["apiVersion"], obj["kind"])
        if kind is None or ((kind.group, kind.kind) == ("", "Event") and old is None):
            # Of Events that were there, none matters.
            return
        self.on_change(Change(int(obj["metadata"]["resourceVersion"]), sort, kind, key, obj, old))

    def _take(self, at_ns: int, change: Change) -> None:
        self._finish_cell(at_ns)
        self._replayed.clock.now_ns = at_ns
        self._replayed.apply(change)
        self.on_change(change)
        self.next += 1
        # What only becomes less has been seen already.
        if self.workloads.pending > max(self._most_pending, self._pending_before):
            self._most_pending = self.workloads.pending
        self._is_changed = True
        if self.next % _TIDY_EVERY == 0:
            self._tidy()

    def _finish_cell(self, at_ns: int) -> None:
        """Sample the stretch that ends before a moment, if anything changed in it."""
        if at_ns <= self._cell_end_ns:
            return
        if self._is_changed:
            self.health.mark_evictions()
            self._sample(self._cell_end_ns, max(self._most_pending, self.workloads.pending))
            following_ns = self._cell_end_ns + self.resolution_ns
            if self._most_pending > self.workloads.pending and following_ns < at_ns:
                # The most of the stretch is no more: that is seen one stretch later.
                self._sample(following_ns, self.workloads.pending)
            self._pending_before, self._most_pending = self.workloads.pending, 0
        passed_ns = at_ns - self._begin_ns
        self._cell_end_ns = self._begin_ns - (-passed_ns // self.resolution_ns) * self.resolution_ns

    def _sample(self, at_ns: int, pending: int) -> None:
        at = self._seconds(at_ns)
        self._sampler.sample(at, None)
        self.rows.replace_last("cluster", pending=pending)
        self._moments.append(at)
        self._is_changed = False
        while len(self._moments) > MOST_MOMENTS:
            self._thin()

    def _thin(self) -> None:
        self.resolution_ns *= 2
        kept = thinning.kept_moments(self._moments, self.resolution_ns / SECOND_NS)
        for table in thinning.SAMPLED:
            self.rows.change(table, functools.partial(thinning.thinned, table, kept))
        self._moments = [moment for moment in self._moments if kept[moment] == moment]

    def _tidy(self) -> None:
        """Have nothing grow without end."""
        thinning.every_second(self.autoscalers.decisions, MOST_DECISIONS)
        thinning.every_second(self.marks.all, MOST_DECISIONS)
        self.workloads.forget_gone()
        self.health.forget(MOST_DECISIONS)
        self.events.forget()
        self.rows.change("metrics", lambda rows: rows[-MOST_MOMENTS * WORKLOADS :])

    def _on_event(self, change: Change) -> None:
        super()._on_event(change)
        about: Json = change.new.get("involvedObject") or {}
        if about.get("kind") == _GROUP and change.type != DELETED and self.nodes.began:
            self.autoscalers.decisions.append(_group_decision(self._clock.now_ns, change.new))


def _group_decision(at_ns: int, event: Json) -> ScalingDecision:
    """What the node autoscaler reports of a group."""
    group: Any = event["involvedObject"]["name"]
    reason, message = str(event.get("reason") or ""), str(event.get("message") or "")
    return ScalingDecision(at_ns, reason, group, f"nodegroup/{group}", reason=message)
