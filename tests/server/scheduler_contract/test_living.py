"""What the others in a cluster do about what kube-scheduler has decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.testing import make_deployment, make_pod
from tests.server.scheduler_contract import scheduler_calls as calls
from tests.server.scheduler_contract.informers import following

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.server.scheduler_contract.go_client import GoClient


def create(client: GoClient, namespace: str, name: str, **spec: Any) -> Json:
    pod = make_pod(name, cpu="100m")
    pod["metadata"] = {"name": name}
    pod["spec"] |= spec
    return client.post(f"/api/v1/namespaces/{namespace}/pods", pod)


def is_running(pod: Json | None) -> bool:
    return pod is not None and pod["status"].get("phase") == "Running"


def test_a_bound_pod_runs(client: GoClient, namespace: str) -> None:
    with following(client, f"/api/v1/namespaces/{namespace}/pods") as pods:
        calls.bind(client, create(client, namespace, "p"), "node-0")
        pods.wait(lambda found: is_running(found.get(f"{namespace}/p")))


def test_a_victim_ends_gracefully_and_makes_room(client: GoClient, namespace: str) -> None:
    with following(client, f"/api/v1/namespaces/{namespace}/pods") as pods:
        calls.bind(client, create(client, namespace, "victim"), "node-0")
        pods.wait(lambda found: is_running(found.get(f"{namespace}/victim")))
        boss = create(client, namespace, "boss")
        boss = calls.fail(client, boss, "0/3 nodes are available", nominated="node-0")
        victim = pods.objects[f"{namespace}/victim"]
        leaving = calls.preempt(client, victim, boss, "node-0")
        assert leaving["metadata"]["deletionGracePeriodSeconds"] == 30
        assert "deletionTimestamp" in leaving["metadata"]
        reasons = {each["type"]: each.get("reason") for each in leaving["status"]["conditions"]}
        assert reasons["DisruptionTarget"] == "PreemptionByScheduler"
        pods.wait(lambda found: f"{namespace}/victim" not in found)
        calls.bind(client, boss, "node-0")
        pods.wait(lambda found: is_running(found.get(f"{namespace}/boss")))


def test_a_deployment_becomes_available_pod_by_pod(client: GoClient, namespace: str) -> None:
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    made = make_deployment("web", replicas=3, cpu="100m")
    made["metadata"] = {"name": "web"}
    with (
        following(client, f"/api/v1/namespaces/{namespace}/pods") as pods,
        following(client, deployments) as workloads,
    ):
        client.post(deployments, made)
        pods.wait(lambda found: len(found) == 3)
        for number, pod in enumerate(list(pods.objects.values())):
            calls.bind(client, pod, f"node-{number}")
        workloads.wait(
            lambda found: found[f"{namespace}/web"]["status"].get("availableReplicas") == 3
        )


def test_a_namespace_that_goes_takes_its_pods_along(client: GoClient, namespace: str) -> None:
    with following(client, "/api/v1/namespaces") as namespaces:
        calls.bind(client, create(client, namespace, "p"), "node-0")
        client.delete(f"/api/v1/namespaces/{namespace}")
        namespaces.wait(lambda found: namespace not in found)


def test_a_node_that_comes_is_ready_soon(client: GoClient, namespace: str) -> None:
    name = f"late-{namespace}"
    capacity = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"capacity": capacity}}  # fmt: skip
    with following(client, "/api/v1/nodes") as nodes:
        client.post("/api/v1/nodes", node)
        ready = nodes.wait(lambda found: _if_ready(found.get(name)))
        assert ready["status"]["allocatable"]["cpu"] == "4"
        assert "taints" not in ready["spec"]
        client.delete(f"/api/v1/nodes/{name}")
        nodes.wait(lambda found: name not in found)


def _if_ready(node: Json | None) -> Json | None:
    if node is None or node["spec"].get("taints"):
        return None
    found = {each["type"]: each["status"] for each in node["status"].get("conditions", [])}
    return node if found.get("Ready") == "True" else None
