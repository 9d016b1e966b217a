"""Plays what was recorded of the real recommender against ours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from kubestage.controllers.vpa import checkpoints, recommending
from kubestage.controllers.vpa.aggregate_state import AggregateCheckpoint
from kubestage.controllers.vpa.buckets import Buckets, ExponentialBuckets, LinearBuckets
from kubestage.controllers.vpa.cluster_state import ClusterState
from kubestage.controllers.vpa.estimators import (
    Confidence,
    Constant,
    Estimator,
    Margin,
    Minimum,
    Percentile,
)
from kubestage.controllers.vpa.histogram import (
    YEAR_ONE_NS,
    DecayingHistogram,
    Histogram,
    HistogramCheckpoint,
)
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.errors import InputError
from kubestage.objects import labels
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json

_NAMESPACE = "default"


def nanos(seconds: float | None) -> int:
    """Recorded times have three decimals at most; none is a time that was never set."""
    if seconds is None:
        return YEAR_ONE_NS
    return round(seconds * 1000) * 1_000_000


def seconds(at_ns: int) -> float | None:
    """The other way."""
    return None if at_ns == YEAR_ONE_NS else at_ns / SECOND_NS


def buckets_of(options: Json) -> Buckets:
    """The division that was asked for."""
    if options["type"] == "linear":
        return LinearBuckets(options["maxValue"], options["bucketSize"], options["epsilon"])
    return ExponentialBuckets(
        options["maxValue"], options["firstBucketSize"], options["ratio"], options["epsilon"]
    )


def histogram_of(asked: Json) -> Histogram:
    """An empty histogram of the kind that was asked for."""
    buckets = buckets_of(asked["options"])
    half_life = asked["halfLifeSeconds"]
    return Histogram(buckets) if half_life is None else DecayingHistogram(buckets, nanos(half_life))


def operate(histogram: Histogram, asked: Json, operation: Json) -> Any:
    """What one operation answers."""
    match operation["op"]:
        case "add":
            histogram.add(operation["v"], operation["w"], nanos(operation["t"]))
        case "sub":
            histogram.subtract(operation["v"], operation["w"], nanos(operation["t"]))
        case "merge":
            other = histogram_of(asked)
            for each in operation["others"]:
                operate(other, asked, each)
            histogram.merge(other)
        case "load":
            try:
                histogram.load(loaded(operation["checkpoint"]))
            except InputError:
                return {"error": True}
        case "pct":
            return histogram.percentile(operation["p"])
        case "empty":
            return histogram.is_empty
        case "save":
            return saved(histogram.save())
    return None


def loaded(checkpoint: Json) -> HistogramCheckpoint:
    """A recorded checkpoint of a histogram."""
    weights = {int(bucket): weight for bucket, weight in checkpoint["bucketWeights"].items()}
    reference = nanos(checkpoint.get("referenceTimestamp"))
    return HistogramCheckpoint(weights, checkpoint["totalWeight"], reference)


def saved(checkpoint: HistogramCheckpoint) -> Json:
    """Our checkpoint of a histogram, as it was recorded."""
    return {
        "bucketWeights": {str(key): value for key, value in checkpoint.bucket_weights.items()},
        "referenceTimestamp": seconds(checkpoint.reference_ns),
        "totalWeight": checkpoint.total_weight,
    }


def estimator_of(asked: Json, resource: str) -> Estimator:
    """A chain of estimators for one resource."""
    floor = asked.get("minCpuMillicores" if resource == "cpu" else "minMemoryBytes", 0)
    match asked["type"]:
        case "percentile":
            return Percentile(asked["percentile"])
        case "const":
            return Constant(floor)
        case "margin":
            return Margin(asked["marginFraction"], estimator_of(asked["base"], resource))
        case "min":
            return Minimum(floor, estimator_of(asked["base"], resource))
    assert asked["type"] == "confidence"
    interval_ns = nanos(asked["confidenceIntervalSeconds"])
    base = estimator_of(asked["base"], resource)
    return Confidence(asked["multiplier"], asked["exponent"], interval_ns, base)


def settings_of(config: Json) -> VpaSettings:
    """The flags of the recommender that was recorded."""
    most = config["globalMaxAllowed"] or {}
    return VpaSettings(
        recommendation_margin_fraction=config["safetyMarginFraction"],
        pod_recommendation_min_cpu_millicores=config["podMinCPUMillicores"],
        pod_recommendation_min_memory_mb=config["podMinMemoryMb"],
        target_cpu_percentile=config["targetCPUPercentile"],
        recommendation_lower_bound_cpu_percentile=config["lowerBoundCPUPercentile"],
        recommendation_upper_bound_cpu_percentile=config["upperBoundCPUPercentile"],
        confidence_interval_cpu_ns=nanos(config["confidenceIntervalCPUSeconds"]),
        target_memory_percentile=config["targetMemoryPercentile"],
        recommendation_lower_bound_memory_percentile=config["lowerBoundMemoryPercentile"],
        recommendation_upper_bound_memory_percentile=config["upperBoundMemoryPercentile"],
        confidence_interval_memory_ns=nanos(config["confidenceIntervalMemorySeconds"]),
        humanize_memory=config["humanizeMemory"],
        round_cpu_millicores=config["roundCPUMillicores"],
        round_memory_bytes=config["roundMemoryBytes"],
        memory_aggregation_interval_ns=nanos(config["memoryAggregationIntervalSeconds"]),
        memory_aggregation_interval_count=config["memoryAggregationIntervalCount"],
        memory_histogram_decay_half_life_ns=nanos(config["memoryHistogramDecayHalfLifeSeconds"]),
        cpu_histogram_decay_half_life_ns=nanos(config["cpuHistogramDecayHalfLifeSeconds"]),
        oom_bump_up_ratio=config["oomBumpUpRatio"],
        oom_min_bump_up_bytes=config["oomMinBumpUpBytes"],
        cpu_integer_post_processor_enabled=config["integerCPUPostProcessor"],
        container_recommendation_max_allowed_cpu=most.get("cpu", ""),
        container_recommendation_max_allowed_memory=most.get("memory", ""),
        per_vpa_config=config["perVPAConfigFeatureGate"],
    )


class Replay:
    """One recorded life of a recommender."""

    def __init__(self, asked: Json) -> None:
        self._pods = asked["pods"]
        self._settings = settings_of(asked["config"])
        self._cluster = ClusterState(self._settings)
        self._recommender = recommending.Recommender(self._settings)
        spec: Json = {"targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}
        if asked["resourcePolicy"] is not None:
            spec["resourcePolicy"] = asked["resourcePolicy"]
        metadata = {"namespace": _NAMESPACE, "name": "vpa"}
        if asked.get("vpaAnnotations"):
            metadata["annotations"] = asked["vpaAnnotations"]
        self._vpa = self._cluster.add_or_update_vpa(
            {"metadata": metadata, "spec": spec}, labels.parse(asked["selector"])
        )
        self._load(asked.get("checkpoints") or {})
        self.results: list[Json] = []
        self.dropped: list[int] = []

    def _load(self, recorded: Json) -> None:
        for container, checkpoint in recorded.items():
            kept = AggregateCheckpoint(
                checkpoint["version"],
                loaded(checkpoint["cpuHistogram"]),
                loaded(checkpoint["memoryHistogram"]),
                nanos(checkpoint.get("firstSampleStart")),
                nanos(checkpoint.get("lastSampleStart")),
                checkpoint["totalSamplesCount"],
            )
            try:
                checkpoints.restore(self._cluster, self._vpa, container, kept, self._settings)
            except InputError:
                continue

    def play(self, events: list[list[Any]]) -> None:
        """Everything, in order."""
        for index, (kind, at, *rest) in enumerate(events):
            self._cluster.now_ns = nanos(at)
            if kind in ("cpu", "memory", "oom"):
                if not self._sample(kind, nanos(at), *rest):
                    self.dropped.append(index)
            elif kind == "recommend":
                self.results.append({"event": index, "containers": self._recommend()})
            elif kind == "checkpoint":
                self.results.append({"event": index, "checkpoints": self._save()})
            elif kind == "gc":
                self._cluster.collect_garbage(lambda _: True)
            else:
                self._pod(kind, *rest)

    def _pod(self, kind: str, index: int) -> None:
        pod = self._pods[index]
        pod_id = (_NAMESPACE, pod["name"])
        if kind == "pod-":
            self._cluster.delete_pod(pod_id)
            return
        state = self._cluster.add_or_update_pod(pod_id, pod["labels"])
        for container in pod["containers"]:
            self._cluster.add_container(state, container)

    def _sample(self, kind: str, at_ns: int, index: int, container: str, amount: int) -> bool:
        pod_id = (_NAMESPACE, self._pods[index]["name"])
        add = {
            "cpu": self._cluster.add_cpu,
            "memory": self._cluster.add_memory,
            "oom": self._cluster.record_oom,
        }[kind]
        return add(pod_id, container, amount, at_ns)

    def _recommend(self) -> list[Json]:
        raw = self._recommender.raw(self._vpa, self._cluster)
        said = self._recommender.recommend(self._vpa, self._cluster)
        containers = []
        for each in said.get("containerRecommendations", []):
            name = each["containerName"]
            amounts = {
                "target": raw[name].target,
                "lowerBound": raw[name].lower_bound,
                "upperBound": raw[name].upper_bound,
            }
            fields = {key: value for key, value in each.items() if key != "containerName"}
            containers.append({"container": name, **fields, "raw": amounts})
        return containers

    def _save(self) -> Json:
        found = checkpoints.of_vpa(self._cluster, self._vpa, self._settings)
        return {
            container: {
                "version": each.version,
                "firstSampleStart": seconds(each.first_sample_ns),
                "lastSampleStart": seconds(each.last_sample_ns),
                "totalSamplesCount": each.total_samples,
                "cpuHistogram": saved(each.cpu),
                "memoryHistogram": saved(each.memory),
            }
            for container, each in found.items()
        }


def same(expected: Any, got: Any, path: str = "") -> list[str]:
    """Where two results differ; floats may by a billionth, checkpoint weights by one."""
    if isinstance(expected, dict) and isinstance(got, dict):
        if set(expected) != set(got):
            return [f"{path}: {sorted(expected)} != {sorted(got)}"]
        return [
            problem
            for key in expected
            for problem in same(expected[key], got[key], f"{path}.{key}")
        ]
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = enumerate(zip(expected, got, strict=True))
        return [problem for at, (a, b) in pairs for problem in same(a, b, f"{path}[{at}]")]
    if ".bucketWeights." in path:
        equal = abs(expected - got) <= 1
    elif isinstance(expected, float) or isinstance(got, float):
        equal = math.isclose(expected, got, rel_tol=1e-9)
    else:
        equal = bool(expected == got)
    return [] if equal else [f"{path}: {expected!r} != {got!r}"]
