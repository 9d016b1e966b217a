"""A VerticalPodAutoscaler as the recommender sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.vpa import policies
from kubestage.controllers.vpa.aggregate_state import AggregateContainerState

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.objects.labels import Selector

Labels = tuple[tuple[str, str], ...]

RECOMMENDATION_PROVIDED: Final = "RecommendationProvided"
NO_PODS_MATCHED: Final = "NoPodsMatched"
CONFIG_UNSUPPORTED: Final = "ConfigUnsupported"
CONFIG_DEPRECATED: Final = "ConfigDeprecated"


class AggregateKey(NamedTuple):
    """Containers of one name in pods of one namespace with the same labels are seen as one."""

    namespace: str
    container: str
    labels: Labels


class VpaState:
    """Which aggregates it recommends from, its conditions, and what it recommends."""

    def __init__(self, namespace: str, name: str, selector: Selector) -> None:
        self.namespace = namespace
        self.name = name
        self.selector = selector
        self.conditions: dict[str, Json] = {}
        self.recommendation: Json | None = None
        self.aggregates: dict[AggregateKey, AggregateContainerState] = {}
        self.initial: dict[str, AggregateContainerState] = {}
        self.policy: Json | None = None
        self.annotations: dict[str, str] = {}
        self.target_ref: Json | None = None
        self.pod_count = 0
        self.generation = 0

    def selects(self, namespace: str, labels: dict[str, str]) -> bool:
        """Whether a pod is one of its pods, by its labels."""
        return namespace == self.namespace and self.selector.matches(labels)

    def link(self, key: AggregateKey, aggregate: AggregateContainerState) -> None:
        """Recommend from an aggregate, too, if it is of pods that are selected."""
        if key in self.aggregates or not self.selects(key.namespace, dict(key.labels)):
            return
        self.aggregates[key] = aggregate
        aggregate.update_from_policy(policies.container_policy(self.policy, key.container))

    def set_policy(self, policy: Json | None) -> None:
        """Heed another policy."""
        if policy == self.policy:
            return
        self.policy = policy
        for key, aggregate in self.aggregates.items():
            aggregate.update_from_policy(policies.container_policy(policy, key.container))

    def by_container(
        self, settings: VpaSettings, now_ns: int
    ) -> dict[str, AggregateContainerState]:
        """All that was seen, or came with checkpoints, by the name of the container."""
        merged: dict[str, AggregateContainerState] = {}
        parts = [(key.container, aggregate) for key, aggregate in self.aggregates.items()]
        for container, aggregate in [*parts, *self.initial.items()]:
            if container not in merged:
                merged[container] = AggregateContainerState(settings, now_ns)
            merged[container].merge(aggregate)
        return merged

    def set_condition(
        self, kind: str, is_true: bool, now: str, reason: str = "", message: str = ""
    ) -> None:
        """Say that something is so, or not; the time of the last change is kept."""
        status = "True" if is_true else "False"
        before = self.conditions.get(kind)
        if before is not None and before.get("status") == status:
            now = before.get("lastTransitionTime") or now
        condition = {"type": kind, "status": status, "lastTransitionTime": now}
        if reason:
            condition["reason"] = reason
        if message:
            condition["message"] = message
        self.conditions[kind] = condition

    def update_conditions(self, now: str) -> None:
        """Say whether there are pods, and a recommendation for them."""
        reason = message = ""
        if self.pod_count > 0:
            self.conditions.pop(NO_PODS_MATCHED, None)
        else:
            reason, message = "NoPodsMatched", "No pods match this VPA object"
            self.set_condition(NO_PODS_MATCHED, True, now, reason, message)
        if policies.container_recommendations(self.recommendation):
            self.set_condition(RECOMMENDATION_PROVIDED, True, now)
        else:
            self.set_condition(RECOMMENDATION_PROVIDED, False, now, reason, message)

    def status(self) -> Json:
        """What its status should say."""
        status: Json = {"conditions": [self.conditions[kind] for kind in sorted(self.conditions)]}
        if self.recommendation is not None:
            status["recommendation"] = self.recommendation
        if self.generation:
            status["observedGeneration"] = self.generation
        return status
