"""A tool on the official Kubernetes client, tested on a cluster with a Deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import rollout
from kubernetes.client import ApiClient, Configuration
from kubernetes.config import load_kube_config

from kubestage.testing import make_deployment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.testing import ClusterServer

pytestmark = pytest.mark.kubestage(manifests=[make_deployment("web", replicas=3, cpu="1")])
IMAGE = "spec.template.spec.containers.0.image"


@pytest.fixture
def client(cluster_server: ClusterServer) -> Iterator[ApiClient]:
    cluster_server.expect("deploy/web").ready(3, within="2m")
    configuration = Configuration()
    load_kube_config(cluster_server.kubeconfig, client_configuration=configuration)
    with ApiClient(configuration) as made:
        yield made


def test_all_pods_get_the_new_image(cluster_server: ClusterServer, client: ApiClient) -> None:
    rollout.release(client, "web", "app:2.0")
    cluster_server.expect("deploy/web").ready(3).field(IMAGE, "app:2.0")
    images = {
        pod["spec"]["containers"][0]["image"]
        for pod in cluster_server.list("pods", "app=web")
        if "deletionTimestamp" not in pod["metadata"]
    }
    assert images == {"app:2.0"}


def test_it_goes_back_if_pods_find_no_node(
    cluster_server: ClusterServer, client: ApiClient
) -> None:
    for name in ("node-0", "node-1", "node-2"):
        cluster_server.patch(f"node/{name}", {"spec": {"unschedulable": True}})
    with pytest.raises(rollout.RolloutFailed):
        rollout.release(client, "web", "app:2.0", timeout_s=1)
    cluster_server.expect("deploy/web").field(IMAGE, "app:1.0").ready(3, within="2m")
    cluster_server.expect.events(reason="FailedScheduling")


@pytest.mark.parametrize("code", [409, 500])
def test_it_tries_again(cluster_server: ClusterServer, client: ApiClient, code: int) -> None:
    with cluster_server.faults.refuse(code, verb="patch", kind="deploy", times=2) as refused:
        rollout.release(client, "web", "app:2.0")
    assert refused.met == 2
    cluster_server.expect("deploy/web").ready(3)


def test_a_webhook_that_fails_stops_the_rollout(
    cluster_server: ClusterServer, client: ApiClient
) -> None:
    with cluster_server.faults.fail_webhook("policy.example.com", kinds=["pods"]):
        with pytest.raises(rollout.RolloutFailed):
            rollout.release(client, "web", "app:2.0", timeout_s=1)
        cluster_server.expect.events(reason="FailedCreate", message="failed calling webhook")
