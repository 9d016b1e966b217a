"""All measurements by the name that a configuration has for them. This is the one place.

A module is loaded when a configuration mentions one of its measurements: a load that only waits
for pods does not pay for the rest.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import InputError

with lazy.imports():
    from kubestage.measure import skipped
    from kubestage.measure.actions import chaos_monkey, sleep, timer
    from kubestage.measure.actions import exec as exec_
    from kubestage.measure.api_calls import availability, responsiveness
    from kubestage.measure.bundles import slo, test_metrics
    from kubestage.measure.components import (
        etcd,
        metrics_for_e2e,
        node_health,
        ooms,
        profiles,
        resource_usage,
        system_pods,
    )
    from kubestage.measure.components import scheduling_metrics as components_scheduling_metrics
    from kubestage.measure.latencies import job_lifecycle, pod_startup, resource_claims
    from kubestage.measure.latencies import scheduling_throughput as latencies_scheduling_throughput
    from kubestage.measure.prometheus import (
        api_responsiveness,
        cilium,
        container_restarts,
        generic_query,
        kube_state_metrics,
        metrics_server,
        neg_latency,
        network_programming,
        node_local_dns,
        windows,
    )
    from kubestage.measure.prometheus import scheduling_metrics as prometheus_scheduling_metrics
    from kubestage.measure.prometheus import (
        scheduling_throughput as prometheus_scheduling_throughput,
    )
    from kubestage.measure.waits import (
        controlled_pods,
        finished_jobs,
        generic_objects,
        nodes,
        running_pods,
        volumes,
    )

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.measure.measurement import Measurement

METHODS: Final[dict[str, Callable[[], type[Measurement[Any]]]]] = {
    # Waiting for objects.
    "WaitForAvailablePVs": lambda: volumes.WaitForAvailablePVs,
    "WaitForBoundPVCs": lambda: volumes.WaitForBoundPVCs,
    "WaitForControlledPodsRunning": lambda: controlled_pods.WaitForControlledPodsRunning,
    "WaitForFinishedJobs": lambda: finished_jobs.WaitForFinishedJobs,
    "WaitForGenericK8sObjects": lambda: generic_objects.WaitForGenericK8sObjects,
    "WaitForNodes": lambda: nodes.WaitForNodes,
    "WaitForRunningPods": lambda: running_pods.WaitForRunningPods,
    # What a test does besides creating objects.
    "ChaosMonkey": lambda: chaos_monkey.ChaosMonkey,
    "Exec": lambda: exec_.Exec,
    "Sleep": lambda: sleep.Sleep,
    "Timer": lambda: timer.Timer,
    # How long objects take.
    "JobLifecycleLatency": lambda: job_lifecycle.JobLifecycleLatency,
    "PodStartupLatency": lambda: pod_startup.PodStartupLatency,
    "PodStartupLatencyValidator": lambda: pod_startup.PodStartupLatency,
    "ResourceClaimAllocationLatency": lambda: resource_claims.ResourceClaimAllocationLatency,
    "SchedulingThroughput": lambda: latencies_scheduling_throughput.SchedulingThroughput,
    # By the API server's metrics, without a Prometheus.
    "APICallLatencyValidator": lambda: responsiveness.APIResponsiveness,
    "APIResponsiveness": lambda: responsiveness.APIResponsiveness,
    "APIAvailability": lambda: availability.APIAvailability,
    # By queries of a Prometheus, or of the stage's own store of metrics.
    "APIResponsivenessPrometheus": lambda: api_responsiveness.APIResponsivenessPrometheus,
    "CiliumEndpointPropagationDelay": lambda: cilium.CiliumEndpointPropagationDelay,
    "ContainerRestarts": lambda: container_restarts.ContainerRestarts,
    "GenericPrometheusQuery": lambda: generic_query.GenericPrometheusQuery,
    "KubeStateMetricsLatency": lambda: kube_state_metrics.KubeStateMetricsLatency,
    "MetricsServerPrometheus": lambda: metrics_server.MetricsServerPrometheus,
    "NegLatency": lambda: neg_latency.NegLatency,
    "NetworkProgrammingLatency": lambda: network_programming.NetworkProgrammingLatency,
    "NodeLocalDNSLatencyPrometheus": lambda: node_local_dns.NodeLocalDNSLatencyPrometheus,
    "PrometheusSchedulingMetrics": lambda: (
        prometheus_scheduling_metrics.PrometheusSchedulingMetrics
    ),
    "SchedulingThroughputPrometheus": lambda: (
        prometheus_scheduling_throughput.SchedulingThroughputPrometheus
    ),
    "WindowsResourceUsagePrometheus": lambda: windows.WindowsResourceUsagePrometheus,
    # Components: their usage, metrics, profiles and health.
    "BlockProfile": lambda: profiles.BlockProfile,
    "CPUProfile": lambda: profiles.CPUProfile,
    "ClusterOOMsTracker": lambda: ooms.ClusterOOMsTracker,
    "EtcdMetrics": lambda: etcd.EtcdMetrics,
    "MemoryProfile": lambda: profiles.MemoryProfile,
    "MetricsForE2E": lambda: metrics_for_e2e.MetricsForE2E,
    "MetricsGatherer": lambda: metrics_for_e2e.MetricsForE2E,
    "NodeHealthTracker": lambda: node_health.NodeHealthTracker,
    "ProfileGatherer": lambda: profiles.ProfileGatherer,
    "ResourceGatherer": lambda: resource_usage.ResourceUsageSummary,
    "ResourceUsageSummary": lambda: resource_usage.ResourceUsageSummary,
    "SchedulingMetrics": lambda: components_scheduling_metrics.SchedulingMetrics,
    "SystemPodMetrics": lambda: system_pods.SystemPodMetrics,
    # Several at once.
    "SLOMeasurement": lambda: slo.SLOMeasurement,
    "TestMetrics": lambda: test_metrics.TestMetrics,
    # What needs programs in the cluster, or access to its machines, that a run does not have.
    "DNSPerformanceK8sHostnames": lambda: skipped.DNSPerformanceK8sHostnames,
    "DnsLookupLatency": lambda: skipped.DnsLookupLatency,
    "DnsPropagation": lambda: skipped.DnsPropagation,
    "InClusterAPIServerRequestLatency": lambda: skipped.InClusterAPIServerRequestLatency,
    "InClusterNetworkLatency": lambda: skipped.InClusterNetworkLatency,
    "LoadBalancerNodeSyncLatency": lambda: skipped.LoadBalancerNodeSyncLatency,
    "NetworkPerformanceMetrics": lambda: skipped.NetworkPerformanceMetrics,
    "NetworkPolicyEnforcement": lambda: skipped.NetworkPolicyEnforcement,
    "PodPeriodicCommand": lambda: skipped.PodPeriodicCommand,
    "RestartApiserver": lambda: skipped.RestartApiserver,
    "ServiceCreationLatency": lambda: skipped.ServiceCreationLatency,
}

ACTING: Final = frozenset({"ChaosMonkey", "Exec", "Sleep"})
"""Methods that do something and measure nothing."""


class Registry:
    """The built-in measurements, and those that a user adds."""

    def __init__(self, added: dict[str, type[Measurement[Any]]] | None = None) -> None:
        self._added = {} if added is None else dict(added)

    def __contains__(self, method: str) -> bool:
        return method in self._added or method in METHODS

    def names(self) -> Iterable[str]:
        """All names, in order."""
        return sorted({*METHODS, *self._added})

    def find(self, method: str) -> type[Measurement[Any]]:
        """The class of a name; one that a user added comes before a built-in one."""
        added = self._added.get(method)
        if added is not None:
            return added
        found = METHODS.get(method)
        if found is None:
            close = difflib.get_close_matches(method, list(self.names()), 1)
            raise InputError(
                f"unknown measurement method {method!r}",
                path="method",
                fix=f"did you mean {close[0]!r}?" if close else "see kubestage load --list-methods",
            )
        return found()
