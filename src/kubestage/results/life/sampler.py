"""A look at a living cluster: replicas, metrics, recommendations, nodes, and how busy all are."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk, labels
from kubestage.results.life import hpa_metrics, vpa_bounds, workloads
from kubestage.results.life.autoscalers import target_of
from kubestage.results.life.requests import Bands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.results.life.autoscalers import Autoscalers
    from kubestage.results.life.costs import CostMeter
    from kubestage.results.life.health import Health
    from kubestage.results.life.node_groups import NodeGroups
    from kubestage.results.life.requests import TrafficStart
    from kubestage.results.life.tables import LifeRows
    from kubestage.results.life.workloads import ReplicaCounts, WorkloadName, Workloads
    from kubestage.store.store import Store
    from kubestage.traffic.traffics import Traffics


WORKLOADS: Final = 20
"""Of so many workloads samples are taken, besides those that something is about."""

_TROUBLED: Final = 40
# A percentile of few requests means little.
_OBSERVATIONS_A_BAND: Final = 5
_STATES: Final = (workloads.LAUNCHING, workloads.ACTIVE, workloads.TERMINATING)


class Sampler:
    """Writes rows about what is there at one moment.

    Of workloads, those are looked at that traffic or autoscalers are about, and others as long as
    there are few; one that loses replicas is looked at from then on.
    """

    def __init__(
        self,
        store: Store,
        known: tuple[Workloads, NodeGroups, Autoscalers, CostMeter],
        health: Health,
        traffics: dict[str, Json],
        rows: LifeRows,
        workload_count: int = WORKLOADS,
    ) -> None:
        self._store = store
        self._workloads, self._nodes, self._autoscalers, self._costs = known
        self._health = health
        self._traffics = traffics
        self._rows = rows
        self._workload_count = workload_count
        self._bands = Bands()
        self._observations = 0
        self._reported: dict[str, float] = {}

    def begin(self, started: Mapping[str, TrafficStart]) -> None:
        """Response times before the beginning do not count."""
        self._bands.begin(started)

    def sample(self, at: float, load: Traffics | None) -> None:
        """Look around, so many seconds after the beginning."""
        self._replicas(at)
        for key in sorted(self._autoscalers.hpas):
            if self._reported.get(key) != at:
                self._metrics(at, key)
        self._recommendations(at)
        for name, group in sorted(self._nodes.all.items()):
            self._rows.add("nodes", at, name, group.ready, group.provisioning, group.nodes.level)
        for name in sorted(self._costs.pools):
            self._rows.add("cost", at, name, *map(_rounded, self._costs.per_hour(name)))
        if load is not None:
            self._traffic(at, load)
        self._rows.add(
            "cluster",
            *(at, self._workloads.pending),
            *(self._workloads.on_nodes[state] for state in _STATES),
            *(self._nodes.count, self._nodes.ready),
            *(self._workloads.requested_milli_cpu, self._nodes.allocatable_milli_cpu),
            self._health.disruptions.ended,
        )

    def end(self, at: float, load: Traffics | None) -> None:
        """The last look."""
        self._observations = 0
        self.sample(at, load)

    def watched(self) -> dict[str, tuple[WorkloadName, list[ReplicaCounts]]]:
        """The workloads that are looked at, with all whose pods they stand for."""
        places = [target_of(each, "target") for each in self._traffics.values()]
        places += [target_of(each, "scaleTargetRef") for each in self._autoscalers.hpas.values()]
        places += [target_of(each, "targetRef") for each in self._autoscalers.vpas.values()]
        found = {str(place): (place, list(self._members(place))) for place in places}
        for name, workload in self._workloads.all.items():
            if len(found) >= self._workload_count:
                break
            found.setdefault(name, (workload.place, [workload]))
        for name in itertools.islice(self._health.troubled, _TROUBLED):
            found.setdefault(name, (self._workloads.all[name].place, [self._workloads.all[name]]))
        return found

    def _traffic(self, at: float, load: Traffics) -> None:
        for key, share in load.utilisation().items():
            self._rows.add("utilization", at, key, share)
        if self._observations % _OBSERVATIONS_A_BAND == 0:
            self._bands.observe(at, load.records(), self._rows)
        self._observations += 1

    def _replicas(self, at: float) -> None:
        for name, (place, members) in self.watched().items():
            counts = [sum(each.counts[state] for each in members) for state in _STATES]
            self._rows.add("replicas", at, name, self._desired(place, members), *counts)

    def report_metrics(self, at: float, key: str) -> None:
        """Write down what an HPA goes by at this moment, because it has just decided by it."""
        self._reported[key] = at
        self._metrics(at, key)

    def _metrics(self, at: float, key: str) -> None:
        hpa = self._autoscalers.hpas[key]
        workload = str(target_of(hpa, "scaleTargetRef"))
        for each in hpa_metrics.readings(hpa):
            values = (each.metric, each.unit, each.current, each.target)
            self._rows.add("metrics", at, key, workload, *values)

    def _recommendations(self, at: float) -> None:
        pods = self._store.read(gvk.POD)
        for key, vpa in sorted(self._autoscalers.vpas.items()):
            workload = self._workloads.all.get(str(target_of(vpa, "targetRef")))
            mine = [] if workload is None else [pods[each] for each in workload.pods]
            for each in vpa_bounds.bounds(vpa, mine):
                values = (each.lower, each.target, each.upper, each.request)
                self._rows.add("recommendations", at, key, each.container, each.resource, *values)

    def _members(self, place: WorkloadName) -> Iterator[ReplicaCounts]:
        """The workload itself; of a Service, those whose pods it selects."""
        if place.kind != "Service":
            if str(place) in self._workloads.all:
                yield self._workloads.all[str(place)]
            return
        service = self._store.read(gvk.SERVICE).get(f"{place.namespace}/{place.name}")
        selected = ((service or {}).get("spec") or {}).get("selector")
        if not selected:
            return
        selector, pods = labels.selector_from_set(selected), self._store.read(gvk.POD)
        for each in self._workloads.all.values():
            # The pods of a workload have the labels of one template.
            newest = next(reversed(each.pods), None)
            if newest is None or each.place.namespace != place.namespace:
                continue
            if selector.matches(pods[newest]["metadata"].get("labels") or {}):
                yield each

    def _desired(self, place: WorkloadName, members: list[ReplicaCounts]) -> int | None:
        if place.kind != "Service":
            return self._requested(place)
        counts = [self._requested(each.place) for each in members]
        return sum(each for each in counts if each is not None) if members else None

    def _requested(self, place: WorkloadName) -> int | None:
        kind = self._store.kinds.get(place.api_version, place.kind)
        if kind is None:
            return None
        found = self._store.read(kind).get(f"{place.namespace}/{place.name}")
        return None if found is None else workloads.desired(found)


def _rounded(amount: float) -> float:
    return round(amount, 6) + 0.0
