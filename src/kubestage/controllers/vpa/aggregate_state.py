"""The usage of all containers of one name in pods of equal labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.vpa import amounts
from kubestage.controllers.vpa.buckets import ExponentialBuckets
from kubestage.controllers.vpa.histogram import (
    YEAR_ONE_NS,
    DecayingHistogram,
    HistogramCheckpoint,
    elapsed_ns,
)
from kubestage.errors import InputError
from kubestage.objects import quantity
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.controllers.vpa.settings import VpaSettings


CHECKPOINT_VERSION: Final = "v3"
SAMPLE_WEIGHT: Final = 0.1
_EPSILON: Final = 0.001 * SAMPLE_WEIGHT
_GROWTH: Final = 1.0 + 0.05

CPU_BUCKETS: Final = ExponentialBuckets(1000.0, 0.01, _GROWTH, _EPSILON)
MEMORY_BUCKETS: Final = ExponentialBuckets(1e12, 1e7, _GROWTH, _EPSILON)


class AggregateCheckpoint(msgspec.Struct):
    """An aggregate in few numbers."""

    version: str
    cpu: HistogramCheckpoint
    memory: HistogramCheckpoint
    first_sample_ns: int = YEAR_ONE_NS
    last_sample_ns: int = YEAR_ONE_NS
    total_samples: int = 0


class AggregateContainerState:
    """Two histograms, the time and number of their samples, and the policy of the container.

    Only samples of CPU are counted.
    """

    def __init__(self, settings: VpaSettings, created_ns: int) -> None:
        self._settings = settings
        self.cpu_usage = DecayingHistogram(CPU_BUCKETS, settings.cpu_histogram_decay_half_life_ns)
        self.memory_peaks = DecayingHistogram(
            MEMORY_BUCKETS, settings.memory_histogram_decay_half_life_ns
        )
        self.first_sample_ns = YEAR_ONE_NS
        self.last_sample_ns = YEAR_ONE_NS
        self.total_samples = 0
        self.created_ns = created_ns
        self.controlled: tuple[str, ...] = amounts.BOTH
        self.oom_bump_up_ratio = settings.oom_bump_up_ratio
        self.oom_min_bump_up = settings.oom_min_bump_up_bytes
        self.memory_interval_ns = settings.memory_aggregation_interval_ns
        self.memory_interval_count = settings.memory_aggregation_interval_count

    def add_cpu(self, millicores: int, at_ns: int) -> None:
        """A sample of CPU."""
        self.cpu_usage.add(millicores / 1000.0, SAMPLE_WEIGHT, at_ns)
        self.last_sample_ns = max(self.last_sample_ns, at_ns)
        if self.first_sample_ns == YEAR_ONE_NS or at_ns < self.first_sample_ns:
            self.first_sample_ns = at_ns
        self.total_samples += 1

    def add_peak(self, bytes_: int, at_ns: int) -> None:
        """The most memory that a container used in an interval, which ends then."""
        self.memory_peaks.add(float(bytes_), 1.0, at_ns)

    def subtract_peak(self, bytes_: int, at_ns: int) -> None:
        """It was not the most."""
        self.memory_peaks.subtract(float(bytes_), 1.0, at_ns)

    def merge(self, other: AggregateContainerState) -> None:
        """Add all that another one has seen."""
        self.cpu_usage.merge(other.cpu_usage)
        self.memory_peaks.merge(other.memory_peaks)
        if self.first_sample_ns == YEAR_ONE_NS or (
            YEAR_ONE_NS != other.first_sample_ns < self.first_sample_ns
        ):
            self.first_sample_ns = other.first_sample_ns
        self.last_sample_ns = max(self.last_sample_ns, other.last_sample_ns)
        self.total_samples += other.total_samples

    def save(self) -> AggregateCheckpoint:
        """What a checkpoint keeps."""
        return AggregateCheckpoint(
            CHECKPOINT_VERSION,
            self.cpu_usage.save(),
            self.memory_peaks.save(),
            self.first_sample_ns,
            self.last_sample_ns,
            self.total_samples,
        )

    def load(self, checkpoint: AggregateCheckpoint) -> None:
        """Go on from a checkpoint."""
        if checkpoint.version != CHECKPOINT_VERSION:
            raise InputError(f"unsupported checkpoint version {checkpoint.version}")
        self.total_samples = checkpoint.total_samples
        self.first_sample_ns = checkpoint.first_sample_ns
        self.last_sample_ns = checkpoint.last_sample_ns
        self.memory_peaks.load(checkpoint.memory)
        self.cpu_usage.load(checkpoint.cpu)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever seen."""
        return not self.total_samples

    def is_expired(self, now_ns: int) -> bool:
        """Whether what was seen is too old to mean anything."""
        since_ns = self.created_ns if self.is_empty else self.last_sample_ns
        window_ns = self.memory_interval_ns * self.memory_interval_count
        return elapsed_ns(since_ns, now_ns) >= window_ns

    def update_from_policy(self, policy: Json | None) -> None:
        """Apply the policy of a container: its resources and its mode."""
        policy = policy or {}
        controlled = policy.get("controlledResources")
        self.controlled = amounts.BOTH
        if controlled is not None:
            self.controlled = tuple(name for name in controlled if name in amounts.BOTH)
        if not self._settings.per_vpa_config:
            return
        if policy.get("oomBumpUpRatio") is not None:
            self.oom_bump_up_ratio = quantity.milli_value_of(policy["oomBumpUpRatio"]) / 1000.0
        if policy.get("oomMinBumpUp") is not None:
            self.oom_min_bump_up = quantity.milli_value_of(policy["oomMinBumpUp"]) / 1000.0
        if policy.get("memoryAggregationIntervalSeconds") is not None:
            self.memory_interval_ns = policy["memoryAggregationIntervalSeconds"] * SECOND_NS
        if policy.get("memoryAggregationIntervalCount") is not None:
            self.memory_interval_count = policy["memoryAggregationIntervalCount"]
