"""The scheduler's metrics, with kube-scheduler's names, labels, help and buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.metrics import families
from kubestage.metrics.families import Counter, Gauge, Histogram, exponential_buckets
from kubestage.scheduler import metric_catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.metrics.families import Family

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
    """All families. Durations come in nanoseconds and exposed in seconds.

    When they are read, `settle` is called so that what was saved up is handed over, and `inspect`
    so that gauges are put to what is in the queue and the cache now.
    """

    def __init__(self) -> None:
        self.settle: Callable[[], None] | None = None
        self.inspect: Callable[[SchedulerMetrics], None] | None = None
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
            ("profile",),
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
        self._define_state()
        self._define_older_names()
        self._unobserved = metric_catalogue.unobserved()

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
        self.event_handling = Histogram(
            "scheduler_event_handling_duration_seconds",
            _ALPHA,
            "Event handling latency in seconds.",
            _POINT_LATENCY,
            ("event",),
        )
        self.queueing_hints = Histogram(
            "scheduler_queueing_hint_execution_duration_seconds",
            _ALPHA,
            "Duration for running a queueing hint function of a plugin.",
            _PLUGIN_LATENCY,
            ("plugin", "event", "hint"),
        )
        self.preemption_goroutines = Histogram(
            "scheduler_preemption_goroutines_duration_seconds",
            _ALPHA,
            "Duration in seconds for running goroutines for the preemption.",
            _SLI_LATENCY,
            ("result",),
        )

    def _define_state(self) -> None:
        """What is counted rarely, or looked up when metrics are read."""
        self.scheduled_after_flush = Counter(
            "scheduler_pod_scheduled_after_flush_total",
            _ALPHA,
            "Number of pods that were successfully scheduled after being flushed from"
            " unschedulablePods due to timeout. This metric helps detect potential queueing hint"
            " misconfigurations or event handling issues.",
        )
        self.preemption_executions = Counter(
            "scheduler_preemption_goroutines_execution_total",
            _ALPHA,
            "Number of preemption goroutines executed.",
            ("result",),
        )
        self.plugin_evaluations = Counter(
            "scheduler_plugin_evaluation_total",
            _BETA,
            "Number of attempts to schedule pods by each plugin and the extension point (available"
            " only in PreFilter, Filter, PreScore, and Score).",
            ("plugin", "extension_point", "profile"),
        )
        self.in_flight_events = Gauge(
            "scheduler_inflight_events",
            _ALPHA,
            "Number of events currently tracked in the scheduling queue.",
            ("event",),
        )
        self.goroutines = Gauge(
            "scheduler_goroutines",
            _BETA,
            "Number of running goroutines split by the work they do such as binding.",
            ("operation",),
        )
        self.cache_size = Gauge(
            "scheduler_cache_size",
            _ALPHA,
            "Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
            ("type",),
        )
        self.unschedulable_pods = Gauge(
            "scheduler_unschedulable_pods",
            _BETA,
            "The number of unschedulable pods broken down by plugin name. A pod will increment the"
            " gauge for all plugins that caused it to not schedule and so this metric have meaning"
            " only when broken down by plugin.",
            ("plugin", "profile"),
        )

    def _define_older_names(self) -> None:
        """Names of the releases in which profiles came up; each has the profile as a label."""
        self._e2e_duration = Histogram(
            "scheduler_e2e_scheduling_duration_seconds",
            _ALPHA,
            "(Deprecated since 1.23.0) E2e scheduling latency in seconds (scheduling algorithm +"
            " binding). Replaced by scheduling_attempt_duration_seconds.",
            _LATENCY,
            ("result", "profile"),
        )
        self._e2e_duration.distributions = self.attempt_duration.distributions
        self._preemption_evaluation = Histogram(
            "scheduler_scheduling_algorithm_preemption_evaluation_seconds",
            _ALPHA,
            "(Deprecated since 1.23.0) Scheduling algorithm preemption evaluation duration in"
            " seconds. Replaced by the PostFilter extension point.",
            _LATENCY,
            ("profile",),
        )
        self._binding_duration = Histogram(
            "scheduler_binding_duration_seconds",
            _ALPHA,
            "(Deprecated since 1.23.0) Binding latency in seconds. Replaced by the Bind extension"
            " point.",
            _LATENCY,
            ("profile",),
        )
        self._older = {"PostFilter": self._preemption_evaluation, "Bind": self._binding_duration}

    def know(self, profiles: Iterable[str]) -> None:
        """Show the attempts of every profile from zero on: one may stay there by mistake."""
        for profile in profiles:
            for result in (SCHEDULED, UNSCHEDULABLE, ERROR):
                self.schedule_attempts.expected.add((result, profile))

    def queued(self, queue: str, event: str) -> None:
        """A pod entered a queue."""
        self.incoming_pods.increase(queue, event)

    def ran(
        self, point: str, status: str, profile: str, duration_ns: float, times: int = 1
    ) -> None:
        """All plugins of an extension point have run."""
        seconds = duration_ns * _NS
        self.point_duration.distribution(point, status, profile).observe(seconds, times)
        older = self._older.get(point)
        if older is not None:
            older.distribution(profile).observe(seconds, times)

    def attempted(self, result: str, profile: str, duration_ns: int, times: int = 1) -> None:
        """An attempt came to its end."""
        self.schedule_attempts.increase(result, profile, times=times)
        self.attempt_duration.distribution(result, profile).observe(duration_ns * _NS, times)

    def decided(self, profile: str, duration_ns: int, times: int = 1) -> None:
        """The algorithm found a node, or that there is none."""
        self.algorithm_duration.distribution(profile).observe(duration_ns * _NS, times)

    def bound(self, attempts: int, waited_ns: int, times: int = 1) -> None:
        """A pod got its node after so many attempts."""
        if not times:
            return
        self.pod_attempts.distribution().observe(attempts, times)
        label = f"{_MANY_ATTEMPTS}+" if attempts >= _MANY_ATTEMPTS else str(attempts)
        self.sli_duration.distribution(label).observe(waited_ns * _NS, times)

    def permitted(self, result: str, waited_ns: int) -> None:
        """A pod no longer waits for a permit."""
        self.permit_wait_duration.distribution(result).observe(waited_ns * _NS)

    def preempted(self, victims: int, *, is_failed: bool = False) -> None:
        """Preemption was tried, and that many pods had to go."""
        self.preemption_attempts.increase()
        if victims:
            result = "error" if is_failed else "success"
            self.preemption_victims.distribution().observe(victims)
            self.preemption_executions.increase(result)
            self.preemption_goroutines.distribution(result).observe(0.0)

    def families(self) -> list[Family]:
        """All families, up to date."""
        if self.settle is not None:
            self.settle()
        if self.inspect is not None:
            self.inspect(self)
        found: list[Family] = [
            self.schedule_attempts, self.attempt_duration, self.algorithm_duration,
            self.pod_attempts, self.sli_duration, self.preemption_attempts,
            self.preemption_victims, self.pending_pods, self.point_duration, self.plugin_duration,
            self.permit_wait_duration, self.incoming_pods, self.event_handling,
            self.queueing_hints, self.preemption_goroutines, self.scheduled_after_flush,
            self.preemption_executions, self.plugin_evaluations, self.in_flight_events,
            self.goroutines, self.cache_size, self.unschedulable_pods, self._e2e_duration,
            self._preemption_evaluation, self._binding_duration, *self._unobserved,
        ]  # fmt: skip
        for family in found:
            family.is_announced = True
        return found

    def exposition(self) -> str:
        """The text of ``/metrics``."""
        return families.exposition(self.families())
