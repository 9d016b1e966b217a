"""Small clusters whose answers can be computed by hand.

A container starts in one second, an image is pulled in one, and a container ends in one. So a pod
that is evicted at time t is gone at t+1, which a client that looks every second sees at t+2; its
successor is ready at t+2 on a node without the image, else at t+1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import Stage
from kubestage.runs.rehearse import open_cluster
from kubestage.testing import make_deployment, make_node, make_pod

if TYPE_CHECKING:
    from kubestage.runs.rehearse import Cluster

Json = dict[str, Any]


def cluster(*objects: Json) -> Cluster:
    """A cluster at rest with these objects."""
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    first = [each for each in objects if each["kind"] in ("Node", "NodeGroup")]
    stage.apply(first)
    stage.run("1ms")
    stage.apply([each for each in objects if each not in first])
    return open_cluster(stage)


def nodes(number: int, **options: Any) -> list[Json]:
    """Nodes ``n1``, ``n2`` ... with one CPU each, unless options say otherwise."""
    return [make_node(f"n{each}", **{"cpu": "1", **options}) for each in range(1, number + 1)]


def spread(name: str, replicas: int, **options: Any) -> Json:
    """A Deployment of which a node holds one pod: it requests more than half of it."""
    return make_deployment(name, replicas=replicas, cpu="600m", **options)


def pod_on(node: str, name: str, **options: Any) -> Json:
    """A pod without owner, for a node."""
    pod: Json = make_pod(name, **options)
    pod["spec"]["nodeSelector"] = {"kubernetes.io/hostname": node}
    return pod
