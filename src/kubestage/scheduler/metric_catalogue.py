"""The metrics of kube-scheduler v1.36 that the scheduler only counts now and then, or never.

They are announced like all others, so that dashboards and alerts find every name. Where nothing in
kubestage could produce a sample (a feature gate that is off by default, calls that are not
asynchronous here), the family stays empty, as it does in a kube-scheduler without that feature.
"""

from __future__ import annotations

from typing import Final

from kubestage.metrics.families import Counter, Family, Gauge, Histogram, exponential_buckets

_ALPHA: Final = "ALPHA"
_LATENCY: Final = exponential_buckets(0.001, 2, 15)
_BATCH_LATENCY: Final = exponential_buckets(0.00001, 2, 12)


def unobserved() -> list[Family]:
    """Every family that has no samples in kubestage, in upstream's groups."""
    return [*_batching(), *_asynchronous_calls(), *_devices(), *_pod_groups(), *_volumes()]


def _batching() -> list[Family]:
    return [
        Counter(
            "scheduler_batch_attempts_total",
            _ALPHA,
            "Counts of results when we attempt to use batching.",
            ("profile", "result"),
        ),
        Counter(
            "scheduler_batch_cache_flushed_total",
            _ALPHA,
            "Counts of cache flushes by reason.",
            ("profile", "reason"),
        ),
        Histogram(
            "scheduler_get_node_hint_duration_seconds",
            _ALPHA,
            "Latency for getting a node hint.",
            _BATCH_LATENCY,
            ("hinted", "profile"),
        ),
        Histogram(
            "scheduler_store_schedule_results_duration_seconds",
            _ALPHA,
            "Latency for getting a no.",
            _BATCH_LATENCY,
            ("profile",),
        ),
    ]


def _asynchronous_calls() -> list[Family]:
    labels = ("call_type", "result")
    return [
        Counter(
            "scheduler_async_api_call_execution_total",
            _ALPHA,
            "Total number of API calls executed by the async dispatcher.",
            labels,
        ),
        Histogram(
            "scheduler_async_api_call_execution_duration_seconds",
            _ALPHA,
            "Duration in seconds for executing API call in the async dispatcher.",
            _LATENCY,
            labels,
        ),
        Gauge(
            "scheduler_pending_async_api_calls",
            _ALPHA,
            "Number of API calls currently pending in the async queue.",
            ("call_type",),
        ),
    ]


def _devices() -> list[Family]:
    labels = ("profile", "driver", "status")
    return [
        Counter(
            "scheduler_resourceclaim_creates_total",
            _ALPHA,
            "Number of ResourceClaims creation requests within scheduler",
            ("status",),
        ),
        Counter(
            "scheduler_dra_bindingconditions_allocations_total",
            _ALPHA,
            "Number of allocations using devices with BindingConditions, counted per driver per"
            " scheduling attempt",
            labels,
        ),
        Histogram(
            "scheduler_dra_bindingconditions_wait_duration_seconds",
            _ALPHA,
            "Time in seconds spent waiting for BindingConditions to be satisfied during PreBind.",
            exponential_buckets(0.1, 2, 14),
            labels,
        ),
    ]


def _pod_groups() -> list[Family]:
    labels = ("result", "profile")
    return [
        Counter(
            "scheduler_podgroup_schedule_attempts_total",
            _ALPHA,
            "Number of attempts to schedule pod group, by the result. 'unschedulable' means a pod"
            " group could not be scheduled, while 'error' means an internal scheduler problem.",
            labels,
        ),
        Histogram(
            "scheduler_podgroup_scheduling_attempt_duration_seconds",
            _ALPHA,
            "Pod group scheduling attempt latency in seconds (scheduling algorithm + binding)",
            _LATENCY,
            labels,
        ),
        Histogram(
            "scheduler_podgroup_scheduling_algorithm_duration_seconds",
            _ALPHA,
            "Pod group scheduling algorithm latency in seconds",
            _LATENCY,
        ),
    ]


def _volumes() -> list[Family]:
    return [
        Counter(
            "scheduler_volume_binder_cache_requests_total",
            _ALPHA,
            "Total number for request volume binding cache",
            ("operation",),
        ),
        Counter(
            "scheduler_volume_scheduling_stage_error_total",
            _ALPHA,
            "Volume scheduling stage error count",
            ("operation",),
        ),
    ]
