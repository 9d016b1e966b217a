"""What many simulations at one moment share; nothing of it is computed before it is needed."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from kubestage.controllers.karpenter import provisioning
from kubestage.controllers.karpenter.disruption import candidates as candidate_rules
from kubestage.controllers.karpenter.scheduling.options import Options
from kubestage.controllers.karpenter.scheduling.solving import Prepared
from kubestage.controllers.karpenter.state import pod_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.disruption.candidates import Candidate, NodePools
    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.events import Event, Publish
    from kubestage.controllers.karpenter.scheduling.first_fit import Fitted
    from kubestage.controllers.karpenter.scheduling.results import Results
    from kubestage.controllers.karpenter.state.disruption_limits import DisruptionLimits
    from kubestage.controllers.karpenter.state.state_node import StateNode


class Moment(NamedTuple):
    """What a snapshot is void after."""

    version: int
    now_ns: int
    disrupting: frozenset[str]


class Pods(NamedTuple):
    """Pods, and the events that looking at them publishes each time."""

    pods: list[Json]
    events: list[Event]


class Snapshot:
    """A cluster at one moment; events are published whenever something is looked at.

    NOTE: a round looks at the same 500 nodes five times and simulates several hundred times
    (benchmarks/karpenter.py).
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._candidates: dict[bool, tuple[list[Candidate], list[Event]]] = {}
        self._prepared: dict[bool, Prepared] = {}
        self._movable: dict[str, Pods] = {}

    @functools.cached_property
    def nodes(self) -> Sequence[StateNode]:
        """The nodes, by provider id."""
        return self._context.cluster.nodes()

    @functools.cached_property
    def limits(self) -> DisruptionLimits:
        """The PodDisruptionBudgets."""
        return self._context.cluster.limits

    @functools.cached_property
    def pools(self) -> NodePools:
        """The NodePools and their instance types by name."""
        return candidate_rules.node_pools(self._context)

    def candidates(self, publish: Publish, *, is_eventual: bool) -> list[Candidate]:
        """The nodes that may be disrupted; events say why others may not."""
        if is_eventual and not self._has_grace_periods:
            is_eventual = False
        if is_eventual not in self._candidates:
            events: list[Event] = []
            found = candidate_rules.find(
                self._context, self, events.append, is_eventual=is_eventual
            )
            self._candidates[is_eventual] = found, list(dict.fromkeys(events))
        listed, published = self._candidates[is_eventual]
        for event in published:
            publish(event)
        return listed

    def simulate(
        self,
        candidates: Sequence[Candidate],
        publish: Publish,
        *,
        consolidating: bool,
        fitted: Fitted | None = None,
    ) -> Results:
        """Schedule as if the candidates were gone; see `simulation.simulate`."""
        pods = list(self._published(self._pending, publish))
        for each in candidates:
            pods += self._published(self._movable_of(each), publish)
        pods += self._published(self._going, publish)
        return self._prepare(consolidating=consolidating).solve(
            pods,
            self._missing(candidates),
            placeholders=self._context.placeholders,
            publish=publish,
            fitted=fitted,
        )

    def _missing(self, candidates: Sequence[Candidate]) -> list[StateNode]:
        """The nodes on their way out, and candidates as if they were."""
        named = self._named
        return [*self._leaving, *(node for each in candidates for node in named.get(each.name, ()))]

    @property
    def fruitless(self) -> dict[object, Any]:
        """The looks at nodes that came to nothing, as long as NodePools stay as they are."""
        return self._prepare(consolidating=True).pools.fruitless

    def fit(self, candidate: Candidate) -> tuple[Fitted, object] | None:
        """Where plain pods would go without a candidate, and what the new nodes depend on.

        None if pods are not plain.
        """
        prepared, missing = self._prepare(consolidating=True), self._missing([candidate])
        pods = [*self._pending.pods, *self._movable_of(candidate).pods, *self._going.pods]
        fitted = prepared.fit(pods, missing)
        return None if fitted is None else (fitted, prepared.need(fitted.left, missing))

    def publish_about(self, candidates: Sequence[Candidate], publish: Publish) -> None:
        """Publish what a simulation without these candidates would."""
        for each in (self._pending, *map(self._movable_of, candidates), self._going):
            self._published(each, publish)
        for event in self._prepare(consolidating=True).pools.events:
            publish(event)

    @functools.cached_property
    def _has_grace_periods(self) -> bool:
        return any(map(candidate_rules.has_grace_period, self.nodes))

    @functools.cached_property
    def going_keys(self) -> frozenset[str]:
        """The pods (``namespace/name``) of nodes on their way out."""
        return frozenset(map(pod_state.key_of, self._going.pods))

    @functools.cached_property
    def leaving_names(self) -> frozenset[str]:
        """The nodes on their way out."""
        return frozenset(node.name for node in self._leaving)

    @functools.cached_property
    def usable_node_pools(self) -> Sequence[Json]:
        """The NodePools of which new nodes can be made for pods."""
        return self._context.usable_node_pools

    @functools.cached_property
    def _leaving(self) -> list[StateNode]:
        return [node for node in self.nodes if node.marked_for_deletion]

    @functools.cached_property
    def _named(self) -> dict[str, list[StateNode]]:
        """The nodes that are not on their way out, by name."""
        found: dict[str, list[StateNode]] = {}
        for node in self.nodes:
            if not node.marked_for_deletion:
                found.setdefault(node.name, []).append(node)
        return found

    @functools.cached_property
    def _pending(self) -> Pods:
        events: list[Event] = []
        options = self.options(consolidating=False)
        cluster = self._context.cluster
        return Pods(provisioning.pending_pods(cluster, options, events.append), events)

    @functools.cached_property
    def _going(self) -> Pods:
        events: list[Event] = []
        cluster = self._context.cluster
        return Pods(provisioning.pods_of_deleting_nodes(cluster, events.append), events)

    def _movable_of(self, candidate: Candidate) -> Pods:
        """The pods of a candidate that nothing keeps there for good."""
        found = self._movable.get(candidate.name)
        if found is None:
            events: list[Event] = []
            now_ns = self._context.now_ns
            node = candidate.node
            if node.has_protected_pods:
                movable = [
                    pod
                    for pod in candidate.pods
                    if self.limits.is_currently_reschedulable(pod, now_ns, events.append)
                ]
            else:
                kept = self.limits.kept(node.evictable_pods)
                movable = [pod for pod in candidate.pods if id(pod) not in kept]
            found = self._movable[candidate.name] = Pods(movable, events)
        return found

    @staticmethod
    def _published(found: Pods, publish: Publish) -> list[Json]:
        for event in found.events:
            publish(event)
        return found.pods

    def _prepare(self, *, consolidating: bool) -> Prepared:
        prepared = self._prepared.get(consolidating)
        if prepared is None:
            context, pools = self._context, self.usable_node_pools
            types = {each["metadata"]["name"]: context.provider.types_of(each) for each in pools}
            options = self.options(consolidating=consolidating)
            prepared = self._prepared[consolidating] = Prepared(
                context.cluster, context.pools.of(context.cluster, pools, types, options)
            )
        return prepared

    def options(self, *, consolidating: bool) -> Options:
        """How pods are scheduled for disruption."""
        return self._options_for_consolidation if consolidating else self._options

    @functools.cached_property
    def _options_for_consolidation(self) -> Options:
        return msgspec.structs.replace(self._options, consolidating=True)

    @functools.cached_property
    def _options(self) -> Options:
        settings, provider = self._context.settings, self._context.provider
        return Options(
            preference_policy=settings.preference_policy,
            min_values_policy=settings.min_values_policy,
            reserved_capacity=settings.reserved_capacity,
            well_known=provider.well_known,
            reservation_label=provider.reservation_label,
        )
