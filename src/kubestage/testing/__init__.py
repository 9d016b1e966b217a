"""What tests of others are made of: builders of objects, and clusters as pytest fixtures.

Builders are small, valid Kubernetes objects as plain dicts.

>>> make_pod("web", cpu="100m")["spec"]["containers"][0]["resources"]
{'requests': {'cpu': '100m'}}

Each call gives a fresh dict, so that a test may change it. What is not requested is left out and
gets the API's default when the object enters a stage.

`Cluster` and `ClusterServer` are what the fixtures ``cluster`` and ``cluster_server`` of the pytest
plugin (`pytest_plugin`) hand out, `ClusterFactory` makes them. Belongs here: what users' tests need
to say what they mean in one line. Not here: rules about objects, nor how a cluster works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.errors import ExpectationFailed
from kubestage.testing.cluster import make_namespace, make_node, make_priority_class
from kubestage.testing.pods import make_container, make_pod, owner_reference
from kubestage.testing.policies import (
    make_horizontal_pod_autoscaler,
    make_pod_disruption_budget,
    make_service,
)
from kubestage.testing.workloads import (
    make_daemon_set,
    make_deployment,
    make_job,
    make_replica_set,
    make_stateful_set,
)

if TYPE_CHECKING:
    from kubestage.testing.clusters.cluster import Cluster
    from kubestage.testing.clusters.factory import ClusterFactory
    from kubestage.testing.clusters.faults import Fault
    from kubestage.testing.clusters.server import ClusterServer

__all__ = [
    "Cluster",
    "ClusterFactory",
    "ClusterServer",
    "ExpectationFailed",
    "Fault",
    "make_container",
    "make_daemon_set",
    "make_deployment",
    "make_horizontal_pod_autoscaler",
    "make_job",
    "make_namespace",
    "make_node",
    "make_pod",
    "make_pod_disruption_budget",
    "make_priority_class",
    "make_replica_set",
    "make_service",
    "make_stateful_set",
    "owner_reference",
]

# NOTE: pytest loads this package in every run; clusters are loaded when a test has one.
__getattr__ = lazy.exports(__name__)
