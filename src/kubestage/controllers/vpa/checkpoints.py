"""VerticalPodAutoscalerCheckpoints: what was seen, kept as objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.vpa import policies
from kubestage.controllers.vpa.aggregate_state import AggregateCheckpoint, AggregateContainerState
from kubestage.controllers.vpa.histogram import YEAR_ONE_NS, HistogramCheckpoint
from kubestage.errors import InputError
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.controllers.vpa.cluster_state import ClusterState
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.controllers.vpa.vpa_state import VpaState


def of_vpa(
    cluster: ClusterState, vpa: VpaState, settings: VpaSettings
) -> dict[str, AggregateCheckpoint]:
    """By container, what a VerticalPodAutoscaler should keep.

    The memory peaks of intervals that have not ended are left out: they will be seen again.
    """
    merged = vpa.by_container(settings, cluster.now_ns)
    for pod in cluster.pods.values():
        for name, container in pod.containers.items():
            if cluster.now_ns < container.window_end_ns and pod.key(name) in vpa.aggregates:
                merged[name].subtract_peak(container.max_memory_peak, container.window_end_ns)
    return {name: aggregate.save() for name, aggregate in merged.items()}


def restore(
    cluster: ClusterState,
    vpa: VpaState,
    container: str,
    checkpoint: AggregateCheckpoint,
    settings: VpaSettings,
) -> None:
    """Let a VerticalPodAutoscaler go on from what was kept."""
    aggregate = AggregateContainerState(settings, cluster.now_ns)
    aggregate.load(checkpoint)
    vpa.initial[container] = aggregate


def written(vpa: VpaState, container: str, checkpoint: AggregateCheckpoint, now: str) -> Json:
    """A checkpoint as an object."""
    return {
        "apiVersion": policies.CHECKPOINT[0],
        "kind": policies.CHECKPOINT[1],
        "metadata": {"namespace": vpa.namespace, "name": f"{vpa.name}-{container}"},
        "spec": {"vpaObjectName": vpa.name, "containerName": container},
        "status": {
            "lastUpdateTime": now,
            "version": checkpoint.version,
            "cpuHistogram": _written(checkpoint.cpu),
            "memoryHistogram": _written(checkpoint.memory),
            "firstSampleStart": _time(checkpoint.first_sample_ns),
            "lastSampleStart": _time(checkpoint.last_sample_ns),
            "totalSamplesCount": checkpoint.total_samples,
        },
    }


class _Histogram(msgspec.Struct, rename="camel"):
    """A histogram as an object has it."""

    reference_timestamp: str | None = None
    bucket_weights: dict[int, Annotated[int, msgspec.Meta(ge=0)]] | None = None
    total_weight: float | None = None


class _Status(msgspec.Struct, rename="camel"):
    """The contents of a checkpoint object."""

    version: str | None = None
    cpu_histogram: _Histogram | None = None
    memory_histogram: _Histogram | None = None
    first_sample_start: str | None = None
    last_sample_start: str | None = None
    total_samples_count: int | None = None


def read(obj: Json) -> AggregateCheckpoint:
    """An object as a checkpoint; `InputError` if it is none."""
    try:
        status = msgspec.convert(obj.get("status") or {}, _Status, str_keys=True)
    except msgspec.ValidationError as error:
        raise InputError(str(error)) from None
    return AggregateCheckpoint(
        status.version or "",
        _read(status.cpu_histogram or _Histogram()),
        _read(status.memory_histogram or _Histogram()),
        _nanos(status.first_sample_start),
        _nanos(status.last_sample_start),
        status.total_samples_count or 0,
    )


def _written(histogram: HistogramCheckpoint) -> Json:
    return {
        "referenceTimestamp": _time(histogram.reference_ns),
        "bucketWeights": {
            str(bucket): weight for bucket, weight in sorted(histogram.bucket_weights.items())
        },
        "totalWeight": histogram.total_weight,
    }


def _read(histogram: _Histogram) -> HistogramCheckpoint:
    return HistogramCheckpoint(
        histogram.bucket_weights or {},
        histogram.total_weight or 0.0,
        _nanos(histogram.reference_timestamp),
    )


def _time(at_ns: int) -> str | None:
    return None if at_ns == YEAR_ONE_NS else timestamps.format_time(at_ns)


def _nanos(text: str | None) -> int:
    if not text:
        return YEAR_ONE_NS
    try:
        return timestamps.parse_time(text)
    except ValueError as error:
        raise InputError(str(error)) from None
