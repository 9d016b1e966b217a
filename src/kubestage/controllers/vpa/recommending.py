"""From what was seen to a recommendation: the estimators in upstream's order, then what cuts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.vpa import amounts, policies
from kubestage.controllers.vpa.amounts import CPU, MEMORY
from kubestage.controllers.vpa.estimators import Confidence, Margin, Minimum, Percentile
from kubestage.objects import quantity

if TYPE_CHECKING:
    from kubestage.controllers.vpa.aggregate_state import AggregateContainerState
    from kubestage.controllers.vpa.amounts import ResourceList, Resources
    from kubestage.controllers.vpa.cluster_state import ClusterState
    from kubestage.controllers.vpa.estimators import Estimator
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.controllers.vpa.vpa_state import VpaState


_INTEGER_CPU: Final = ("vpa-post-processor.kubernetes.io/", "_integerCPU")
_FIELDS: Final = ("target", "lowerBound", "upperBound", "uncappedTarget")


class Recommended(msgspec.Struct, frozen=True):
    """Amounts for one container, before anything cuts them."""

    target: Resources
    lower_bound: Resources
    upper_bound: Resources


class Recommender:
    """Recommends what VerticalPodAutoscalers ask for, from what a ClusterState has seen."""

    def __init__(self, settings: VpaSettings) -> None:
        self._settings = settings
        self._format = amounts.Format(
            settings.humanize_memory, settings.round_cpu_millicores, settings.round_memory_bytes
        )
        self._targets = _chains(
            settings, settings.target_cpu_percentile, settings.target_memory_percentile
        )
        self._lower = _trusted(settings, 0.001, -2.0, _chains(
            settings,
            settings.recommendation_lower_bound_cpu_percentile,
            settings.recommendation_lower_bound_memory_percentile,
        ))  # fmt: skip
        self._upper = _trusted(settings, 1.0, 1.0, _chains(
            settings,
            settings.recommendation_upper_bound_cpu_percentile,
            settings.recommendation_upper_bound_memory_percentile,
        ))  # fmt: skip

    def recommend(self, vpa: VpaState, cluster: ClusterState) -> Json:
        """What a VerticalPodAutoscaler's status should recommend; it is remembered there."""
        written = [
            {
                "containerName": name,
                "target": self._format.write(found.target),
                "lowerBound": self._format.write(found.lower_bound),
                "upperBound": self._format.write(found.upper_bound),
                "uncappedTarget": self._format.write(found.target),
            }
            for name, found in sorted(self.raw(vpa, cluster).items())
        ]
        if self._settings.cpu_integer_post_processor_enabled:
            written = [_with_whole_cpus(each, vpa.annotations) for each in written]
        capped = [_capped(each, vpa.policy, self._settings.max_allowed) for each in written]
        vpa.recommendation = {"containerRecommendations": capped} if capped else {}
        return vpa.recommendation

    def raw(self, vpa: VpaState, cluster: ClusterState) -> dict[str, Recommended]:
        """The amounts for each container, before they are rounded and cut."""
        states: dict[str, AggregateContainerState] = {}
        for name, state in vpa.by_container(self._settings, cluster.now_ns).items():
            policy = policies.container_policy(vpa.policy, name)
            if not policies.is_off(policy):
                state.update_from_policy(policy)
                states[name] = state
        if not states:
            return {}
        floors = self._floors(len(states))
        return {
            name: Recommended(
                _estimate(self._targets, floors, state),
                _estimate(self._lower, floors, state),
                _estimate(self._upper, floors, state),
            )
            for name, state in states.items()
        }

    def _floors(self, containers: int) -> Resources:
        """The least that a container gets: its share of the least that a pod gets."""
        settings, share = self._settings, 1.0 / containers
        cpu = amounts.from_float(settings.pod_recommendation_min_cpu_millicores * 0.001 * 1000.0)
        memory = amounts.from_float(settings.pod_recommendation_min_memory_mb * 1024 * 1024)
        return {CPU: amounts.scale(cpu, share), MEMORY: amounts.scale(memory, share)}


def _chains(settings: VpaSettings, cpu: float, memory: float) -> dict[str, Estimator]:
    margin = settings.recommendation_margin_fraction
    return {CPU: Margin(margin, Percentile(cpu)), MEMORY: Margin(margin, Percentile(memory))}


def _trusted(
    settings: VpaSettings, multiplier: float, exponent: float, chains: dict[str, Estimator]
) -> dict[str, Estimator]:
    cpu_ns = settings.confidence_interval_cpu_ns
    memory_ns = settings.confidence_interval_memory_ns
    return {
        CPU: Confidence(multiplier, exponent, cpu_ns, chains[CPU]),
        MEMORY: Confidence(multiplier, exponent, memory_ns, chains[MEMORY]),
    }


def _estimate(
    chains: dict[str, Estimator], floors: Resources, state: AggregateContainerState
) -> Resources:
    return {
        name: Minimum(floors[name], chains[name]).estimate(state, name) for name in state.controlled
    }


def _with_whole_cpus(recommended: Json, annotations: dict[str, str]) -> Json:
    """CPU rounded up to whole cores, if an annotation requests it."""
    prefix, suffix = _INTEGER_CPU
    if annotations.get(f"{prefix}{recommended['containerName']}{suffix}") != "true":
        return recommended
    whole = dict(recommended)
    for field in _FIELDS:
        if CPU in whole[field]:
            rounded, _ = quantity.parse(whole[field][CPU]).round_up(0)
            whole[field] = {**whole[field], CPU: str(rounded)}
    return whole


def _capped(recommended: Json, policy: Json | None, max_allowed: ResourceList) -> Json:
    """Within what the policy of the container, or else the recommender, allows."""
    container_rules = policies.container_policy(policy, recommended["containerName"]) or {}
    least = container_rules.get("minAllowed") or {}
    most = {**max_allowed, **(container_rules.get("maxAllowed") or {})}
    capped = dict(recommended)
    for field in ("target", "lowerBound", "upperBound"):
        capped[field] = {
            name: cap(amount, least.get(name), most.get(name))
            for name, amount in recommended[field].items()
        }
    return capped


def cap(amount: str, least: Any, most: Any) -> str:
    """An amount, but no less and no more than allowed; bounds of nothing bind nothing."""
    for bound, sign in ((least, -1), (most, 1)):
        limit = quantity.of(bound)
        if not limit.is_zero and quantity.of(amount).compare(limit) == sign:
            amount = str(limit)
    return amount
