"""Records a living cluster: observes every change, and takes samples at intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from kubestage.objects import timestamps
from kubestage.results.life import (
    autoscalers,
    cost_summary,
    health_rows,
    measured,
    requests,
    summary,
)
from kubestage.results.life.autoscalers import NODE_ADDED, NODE_REMOVED, target_of
from kubestage.results.life.life import Life
from kubestage.results.life.node_lives import NodeLives
from kubestage.results.life.observer import LifeObserver
from kubestage.store.log import ADDED, Change
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.runner import Runner
    from kubestage.results.life.autoscalers import ScalingDecision
    from kubestage.results.life.requests import TrafficStart
    from kubestage.scheduler.measuring import Measuring
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.sim.environment import Environment
    from kubestage.store.store import Store
    from kubestage.traffic.traffics import Traffics


SAMPLES: Final = 600


class Host(Protocol):
    """The owner of traffic and scheduler; it may get them only later."""

    @property
    def scheduler(self) -> Scheduler | None:
        """What schedules pods; None as long as nothing does."""
        ...

    @property
    def controllers(self) -> Runner | None:
        """The controllers, whose decisions about nodes are recorded; None without any."""
        ...

    @property
    def traffic(self) -> Traffics | None:
        """What serves requests; None as long as nothing does."""
        ...


def resolution_ns(duration_ns: int) -> int:
    """How often to look at a run of this length: some 600 times, at whole seconds."""
    return -(-duration_ns // (SAMPLES * SECOND_NS)) * SECOND_NS


class LifeRecorder(LifeObserver):
    """Keeps the record of a living cluster.

    Numbers that add up over time (replica-hours, node-hours, cost) and what goes wrong (`health`)
    come from changes and are exact; series are what was seen at every `resolution_ns`, a nanosecond
    late, so that what happens at whole seconds has happened. Call `start` when the clock is to run,
    and `end` when it has.
    """

    def __init__(
        self,
        store: Store,
        environment: Environment,
        resolution_ns: int,
        host: Host | None = None,
    ) -> None:
        super().__init__(store, environment.clock)
        self.resolution_ns = resolution_ns
        self._host = host
        self.lives = NodeLives(self.costs, self.node_decisions, self._clock)
        self.traffic_starts: dict[str, TrafficStart] = {}
        self._alarm = environment.timer("LifeRecorder", self._observe)

    def start(self) -> None:
        """Take in what is there, and watch from now on."""
        self._begin_ns = self._clock.now_ns
        self.health.begin(self._begin_ns)
        for collection in self.store.collections():
            kind = collection.kind
            handler = self._handlers.get((kind.group, kind.kind))
            if handler is not None:
                is_event = handler == self._on_event
                for key in collection.keys(None):
                    obj = collection.objects[key]
                    # A large cluster has very many, and no other one matters that was there.
                    if is_event and not autoscalers.is_decision(obj):
                        continue
                    revision = int(obj["metadata"]["resourceVersion"])
                    handler(Change(revision, ADDED, kind, key, obj, None))
        self.nodes.began = True
        self.lives.begin(self._clock.now_ns)
        self.costs.begin()
        self.traffic_starts = requests.starts(self._load())
        self._sampler.begin(self.traffic_starts)
        self.store.subscribe(self.on_change)
        controllers = None if self._host is None else self._host.controllers
        if controllers is not None:
            controllers.node_decisions.observe(self.node_decisions.on_decision)
        self.store.observe_refused_evictions(self.health.on_refusal)
        self._sample()
        self._set_alarm()

    def mark(self, kind: str, subject: str, text: str) -> None:
        """Have the charts mark this moment; `kind` is one of `marks.KINDS`."""
        self.marks.add(self._clock.now_ns, kind, subject, text)

    def end(self, *, version: str, seed: int) -> Life:
        """All that there is to know; the clock has come to the end of the run."""
        self._alarm.set(None)
        now_ns = self._clock.now_ns
        if not self._has_looked:
            self._sampler.end(self._seconds(now_ns), self._load())
            if self.measuring is not None:
                self.measuring.step_ended(0, now_ns)
        self.workloads.reach(now_ns)
        self.nodes.reach(now_ns)
        self.costs.reach()
        self.allocation.reach(now_ns)
        load = self._load()
        targets = {key: target_of(each, "target") for key, each in self._traffics.items()}
        if load is not None:
            span_ns = (self._begin_ns, now_ns)
            requests.record_rows(load.records(), targets, self.rows, span_ns, self.traffic_starts)
        for each in self.autoscalers.decisions:
            self.rows.add(
                "decisions",
                self._seconds(each.at_ns),
                *(each.sort, each.by, each.subject, each.before, each.after, self._reason(each)),
            )
        if self.lives.is_moving:
            self.lives.write(self.rows)
        start_ns = self._clock.unix_ns - (now_ns - self._begin_ns)
        self.node_decisions.write(self.rows, start_ns)
        summarized = summary.of(self, load, (now_ns - self._begin_ns) / SECOND_NS)
        self._write_health(summarized["health"], start_ns)
        for row in cost_summary.spending(summarized):
            self.rows.add("spending", *row)
        if self.measuring is not None:
            summarized["measures"] = measured.write(self.measuring, self.rows, self._begin_ns)
        return Life(
            version,
            seed,
            timestamps.format_time(start_ns),
            (now_ns - self._begin_ns) / SECOND_NS,
            self.resolution_ns / SECOND_NS,
            summarized,
            self.rows.tables(),
        )

    def _on_node(self, change: Change) -> None:
        # Prices are known to the costs first.
        super()._on_node(change)
        self.lives.on_node(change, self._clock.now_ns)

    def _reason(self, decision: ScalingDecision) -> str:
        """Why something was decided; of nodes, their lives say it."""
        if decision.reason or decision.sort not in (NODE_ADDED, NODE_REMOVED):
            return decision.reason
        node, is_removed = decision.subject.removeprefix("node/"), decision.sort == NODE_REMOVED
        return self.lives.reason(node, removed=is_removed, at_ns=decision.at_ns)

    def _write_health(self, health: Json, start_ns: int) -> None:
        """Add the rows of what went wrong, of marks, and of Events."""
        for row in health_rows.of(health):
            self.rows.add("health", *row)
        self.health.mark_evictions()
        for mark in self.marks.rows(self._begin_ns, self.node_decisions.marks(), start_ns):
            self.rows.add("marks", *mark)
        self.events.write(self.rows, self._begin_ns)

    def _load(self) -> Traffics | None:
        return None if self._host is None else self._host.traffic

    def _observe(self) -> None:
        self._set_alarm()
        self._sample()

    def _set_alarm(self) -> None:
        passed_ns = self._clock.now_ns - self._begin_ns
        following = (passed_ns // self.resolution_ns + 1) * self.resolution_ns
        self._alarm.set(self._begin_ns + following + 1)

    @property
    def _has_looked(self) -> bool:
        """Whether this very moment was looked at."""
        last = self.rows.last("cluster")
        return last is not None and last[0] == self._seconds(self._clock.now_ns)

    def _sample(self) -> None:
        now_ns = self._clock.now_ns
        self._sampler.sample(self._seconds(now_ns), self._load())
        if self.measuring is not None:
            self.measuring.step_ended(0, now_ns)

    @property
    def measuring(self) -> Measuring | None:
        """The measures of the scheduler; None without any."""
        scheduler = None if self._host is None else self._host.scheduler
        if scheduler is None or not scheduler.measuring.is_used:
            return None
        return scheduler.measuring
