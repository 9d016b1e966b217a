"""Requests through the API, and from containers, to the kubelets of nodes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubestage import Stage
from kubestage.testing import make_node, make_pod
from tests.server import calling
from tests.server.clusters import serving

NODE = "/api/v1/nodes/n1"


@pytest.fixture(scope="module")
def stage() -> Stage:
    made = Stage()
    made.add_scheduler()
    made.add_controllers()
    made.apply([make_node("n1", cpu="4"), make_node("n2", cpu="1m"), make_pod("web")])
    made.run("30s")
    return made


def call(stage: Stage, path: str, method: str = "GET") -> calling.Answer:
    return asyncio.run(calling.call(calling.application(stage), method, path))


def test_the_pages_of_a_kubelet(stage: Stage) -> None:
    assert call(stage, f"{NODE}/proxy/healthz").body == b"ok"
    metrics = call(stage, f"{NODE}:10250/proxy/metrics").body.decode()
    assert 'kubelet_running_pods{node="n1"} 1' in metrics
    (pod,) = call(stage, f"{NODE}/proxy/pods").json["items"]
    assert pod["metadata"]["name"] == "web"
    summary = call(stage, "/api/v1/nodes/https:n1:10250/proxy/stats/summary").json
    assert summary["node"]["nodeName"] == "n1"
    assert [each["podRef"]["name"] for each in summary["pods"]] == ["web"]


def test_what_nodes_pods_and_containers_use(stage: Stage) -> None:
    text = call(stage, f"{NODE}/proxy/metrics/resource").body.decode()
    samples = {line.partition("{")[0].partition(" ")[0] for line in text.splitlines()}
    assert samples >= {
        "node_cpu_usage_seconds_total",
        "node_memory_working_set_bytes",
        "pod_cpu_usage_seconds_total",
        "pod_memory_working_set_bytes",
        "container_cpu_usage_seconds_total",
        "container_memory_working_set_bytes",
        "container_start_time_seconds",
        "resource_scrape_error",
    }
    assert (
        "container_start_time_seconds"
        in call(stage, f"{NODE}/proxy/metrics/cadvisor").body.decode()
    )


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"{NODE}/proxy/other", 404),
        ("/api/v1/nodes/absent/proxy/metrics", 404),
        (f"{NODE}/proxy", 301),
    ],
)
def test_what_is_not_there(stage: Stage, path: str, code: int) -> None:
    assert call(stage, path).status == code


def test_a_kubelet_can_only_be_read(stage: Stage) -> None:
    assert call(stage, f"{NODE}/proxy/healthz", "POST").status == 405


def test_without_kubelets_there_is_no_proxy() -> None:
    made = Stage()
    made.apply([make_node("n1")])
    answer = call(made, f"{NODE}/proxy/metrics")
    assert (answer.status, "no kubelets are at work" in answer.json["message"]) == (400, True)


def test_containers_reach_a_kubelet_with_a_token_that_may() -> None:
    pod = make_pod("web")
    pod["spec"]["containers"][0] |= {
        "image": "busybox",
        "command": ["sh", "-c", SCRIPT],
        "volumeMounts": [{"name": "token", "mountPath": "/t"}],
    }
    pod["spec"]["restartPolicy"] = "Never"
    source = {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}}
    pod["spec"]["volumes"] = [{"name": "token", "projected": {"sources": [source]}}]
    node = make_node("n1", cpu="4")
    node["status"]["addresses"] = [{"type": "InternalIP", "address": "172.18.0.9"}]
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}

    async def story() -> list[str]:
        made = Stage()
        made.add_scheduler()
        made.add_controllers()
        async with serving(made, authorization_modes=("Node", "RBAC")) as server:
            made.apply([node, account, pod])
            await server.advance("30s")
            log = await server.ask("GET", "/api/v1/namespaces/default/pods/web/log")
            return log.body.decode().split()

    assert asyncio.run(story()) == ["401", "401", "403"]


SCRIPT = """
url=https://172.18.0.9:10250/metrics
curl -sIk -o /dev/null -w '%{http_code}\\n' $url
curl -sk -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer nothing" $url
curl -sk -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer $(cat /t/token)" $url
"""


def with_capacity(stage: Stage, **capacity: Any) -> Any:
    """The allocatable amounts of a node after a client has changed its capacity."""
    node = stage.store.get(("v1", "Node"), "n1")
    changed = {**node["status"]["capacity"], **capacity}
    kept = {name: amount for name, amount in changed.items() if amount is not None}
    stage.store.record_status(("v1", "Node"), "n1", {**node["status"], "capacity": kept})
    stage.run("1s")
    return stage.store.get(("v1", "Node"), "n1")["status"]["allocatable"]


def test_extended_resources_that_are_added_are_allocatable() -> None:
    made = Stage()
    made.add_controllers()
    made.apply([make_node("n1", cpu="4")])
    made.run("30s")
    before = made.store.get(("v1", "Node"), "n1")["status"]["allocatable"]
    found = with_capacity(made, **{"example.com/dongle": "4", "cpu": "8"})
    assert found == {**before, "example.com/dongle": "4"}
    assert with_capacity(made, **{"example.com/dongle": None}) == before
