"""What the policies refuse, change and let pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import AdmissionDenied

if TYPE_CHECKING:
    from kubestage.testing import Cluster

pytestmark = pytest.mark.kubestage(nodes=3, manifests=["policies.yaml"])


def deployment(replicas: int, **labels: str) -> dict[str, Any]:
    app = {"app": "shop"}
    pod = {"metadata": {"labels": app}, "spec": {"containers": [{"name": "c", "image": "shop:1"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "shop", "namespace": "default", "labels": labels},
        "spec": {"replicas": replicas, "selector": {"matchLabels": app}, "template": pod},
    }


def test_a_team_and_few_replicas_pass(cluster: Cluster) -> None:
    cluster.create(deployment(3, team="shop"))
    cluster.expect("deploy/shop").field("metadata.labels.reviewed", "yes")
    cluster.expect("deploy/shop").ready(3, within="5m")


def test_nobody_s_deployment_is_refused(cluster: Cluster) -> None:
    with pytest.raises(AdmissionDenied, match="must have the label team"):
        cluster.create(deployment(3))


def test_the_limit_is_a_parameter(cluster: Cluster) -> None:
    with pytest.raises(AdmissionDenied, match="at most 5 replicas, got 6"):
        cluster.create(deployment(6, team="shop"))
    cluster.patch("configmap/limits", {"data": {"mostReplicas": "6"}})
    cluster.create(deployment(6, team="shop"))


def test_scaling_up_is_an_update(cluster: Cluster) -> None:
    cluster.create(deployment(3, team="shop"))
    with pytest.raises(AdmissionDenied, match="denied request: at most 5"):
        cluster.patch("deploy/shop", {"spec": {"replicas": 9}})
