"""All measurements by the name that a configuration knows them by. This is the one place.

Each is a module and a class in it, imported when a configuration mentions it: a load that only
waits for pods does not pay for the rest.
"""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.measure.measurement import Measurement

_ROOM: Final = "kubestage.measure"

METHODS: Final[dict[str, str]] = {
    # Waiting for objects.
    "WaitForAvailablePVs": "waits.volumes:WaitForAvailablePVs",
    "WaitForBoundPVCs": "waits.volumes:WaitForBoundPVCs",
    "WaitForControlledPodsRunning": "waits.controlled_pods:WaitForControlledPodsRunning",
    "WaitForFinishedJobs": "waits.finished_jobs:WaitForFinishedJobs",
    "WaitForGenericK8sObjects": "waits.generic_objects:WaitForGenericK8sObjects",
    "WaitForNodes": "waits.nodes:WaitForNodes",
    "WaitForRunningPods": "waits.running_pods:WaitForRunningPods",
    # What a test does besides creating objects.
    "ChaosMonkey": "actions.chaos_monkey:ChaosMonkey",
    "Exec": "actions.exec:Exec",
    "Sleep": "actions.sleep:Sleep",
    "Timer": "actions.timer:Timer",
    # How long objects take.
    "JobLifecycleLatency": "latencies.job_lifecycle:JobLifecycleLatency",
    "PodStartupLatency": "latencies.pod_startup:PodStartupLatency",
    "PodStartupLatencyValidator": "latencies.pod_startup:PodStartupLatency",
    "ResourceClaimAllocationLatency": "latencies.resource_claims:ResourceClaimAllocationLatency",
    "SchedulingThroughput": "latencies.scheduling_throughput:SchedulingThroughput",
    # What the API server's own metrics say, without a Prometheus.
    "APICallLatencyValidator": "api_calls.responsiveness:APIResponsiveness",
    "APIResponsiveness": "api_calls.responsiveness:APIResponsiveness",
    "APIAvailability": "api_calls.availability:APIAvailability",
    # What a Prometheus says, or the stage's own store of metrics.
    "APIResponsivenessPrometheus": "prometheus.api_responsiveness:APIResponsivenessPrometheus",
    "CiliumEndpointPropagationDelay": "prometheus.cilium:CiliumEndpointPropagationDelay",
    "ContainerRestarts": "prometheus.container_restarts:ContainerRestarts",
    "GenericPrometheusQuery": "prometheus.generic_query:GenericPrometheusQuery",
    "KubeStateMetricsLatency": "prometheus.kube_state_metrics:KubeStateMetricsLatency",
    "MetricsServerPrometheus": "prometheus.metrics_server:MetricsServerPrometheus",
    "NegLatency": "prometheus.neg_latency:NegLatency",
    "NetworkProgrammingLatency": "prometheus.network_programming:NetworkProgrammingLatency",
    "NodeLocalDNSLatencyPrometheus": "prometheus.node_local_dns:NodeLocalDNSLatencyPrometheus",
    "PrometheusSchedulingMetrics": "prometheus.scheduling_metrics:PrometheusSchedulingMetrics",
    "SchedulingThroughputPrometheus": (
        "prometheus.scheduling_throughput:SchedulingThroughputPrometheus"
    ),
    "WindowsResourceUsagePrometheus": "prometheus.windows:WindowsResourceUsagePrometheus",
    # Components: their usage, metrics, profiles and health.
    "BlockProfile": "components.profiles:BlockProfile",
    "CPUProfile": "components.profiles:CPUProfile",
    "ClusterOOMsTracker": "components.ooms:ClusterOOMsTracker",
    "EtcdMetrics": "components.etcd:EtcdMetrics",
    "MemoryProfile": "components.profiles:MemoryProfile",
    "MetricsForE2E": "components.metrics_for_e2e:MetricsForE2E",
    "MetricsGatherer": "components.metrics_for_e2e:MetricsForE2E",
    "NodeHealthTracker": "components.node_health:NodeHealthTracker",
    "ProfileGatherer": "components.profiles:ProfileGatherer",
    "ResourceGatherer": "components.resource_usage:ResourceUsageSummary",
    "ResourceUsageSummary": "components.resource_usage:ResourceUsageSummary",
    "SchedulingMetrics": "components.scheduling_metrics:SchedulingMetrics",
    "SystemPodMetrics": "components.system_pods:SystemPodMetrics",
    # Several at once.
    "SLOMeasurement": "bundles.slo:SLOMeasurement",
    "TestMetrics": "bundles.test_metrics:TestMetrics",
    # What needs programs in the cluster, or a way into its machines, that a run does not have.
    "DNSPerformanceK8sHostnames": "skipped:DNSPerformanceK8sHostnames",
    "DnsLookupLatency": "skipped:DnsLookupLatency",
    "DnsPropagation": "skipped:DnsPropagation",
    "InClusterAPIServerRequestLatency": "skipped:InClusterAPIServerRequestLatency",
    "InClusterNetworkLatency": "skipped:InClusterNetworkLatency",
    "LoadBalancerNodeSyncLatency": "skipped:LoadBalancerNodeSyncLatency",
    "NetworkPerformanceMetrics": "skipped:NetworkPerformanceMetrics",
    "NetworkPolicyEnforcement": "skipped:NetworkPolicyEnforcement",
    "PodPeriodicCommand": "skipped:PodPeriodicCommand",
    "RestartApiserver": "skipped:RestartApiserver",
    "ServiceCreationLatency": "skipped:ServiceCreationLatency",
}


class Registry:
    """The measurements there are, and those that a user adds."""

    def __init__(self, own: dict[str, type[Measurement[Any]]] | None = None) -> None:
        self._own = {} if own is None else dict(own)

    def __contains__(self, method: str) -> bool:
        return method in self._own or method in METHODS

    def names(self) -> Iterable[str]:
        """All names, in order."""
        return sorted({*METHODS, *self._own})

    def find(self, method: str) -> type[Measurement[Any]]:
        """The class of a name; a user's own comes before one of ours."""
        own = self._own.get(method)
        if own is not None:
            return own
        where = METHODS.get(method)
        if where is None:
            close = difflib.get_close_matches(method, list(self.names()), 1)
            raise InputError(
                f"unknown measurement method {method!r}",
                path="method",
                fix=f"did you mean {close[0]!r}?" if close else "see kubestage load --list-methods",
            )
        module, _, name = where.partition(":")
        found: type[Measurement[Any]] = getattr(importlib.import_module(f"{_ROOM}.{module}"), name)
        return found
