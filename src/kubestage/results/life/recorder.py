"""Records a living cluster: observes every change, and takes samples at intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from kubestage.objects import timestamps
from kubestage.results.life import autoscalers, health_rows, requests, summary, windows, workloads
from kubestage.results.life.autoscalers import (
    NODE_ADDED,
    NODE_REMOVED,
    Autoscalers,
    ScalingDecision,
    target_of,
)
from kubestage.results.life.costs import CostMeter
from kubestage.results.life.event_log import EventLog
from kubestage.results.life.health import KEEPERS, Health
from kubestage.results.life.life import Life
from kubestage.results.life.marks import Marks
from kubestage.results.life.node_groups import NodeGroups
from kubestage.results.life.sampler import Sampler
from kubestage.results.life.tables import LifeRows
from kubestage.results.life.workloads import Workloads
from kubestage.store.log import ADDED, DELETED, Change
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.requests import TrafficStart
    from kubestage.sim.environment import Environment
    from kubestage.store.store import Store
    from kubestage.traffic.traffics import Traffics


SAMPLES: Final = 600


class Host(Protocol):
    """The owner of the traffic; it may get some only later."""

    @property
    def traffic(self) -> Traffics | None:
        """What serves requests; None as long as nothing does."""
        ...


def resolution_ns(duration_ns: int) -> int:
    """How often to look at a run of this length: some 600 times, at whole seconds."""
    return -(-duration_ns // (SAMPLES * SECOND_NS)) * SECOND_NS


class LifeRecorder:
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
        self.workloads = Workloads(store)
        self.nodes = NodeGroups(environment.clock)
        self.costs = CostMeter(store, self.workloads)
        self.autoscalers = Autoscalers(environment.clock, self.workloads)
        self.marks = Marks()
        self.health = Health(store, self.workloads, self.marks)
        self.events = EventLog(self.workloads)
        self.rows = LifeRows()
        self.resolution_ns = resolution_ns
        self.store = store
        self._clock = environment.clock
        self._host = host
        self._begin_ns = self._clock.now_ns
        self._traffics: dict[str, Json] = {}
        self.traffic_starts: dict[str, TrafficStart] = {}
        known = (self.workloads, self.nodes, self.autoscalers, self.costs)
        self._sampler = Sampler(store, known, self.health, self._traffics, self.rows)
        self._alarm = environment.timer("LifeRecorder", self._observe)
        self._handlers = {
            ("", "Pod"): self._on_pod,
            ("", "Node"): self._on_node,
            ("", "Event"): self._on_event,
            ("batch", "Job"): self._on_job,
            ("", "ReplicationController"): self._on_workload,
            **{("apps", kind): self._on_workload for kind in KEEPERS},
            ("autoscaling", "HorizontalPodAutoscaler"): self._on_hpa,
            ("autoscaling.k8s.io", "VerticalPodAutoscaler"): self.autoscalers.on_vpa,
            ("kubestage.dev", "NodeGroup"): self._on_group,
            ("kubestage.dev", "PriceCatalog"): self.costs.on_catalog,
            ("kubestage.dev", "Traffic"): self._on_traffic,
        }

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
                    if is_event and not autoscalers.tells(obj):
                        continue
                    revision = int(obj["metadata"]["resourceVersion"])
                    handler(Change(revision, ADDED, kind, key, obj, None))
        self.nodes.began = True
        self.costs.begin()
        self.traffic_starts = requests.starts(self._load())
        self._sampler.begin(self.traffic_starts)
        self.store.subscribe(self.on_change)
        self.store.observe_refused_evictions(self.health.on_refusal)
        self._sample()
        self._set_alarm()

    def on_change(self, change: Change) -> None:
        """Record one change."""
        kind = change.kind
        handler = self._handlers.get((kind.group, kind.kind))
        if handler is not None:
            handler(change)
        else:
            self._on_replicas(change)
            self.health.on_other(change)

    def mark(self, kind: str, subject: str, text: str) -> None:
        """Have the charts mark this moment; `kind` is one of `marks.KINDS`."""
        self.marks.add(self._clock.now_ns, kind, subject, text)

    def end(self, *, version: str, seed: int) -> Life:
        """All that there is to know; the clock has come to the end of the run."""
        self._alarm.set(None)
        now_ns = self._clock.now_ns
        if not self._has_looked:
            self._sampler.end(self._seconds(now_ns), self._load())
        self.workloads.reach(now_ns)
        self.nodes.reach(now_ns)
        self.costs.reach()
        load = self._load()
        targets = {key: target_of(each, "target") for key, each in self._traffics.items()}
        if load is not None:
            span_ns = (self._begin_ns, now_ns)
            requests.record_rows(load.records(), targets, self.rows, span_ns, self.traffic_starts)
        for each in self.autoscalers.decisions:
            self.rows.add(
                "decisions",
                self._seconds(each.at_ns),
                *(each.sort, each.by, each.subject, each.before, each.after, each.reason),
            )
        start_ns = self._clock.unix_ns - (now_ns - self._begin_ns)
        summarized = summary.of(self, load, (now_ns - self._begin_ns) / SECOND_NS)
        self._write_health(summarized["health"])
        return Life(
            version,
            seed,
            timestamps.format_time(start_ns),
            (now_ns - self._begin_ns) / SECOND_NS,
            self.resolution_ns / SECOND_NS,
            summarized,
            self.rows.tables(),
        )

    def _write_health(self, health: Json) -> None:
        """Add the rows of what went wrong, of marks, and of Events."""
        for row in health_rows.of(health):
            self.rows.add("health", *row)
        self.health.mark_evictions()
        for mark in self.marks.in_order():
            self.rows.add("marks", self._seconds(mark.at_ns), *mark[1:])
        self.events.write(self.rows, self._begin_ns)

    def _on_pod(self, change: Change) -> None:
        self.health.on_pod(change, self.workloads.on_pod(change))
        self.costs.on_pod(change)

    def _on_workload(self, change: Change) -> None:
        self._on_replicas(change)
        self.health.on_workload(change)

    def _on_job(self, change: Change) -> None:
        self._on_replicas(change)
        self.health.on_job(change)

    def _on_replicas(self, change: Change) -> None:
        if change.old is not None and change.type != DELETED:
            before, after = workloads.desired(change.old), workloads.desired(change.new)
            if before != after:
                name = f"{change.kind.kind.lower()}/{change.key}"
                self.autoscalers.on_replicas(name, before, after)

    def _on_event(self, change: Change) -> None:
        self.autoscalers.on_event(change)
        if self.nodes.began:
            # Those that were there at the start tell of what was before.
            self.health.disruptions.on_event(change, self._clock.now_ns)
            self.events.on_event(change, self._clock.now_ns)

    def _on_group(self, change: Change) -> None:
        self.nodes.on_group(change)
        self.costs.on_group(change)

    def _on_node(self, change: Change) -> None:
        self.health.on_node(change)
        self.costs.on_node(change)
        group = self.nodes.on_node(change)
        if group and self.nodes.began:
            sort = NODE_REMOVED if change.type == DELETED else NODE_ADDED
            after = self.nodes.all[group].nodes.level
            before = after + (1 if sort == NODE_REMOVED else -1)
            decision = ScalingDecision(
                self._clock.now_ns, sort, group, f"node/{change.key}", before, after
            )
            self.autoscalers.decisions.append(decision)

    def _on_hpa(self, change: Change) -> None:
        before = len(self.autoscalers.decisions)
        self.autoscalers.on_hpa(change)
        if len(self.autoscalers.decisions) > before:
            # What it went by may be gone at the next look.
            self._sampler.report_metrics(self._seconds(self._clock.now_ns), change.key)

    def _on_traffic(self, change: Change) -> None:
        # One that is gone has had its requests all the same.
        self._traffics[change.key] = change.new

    def _load(self) -> Traffics | None:
        return None if self._host is None else self._host.traffic

    def _observe(self) -> None:
        self._set_alarm()
        self._sample()

    def _set_alarm(self) -> None:
        passed_ns = self._clock.now_ns - self._begin_ns
        following = (passed_ns // self.resolution_ns + 1) * self.resolution_ns
        self._alarm.set(self._begin_ns + following + 1)

    def _seconds(self, at_ns: int) -> float:
        """Since the beginning; the nanosecond by which looks are late is none of theirs."""
        return windows.since(self._begin_ns, at_ns)

    @property
    def _has_looked(self) -> bool:
        """Whether this very moment was looked at."""
        last = self.rows.last("cluster")
        return last is not None and last[0] == self._seconds(self._clock.now_ns)

    def _sample(self) -> None:
        self._sampler.sample(self._seconds(self._clock.now_ns), self._load())
