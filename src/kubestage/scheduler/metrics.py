"""The scheduler's metrics, with kube-scheduler's names, labels, help and buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler import metric_families
from kubestage.scheduler.metric_families import Counter, Gauge, Histogram, exponential_buckets

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.scheduler.metric_families import Family

SCHEDULED: Final = "scheduled"
UNSCHEDULABLE: Final = "unschedulable"
ERROR: Final = "error"

_NS: Final = 1e-9
_MANY_ATTEMPTS: Final = 15
_STABLE, _BETA, _ALPHA = "STABLE", "BETA", "ALPHA"
_LATENCY: Final = exponential_buckets(0.001, 2, 15)
_POINT_LATENCY: Final = exponential_buckets(0.0001, 2, 12)
_PLUGIN_LATENCY: Final = exponential_buckets(0.00001, 1.5, 20)
_SLI_LATENCY: Final = exponential_buckets(0.01, 2, 20)


class SchedulerMetrics:
    """All families. Durations are given in nanoseconds and told in seconds.

    When they are read, `pending` is asked how many pods are in which queue, and `settle` is called
    so that what was saved up is handed over.
    """

    def __init__(self) -> None:
        self.pending: Callable[[], dict[str, int]] | None = None
        self.settle: Callable[[], None] | None = None
        self.schedule_attempts = Counter(
            "scheduler_schedule_attempts_total",
            _STABLE,
            "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could"
            " not be scheduled, while 'error' means an internal scheduler problem.",
            ("result", "profile"),
        )
        self.attempt_duration = Histogram(
            "scheduler_scheduling_attempt_duration_seconds",
            _STABLE,
            "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
            _LATENCY,
            ("result", "profile"),
        )
        self.algorithm_duration = Histogram(
            "scheduler_scheduling_algorithm_duration_seconds",
            _ALPHA,
            "Scheduling algorithm latency in seconds",
            _LATENCY,
        )
        self.pod_attempts = Histogram(
            "scheduler_pod_scheduling_attempts",
            _STABLE,
            "Number of attempts to successfully schedule a pod.",
            exponential_buckets(1, 2, 5),
        )
        self.sli_duration = Histogram(
            "scheduler_pod_scheduling_sli_duration_seconds",
            _BETA,
            "E2e latency for a pod being scheduled, from the time the pod enters the scheduling"
            " queue and might involve multiple scheduling attempts.",
            _SLI_LATENCY,
            ("attempts",),
        )
        self.preemption_attempts = Counter(
            "scheduler_preemption_attempts_total",
            _STABLE,
            "Total preemption attempts in the cluster till now",
        )
        self.preemption_victims = Histogram(
            "scheduler_preemption_victims",
            _STABLE,
            "Number of selected preemption victims",
            exponential_buckets(1, 2, 7),
        )
        self.pending_pods = Gauge(
            "scheduler_pending_pods",
            _STABLE,
            "Number of pending pods, by the queue type. 'active' means number of pods in activeQ;"
            " 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in"
            " unschedulablePods that the scheduler attempted to schedule and failed; 'gated' is"
            " the number of unschedulable pods that the scheduler never attempted to schedule"
            " because they are gated.",
            ("queue",),
        )
        self._define_latencies()

    def _define_latencies(self) -> None:
        self.point_duration = Histogram(
            "scheduler_framework_extension_point_duration_seconds",
            _STABLE,
            "Latency for running all plugins of a specific extension point.",
            _POINT_LATENCY,
            ("extension_point", "status", "profile"),
        )
        self.plugin_duration = Histogram(
            "scheduler_plugin_execution_duration_seconds",
            _ALPHA,
            "Duration for running a plugin at a specific extension point.",
            _PLUGIN_LATENCY,
            ("plugin", "extension_point", "status"),
        )
        self.permit_wait_duration = Histogram(
            "scheduler_permit_wait_duration_seconds",
            _BETA,
            "Duration of waiting on permit.",
            _LATENCY,
            ("result",),
        )
        self.incoming_pods = Counter(
            "scheduler_queue_incoming_pods_total",
            _STABLE,
            "Number of pods added to scheduling queues by event and queue type.",
            ("queue", "event"),
        )

    def queued(self, queue: str, event: str) -> None:
        """A pod entered a queue."""
        self.incoming_pods.increase(queue, event)

    def attempted(self, result: str, profile: str, duration_ns: int, times: int = 1) -> None:
        """An attempt came to its end."""
        self.schedule_attempts.increase(result, profile, times=times)
        self.attempt_duration.of(result, profile).observe(duration_ns * _NS, times)

    def decided(self, duration_ns: int, times: int = 1) -> None:
        """The algorithm found a node, or that there is none."""
        self.algorithm_duration.of().observe(duration_ns * _NS, times)

    def bound(self, attempts: int, waited_ns: int, times: int = 1) -> None:
        """A pod got its node after so many attempts."""
        if not times:
            return
        self.pod_attempts.of().observe(attempts, times)
        label = f"{_MANY_ATTEMPTS}+" if attempts >= _MANY_ATTEMPTS else str(attempts)
        self.sli_duration.of(label).observe(waited_ns * _NS, times)

    def permitted(self, result: str, waited_ns: int) -> None:
        """A pod no longer waits for a permit."""
        self.permit_wait_duration.of(result).observe(waited_ns * _NS)

    def preempted(self, victims: int) -> None:
        """Preemption was tried, and that many pods had to go."""
        self.preemption_attempts.increase()
        if victims:
            self.preemption_victims.of().observe(victims)

    def families(self) -> list[Family]:
        """All families, up to date."""
        if self.settle is not None:
            self.settle()
        if self.pending is not None:
            self.pending_pods.put({(queue,): count for queue, count in self.pending().items()})
        return [
            self.schedule_attempts, self.attempt_duration, self.algorithm_duration,
            self.pod_attempts, self.sli_duration, self.preemption_attempts,
            self.preemption_victims, self.pending_pods, self.point_duration, self.plugin_duration,
            self.permit_wait_duration, self.incoming_pods,
        ]  # fmt: skip

    def exposition(self) -> str:
        """What ``/metrics`` would say."""
        return metric_families.exposition(self.families())
