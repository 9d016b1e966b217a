"""What operators set with flags of the recommender and of the updater."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import quantity
from kubestage.units import SECOND_NS

_MINUTE_NS: Final = 60 * SECOND_NS
_HOUR_NS: Final = 60 * _MINUTE_NS
_DAY_NS: Final = 24 * _HOUR_NS


class VpaSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The defaults are those of VPA 1.8, and the names are those of its flags."""

    recommender_interval_ns: int = _MINUTE_NS
    """How often the recommender reads metrics and recommends."""

    recommender_name: str = "default"
    """The recommender whose VerticalPodAutoscalers are handled."""

    recommendation_margin_fraction: float = 0.15
    """What is added to usage as a safety margin."""

    pod_recommendation_min_cpu_millicores: float = 25
    """The least CPU that is recommended for a pod."""

    pod_recommendation_min_memory_mb: float = 250
    """The least memory that is recommended for a pod."""

    target_cpu_percentile: float = 0.9
    """The percentile of CPU usage that is the target."""

    recommendation_lower_bound_cpu_percentile: float = 0.5
    """The percentile of CPU usage that is the lower bound."""

    recommendation_upper_bound_cpu_percentile: float = 0.95
    """The percentile of CPU usage that is the upper bound."""

    confidence_interval_cpu_ns: int = _DAY_NS
    """The unit of time of the confidence factor of the CPU bounds."""

    target_memory_percentile: float = 0.9
    """The percentile of memory peaks that is the target."""

    recommendation_lower_bound_memory_percentile: float = 0.5
    """The percentile of memory peaks that is the lower bound."""

    recommendation_upper_bound_memory_percentile: float = 0.95
    """The percentile of memory peaks that is the upper bound."""

    confidence_interval_memory_ns: int = _DAY_NS
    """The unit of time of the confidence factor of the memory bounds."""

    humanize_memory: bool = False
    """Whether memory is written with binary units."""

    round_cpu_millicores: int = 1
    """CPU is rounded up to a multiple of this."""

    round_memory_bytes: int = 1
    """Memory is rounded up to a multiple of this."""

    memory_saver: bool = False
    """Whether only pods of a VerticalPodAutoscaler are tracked."""

    memory_aggregation_interval_ns: int = _DAY_NS
    """The length of the interval of which a memory peak is taken."""

    memory_aggregation_interval_count: int = 8
    """How many such intervals the history has."""

    memory_histogram_decay_half_life_ns: int = _DAY_NS
    """The time after which a memory sample weighs half as much."""

    cpu_histogram_decay_half_life_ns: int = _DAY_NS
    """The time after which a CPU sample weighs half as much."""

    oom_bump_up_ratio: float = 1.2
    """The factor by which memory grows after an OOM kill."""

    oom_min_bump_up_bytes: float = 100 * 1024 * 1024
    """How much memory is added at least after an OOM kill."""

    cpu_integer_post_processor_enabled: bool = False
    """Whether an annotation may have CPU rounded up to whole cores."""

    container_recommendation_max_allowed_cpu: str = ""
    """The most CPU that is recommended for any container."""

    container_recommendation_max_allowed_memory: str = ""
    """The most memory that is recommended for any container."""

    write_checkpoints: bool = False
    """Whether checkpoints are written; off, unlike upstream: the recommender keeps its state."""

    checkpoints_gc_interval_ns: int = 10 * _MINUTE_NS
    """How often checkpoints without an autoscaler are deleted."""

    ignored_vpa_object_namespaces: frozenset[str] = frozenset()
    """Namespaces whose autoscalers are left out."""

    per_vpa_config: bool = False
    """The feature gate PerVPAConfig."""

    updater_interval_ns: int = _MINUTE_NS
    """How often the updater compares pods with recommendations."""

    min_replicas: int = 2
    """How many replicas a target needs before its pods are evicted."""

    eviction_tolerance: float = 0.5
    """The share of a target's pods that may be evicted at once."""

    eviction_rate_limit: float = -1
    """How many pods a second may be evicted; zero or less is no limit."""

    eviction_rate_burst: int = 1
    """How many pods may be evicted at once before that limit holds."""

    in_place_skip_disruption_budget: bool = False
    """Whether in-place resizes without restarts skip the disruption checks."""

    pod_update_threshold: float = 0.1
    """The relative change of a pod's requests below which it is not updated."""

    in_recommendation_bounds_eviction_lifetime_threshold_ns: int = 12 * _HOUR_NS
    """How old a pod within its bounds must be to be updated."""

    evict_after_oom_threshold_ns: int = 10 * _MINUTE_NS
    """How soon after its start an OOM kill has a pod updated."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            _check(name, getattr(self, name))

    @property
    def max_allowed(self) -> dict[str, str]:
        """The most that is recommended to any container without a policy."""
        limits = {
            "cpu": self.container_recommendation_max_allowed_cpu,
            "memory": self.container_recommendation_max_allowed_memory,
        }
        return {name: amount for name, amount in limits.items() if amount}


_ABOVE_ZERO: Final = ("_interval_ns", "_half_life_ns", "_interval_count", "_cpu_ns", "_memory_ns")


def _check(name: str, value: object) -> None:
    """Refuse values that make no sense."""
    path = f"vpa.{name}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if name.endswith(_ABOVE_ZERO) and value <= 0:
            raise InputError("must be above zero", path=path, fix="leave it out for the default")
        if name.endswith("_percentile") and not 0 <= value <= 1:
            raise InputError("must lie between 0 and 1", path=path, fix="write 0.9 for 90 %")
        if value < 0 and name != "eviction_rate_limit":
            raise InputError("is below zero", path=path, fix="leave it out for the default")
    elif isinstance(value, str) and "_max_allowed_" in name and value:
        try:
            quantity.parse(value)
        except quantity.QuantityError as error:
            raise InputError(str(error), path=path, fix="write 2 or 500m, or 4Gi") from None
