"""Observes a living cluster: every change goes to what counts, and samples are rows of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.life import windows, workloads
from kubestage.results.life.allocation import Allocation
from kubestage.results.life.autoscalers import (
    NODE_ADDED,
    NODE_REMOVED,
    Autoscalers,
    ScalingDecision,
)
from kubestage.results.life.costs import CostMeter
from kubestage.results.life.event_log import EventLog
from kubestage.results.life.health import KEEPERS, Health
from kubestage.results.life.marks import Marks
from kubestage.results.life.node_decisions import NodeDecisionRecord
from kubestage.results.life.node_groups import NodeGroups
from kubestage.results.life.sampler import WORKLOADS, Sampler
from kubestage.results.life.tables import LifeRows
from kubestage.results.life.workloads import Workloads
from kubestage.store.log import DELETED, Change

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sim.clock import Clock
    from kubestage.store.store import Store


class LifeObserver:
    """What is known of a living cluster, by every change of it.

    Numbers that add up over time (replica-hours, node-hours, cost) and what goes wrong (`health`)
    come from changes and are exact; `rows` has what samples found.
    """

    def __init__(self, store: Store, clock: Clock, workload_count: int = WORKLOADS) -> None:
        self.workloads = Workloads(store)
        self.nodes = NodeGroups(clock)
        self.allocation = Allocation(self.nodes, self.workloads, clock.now_ns)
        self.costs = CostMeter(store, self.workloads)
        self.autoscalers = Autoscalers(clock, self.workloads)
        self.marks = Marks()
        self.node_decisions = NodeDecisionRecord(clock)
        self.health = Health(store, self.workloads, self.marks)
        self.events = EventLog(self.workloads)
        self.rows = LifeRows()
        self.store = store
        self._clock = clock
        self._begin_ns = clock.now_ns
        self._traffics: dict[str, Json] = {}
        known = (self.workloads, self.nodes, self.autoscalers, self.costs)
        self._sampler = Sampler(
            store, known, self.health, self._traffics, self.rows, workload_count
        )
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
            ("karpenter.sh", "NodeClaim"): self.costs.on_claim,
            ("karpenter.sh", "NodeOverlay"): self.costs.on_catalog,
            ("kubestage.dev", "Traffic"): self._on_traffic,
        }

    def on_change(self, change: Change) -> None:
        """Record one change."""
        kind = change.kind
        handler = self._handlers.get((kind.group, kind.kind))
        if handler is not None:
            handler(change)
        else:
            self._on_replicas(change)
            self.health.on_other(change)

    def _on_pod(self, change: Change) -> None:
        self.allocation.reach(self._clock.now_ns)
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
        self.allocation.reach(self._clock.now_ns)
        self.health.on_node(change)
        self.node_decisions.on_node(change)
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

    def _seconds(self, at_ns: int) -> float:
        """Since the beginning; the nanosecond by which looks are late is none of theirs."""
        return windows.since(self._begin_ns, at_ns)
