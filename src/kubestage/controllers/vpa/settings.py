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
    """The defaults are those of VPA 1.8, and the names are those of its flags.

    Times that end in `_ns` are nanoseconds. `per_vpa_config` is the feature gate PerVPAConfig.
    `write_checkpoints` is off, other than upstream: nothing here forgets what it has seen, so
    checkpoints are of use only to whoever wants to look at them.
    """

    recommender_interval_ns: int = _MINUTE_NS
    recommender_name: str = "default"
    recommendation_margin_fraction: float = 0.15
    pod_recommendation_min_cpu_millicores: float = 25
    pod_recommendation_min_memory_mb: float = 250
    target_cpu_percentile: float = 0.9
    recommendation_lower_bound_cpu_percentile: float = 0.5
    recommendation_upper_bound_cpu_percentile: float = 0.95
    confidence_interval_cpu_ns: int = _DAY_NS
    target_memory_percentile: float = 0.9
    recommendation_lower_bound_memory_percentile: float = 0.5
    recommendation_upper_bound_memory_percentile: float = 0.95
    confidence_interval_memory_ns: int = _DAY_NS
    humanize_memory: bool = False
    round_cpu_millicores: int = 1
    round_memory_bytes: int = 1
    memory_saver: bool = False
    memory_aggregation_interval_ns: int = _DAY_NS
    memory_aggregation_interval_count: int = 8
    memory_histogram_decay_half_life_ns: int = _DAY_NS
    cpu_histogram_decay_half_life_ns: int = _DAY_NS
    oom_bump_up_ratio: float = 1.2
    oom_min_bump_up_bytes: float = 100 * 1024 * 1024
    cpu_integer_post_processor_enabled: bool = False
    container_recommendation_max_allowed_cpu: str = ""
    container_recommendation_max_allowed_memory: str = ""
    write_checkpoints: bool = False
    checkpoints_gc_interval_ns: int = 10 * _MINUTE_NS
    ignored_vpa_object_namespaces: frozenset[str] = frozenset()
    per_vpa_config: bool = False

    updater_interval_ns: int = _MINUTE_NS
    min_replicas: int = 2
    eviction_tolerance: float = 0.5
    eviction_rate_limit: float = -1
    eviction_rate_burst: int = 1
    in_place_skip_disruption_budget: bool = False
    pod_update_threshold: float = 0.1
    in_recommendation_bounds_eviction_lifetime_threshold_ns: int = 12 * _HOUR_NS
    evict_after_oom_threshold_ns: int = 10 * _MINUTE_NS

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            _check(name, getattr(self, name))

    @property
    def max_allowed(self) -> dict[str, str]:
        """The most that is recommended to any container, where its policy says nothing."""
        limits = {
            "cpu": self.container_recommendation_max_allowed_cpu,
            "memory": self.container_recommendation_max_allowed_memory,
        }
        return {name: amount for name, amount in limits.items() if amount}


_ABOVE_ZERO: Final = ("_interval_ns", "_half_life_ns", "_interval_count", "_cpu_ns", "_memory_ns")


def _check(name: str, value: object) -> None:
    """Refuse what no flag could sensibly say."""
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
