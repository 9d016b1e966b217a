"""How many replicas one metric recommends: the arithmetic, in upstream's order of operations.

Floats are the reason for the order: 0.28 times 25 is a little more than 7, and 8 replicas follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers import pods
from kubestage.controllers.hpa import go_numbers, grouping, metrics_client, requests
from kubestage.controllers.hpa.requests import CountError
from kubestage.metrics.board import MetricsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.metrics_client import MetricsClient, PodMetric
    from kubestage.controllers.hpa.settings import HpaSettings
    from kubestage.objects.labels import Selector

Values = dict[str, int]

_NO_PODS = "no pods returned by selector while calculating replica count"


class Tolerances(NamedTuple):
    """How far usage may be off its target, as parts of it, before anything is done."""

    scale_down: float
    scale_up: float

    def is_within(self, usage_ratio: float) -> bool:
        """Whether a ratio of usage to target is near enough to one."""
        return (1.0 - self.scale_down) <= usage_ratio <= (1.0 + self.scale_up)


class ReplicaCount(NamedTuple):
    """Replicas, the usage behind them in thousandths, and its percentage of what is requested."""

    replicas: int
    usage: int
    utilization: int = 0


class ReplicaCalculator(NamedTuple):
    """Works on what one autoscaler sees at one moment; `CountError` if that is not enough."""

    settings: HpaSettings
    namespace: str
    pods: Sequence[Json]
    client: MetricsClient
    tolerances: Tolerances
    now_ns: int

    def by_utilization(
        self, current: int, target: int, resource: str, container: str
    ) -> ReplicaCount:
        """Utilisation of a resource, in percent of what pods request of it."""
        metrics = self._resource(resource, container)
        groups, values = self._grouped(metrics, resource)
        requested = requests.of_pods(
            self.pods, resource, container, pod_level=self.settings.pod_level_resources
        )
        measured = _utilization(values, requested, target)
        fallback = max(100, target)

        def stand_in(name: str) -> int:
            return go_numbers.quotient(go_numbers.int64(requested[name] * fallback), 100)

        def measure(filled: Values) -> float:
            return _utilization(filled, requested, target)[0]

        replicas = self._replicas(current, measured[0], values, groups, measure, stand_in)
        return ReplicaCount(replicas, measured[2], measured[1])

    def by_resource_value(
        self, current: int, target: int, resource: str, container: str
    ) -> ReplicaCount:
        """Usage of a resource per pod, in thousandths."""
        return self._by_value(current, target, self._resource(resource, container), resource)

    def by_pods_metric(
        self, current: int, target: int, metric: str, selector: Selector
    ) -> ReplicaCount:
        """A custom metric per pod."""
        try:
            metrics = self.client.raw(metric, selector)
        except MetricsError as error:
            raise CountError(f"unable to get metric {metric}: {error}") from error
        return self._by_value(current, target, metrics, "")

    def by_object_value(
        self, current: int, target: int, metric: str, reference: Json, selector: Selector
    ) -> ReplicaCount:
        """A metric of one object, whose value is to be met."""
        usage = self._of_object(metric, reference, selector)
        usage_ratio = go_numbers.ratio(float(usage), float(target))
        return ReplicaCount(self._by_ratio(current, usage_ratio), usage)

    def by_object_average(
        self, status_replicas: int, target: int, metric: str, reference: Json, selector: Selector
    ) -> ReplicaCount:
        """A metric of one object, shared by the replicas that there are."""
        usage = self._of_object(metric, reference, selector)
        replicas = status_replicas
        if not self.tolerances.is_within(_per_pod(usage, target, status_replicas)):
            replicas = go_numbers.ceiling_int32(go_numbers.ratio(float(usage), float(target)))
        return ReplicaCount(replicas, _mean(usage, status_replicas))

    def by_external_value(
        self, current: int, target: int, metric: str, selector: Json | None
    ) -> ReplicaCount:
        """An external metric, whose sum is to be met."""
        usage = 0
        for value in self._external(metric, selector):
            if usage > go_numbers.INT64_MAX - value:
                usage = go_numbers.INT64_MAX
                break
            usage = go_numbers.int64(usage + value)
        usage_ratio = go_numbers.ratio(float(usage), float(target))
        return ReplicaCount(self._by_ratio(current, usage_ratio), usage)

    def by_external_average(
        self, status_replicas: int, target: int, metric: str, selector: Json | None
    ) -> ReplicaCount:
        """An external metric, whose sum the replicas share that there are."""
        usage = 0
        for value in self._external(metric, selector):
            usage = go_numbers.int64(usage + value)
            if usage < 0:
                usage = go_numbers.INT64_MAX
                break
        replicas = status_replicas
        if not self.tolerances.is_within(_per_pod(usage, target, status_replicas)):
            target_milli = go_numbers.ratio(float(usage), float(target))
            is_beyond = target_milli > go_numbers.INT32_MAX
            replicas = go_numbers.INT32_MAX if is_beyond else go_numbers.ceiling_int32(target_milli)
        if float(usage) >= float(go_numbers.INT64_MAX):
            return ReplicaCount(replicas, go_numbers.INT64_MAX)
        return ReplicaCount(replicas, _mean(usage, status_replicas))

    def _resource(self, resource: str, container: str) -> dict[str, PodMetric]:
        try:
            return self.client.resource(resource, container)
        except MetricsError as error:
            raise CountError(f"unable to get metrics for resource {resource}: {error}") from error

    def _of_object(self, metric: str, reference: Json, selector: Selector) -> int:
        try:
            return self.client.of_object(metric, reference, selector)
        except MetricsError as error:
            # Upstream hands its parts to the text in another order than the text has them.
            kind, name = reference["kind"], reference["name"]
            text = f"{kind} on {self.namespace} {name}/{error}"
            raise CountError(f"unable to get metric {metric}: {text}") from error

    def _external(self, metric: str, selector: Json | None) -> list[int]:
        target_milli = metrics_client.selector_of(selector)
        try:
            return self.client.external(metric, target_milli)
        except MetricsError as error:
            what = f"{self.namespace}/{metric}/{metrics_client.selector_text(selector)}"
            raise CountError(f"unable to get external metric {what}: {error}") from error

    def _grouped(
        self, metrics: Mapping[str, PodMetric], resource: str
    ) -> tuple[grouping.Groups, Values]:
        if not self.pods:
            raise CountError(_NO_PODS)
        groups = grouping.group(self.pods, metrics, resource, self.settings, self.now_ns)
        left_out = groups.ignored | groups.unready
        values = {
            name: metric.value_milli for name, metric in metrics.items() if name not in left_out
        }
        if not values:
            raise CountError("did not receive metrics for targeted pods (pods might be unready)")
        return groups, values

    def _by_value(
        self, current: int, target: int, metrics: Mapping[str, PodMetric], resource: str
    ) -> ReplicaCount:
        groups, values = self._grouped(metrics, resource)
        usage_ratio, usage = _mean_usage(values, target)

        def stand_in(_: str) -> int:
            return target

        def measure(filled: Values) -> float:
            return _mean_usage(filled, target)[0]

        return ReplicaCount(
            self._replicas(current, usage_ratio, values, groups, measure, stand_in), usage
        )

    def _replicas(
        self,
        current: int,
        usage_ratio: float,
        values: Values,
        groups: grouping.Groups,
        measure: Callable[[Values], float],
        stand_in: Callable[[str], int],
    ) -> int:
        """What a ratio of usage to target means, given pods of which nothing is known.

        To be safe, these are taken to be idle where more replicas would follow, and busy where
        fewer would; if that turns the result round, nothing is done.
        """
        with_unready = bool(groups.unready) and usage_ratio > 1.0
        if not with_unready and not groups.missing:
            if self.tolerances.is_within(usage_ratio):
                return current
            return go_numbers.ceiling_int32(usage_ratio * float(groups.ready_count))
        filled = dict(values)
        if usage_ratio < 1.0:
            filled.update((name, stand_in(name)) for name in groups.missing)
        elif usage_ratio > 1.0:
            filled.update(dict.fromkeys(groups.missing, 0))
        if with_unready:
            filled.update(dict.fromkeys(groups.unready, 0))
        new_ratio = measure(filled)
        turns = (usage_ratio < 1.0 < new_ratio) or (usage_ratio > 1.0 > new_ratio)
        if self.tolerances.is_within(new_ratio) or turns:
            return current
        replicas = go_numbers.ceiling_int32(new_ratio * float(len(filled)))
        if (new_ratio < 1.0 and replicas > current) or (new_ratio > 1.0 and replicas < current):
            return current
        return replicas

    def _by_ratio(self, current: int, usage_ratio: float) -> int:
        """Of all ready pods the multiple; where there are none yet, the ratio itself."""
        if current == 0:
            return go_numbers.ceiling_int32(usage_ratio)
        if self.tolerances.is_within(usage_ratio):
            return current
        if not self.pods:
            raise CountError(f"unable to calculate ready pods: {_NO_PODS}")
        ready = sum(pods.phase(pod) == "Running" and pods.is_ready(pod) for pod in self.pods)
        target_milli = usage_ratio * float(ready)
        if target_milli > go_numbers.INT32_MAX:
            return go_numbers.INT32_MAX
        return go_numbers.ceiling_int32(target_milli)


def _utilization(
    values: Mapping[str, int], requested: Mapping[str, int], target: int
) -> tuple[float, int, int]:
    """The ratio to the target, the percentage and the mean in thousandths; known pods only."""
    used = total = count = 0
    for name, value in values.items():
        request = requested.get(name)
        if request is not None:
            used += value
            total += request
            count += 1
    used, total = go_numbers.int64(used), go_numbers.int64(total)
    if total == 0:
        raise CountError("no metrics returned matched known pods")
    percent = go_numbers.int32(go_numbers.quotient(go_numbers.int64(used * 100), total))
    usage_ratio = go_numbers.ratio(float(percent), float(target))
    return usage_ratio, percent, go_numbers.quotient(used, count)


def _mean_usage(values: Mapping[str, int], target: int) -> tuple[float, int]:
    usage = go_numbers.quotient(go_numbers.int64(sum(values.values())), len(values))
    return go_numbers.ratio(float(usage), float(target)), usage


def _per_pod(usage: int, target: int, replicas: int) -> float:
    return go_numbers.ratio(float(usage), float(target) * float(replicas))


def _mean(usage: int, replicas: int) -> int:
    return go_numbers.ceiling_int64(go_numbers.ratio(float(usage), float(replicas)))
