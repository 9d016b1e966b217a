"""Measurements that a run cannot make: they need programs in the cluster, or its machines.

Each accepts any parameters and reports what it would need, as ClusterLoader2 does where a provider
lacks the feature. A load that uses them runs all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kubestage.measure.measurement import Measurement
from kubestage.measure.params import FreeParams
from kubestage.measure.results import MeasurementResult

if TYPE_CHECKING:
    from kubestage.measure.results import Result


class Skipped(Measurement[FreeParams]):
    """A measurement that is always skipped; `needs` is what is missing."""

    params_type = FreeParams
    needs: ClassVar[str] = ""

    def perform(self, params: FreeParams) -> Result:
        """Report why nothing is measured."""
        del params
        return MeasurementResult(skipped=f"needs {self.needs}")


class DNSPerformanceK8sHostnames(Skipped):
    """How many names a DNS server resolves for a number of clients."""

    needs = "client pods that send DNS queries, and a DNS server that answers them"


class DnsLookupLatency(Skipped):
    """How long a name takes to be resolved inside the cluster."""

    needs = "prober pods that look up names, and a Prometheus that scrapes them"


class DnsPropagation(Skipped):
    """How long it takes until the name of a new pod is resolved."""

    needs = "prober pods that look up names, and a Prometheus that scrapes them"


class InClusterAPIServerRequestLatency(Skipped):
    """How long a request to the API server takes from inside the cluster."""

    needs = "prober pods that call the API server, and a Prometheus that scrapes them"


class InClusterNetworkLatency(Skipped):
    """How long a ping takes from one pod to another."""

    needs = "prober pods that ping one another, and a Prometheus that scrapes them"


class LoadBalancerNodeSyncLatency(Skipped):
    """How long load balancers take to learn of a new or deleted node."""

    needs = "load balancers of a cloud provider"


class NetworkPerformanceMetrics(Skipped):
    """Throughput and latency of TCP, UDP and HTTP between pairs of pods."""

    needs = "worker pods that send traffic to one another"


class NetworkPolicyEnforcement(Skipped):
    """How long it takes until a network policy is enforced."""

    needs = "client pods that connect to others, and a network that enforces policies"


class PodPeriodicCommand(Skipped):
    """The output of a command that is run in pods repeatedly."""

    needs = "commands in the containers of pods (exec)"


class RestartApiserver(Skipped):
    """How the cluster behaves when its API server is restarted."""

    needs = "SSH to the machines of the control plane"


class ServiceCreationLatency(Skipped):
    """How long it takes until a new service can be reached."""

    needs = "the exec service: pods from which services are called"
