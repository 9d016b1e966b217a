"""Pages of a staged cluster, under the paths at which ClusterLoader2 looks for them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cluster.access import Page
from tests.cluster import stages
from tests.cluster.stages import Heard

if TYPE_CHECKING:
    from kubestage.cluster.staged import StagedCluster
    from kubestage.stage import Stage

PODS = "/api/v1/namespaces/kube-system/pods"


def running() -> tuple[Stage, StagedCluster]:
    stage, cluster = stages.alive()
    used = stages.deployment("web", 3)
    used["spec"]["template"]["metadata"]["annotations"] = {
        "kubestage.dev/cpu-usage": "250m",
        "kubestage.dev/memory-usage": "64Mi",
    }
    cluster.call(stages.create(used), Heard().answer)
    stage.run("30s")
    return stage, cluster


def read(stage: Stage, cluster: StagedCluster, path: str) -> Page:
    heard = Heard()
    cluster.raw(path, heard.page)
    stage.run("1s")
    (page,) = heard.pages
    return page


@pytest.mark.parametrize("path", ["/readyz", "/readyz?exclude=shutdown", "/livez", "/healthz"])
def test_the_cluster_is_well(path: str) -> None:
    stage, cluster = stages.empty()
    assert read(stage, cluster, path) == Page(200, "ok")


def test_the_version_is_the_one_that_is_stood_in_for() -> None:
    stage, cluster = stages.empty()
    told = json.loads(read(stage, cluster, "/version").text)
    assert (told["major"], told["minor"], told["gitVersion"]) == ("1", "36", "v1.36.4")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("/metrics", 'apiserver_storage_objects{resource="pods"} 3\n'),
        (f"{PODS}/https:kube-scheduler-master:10259/proxy/metrics", "scheduler_pending_pods"),
        (f"{PODS}/kube-scheduler-kind:10259/proxy/metrics", "scheduler_pending_pods"),
        (f"{PODS}/https:kube-controller-manager-m:10257/proxy/metrics", "process_cpu_seconds"),
        (f"{PODS}/etcd-server-master:2379/proxy/metrics", "etcd_mvcc_db_total_size_in_bytes"),
        ("/api/v1/nodes/node-1/proxy/metrics", 'kubelet_running_pods{node="node-1"} 1\n'),
        ("/api/v1/nodes/node-1:10250/proxy/metrics/cadvisor", "container_cpu_usage_seconds_total"),
    ],
)
def test_metrics_of_components_are_under_their_paths(path: str, line: str) -> None:
    stage, cluster = running()
    page = read(stage, cluster, path)
    assert page.code == 200
    assert line in page.text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/debug/pprof/profile", "404 page not found"),
        ("/api/v1/nodes/node-9:10250/proxy/stats/summary", 'nodes \\"node-9\\" not found'),
        ("/api/v1/nodes/node-1:10250/proxy/configz", "404 page not found"),
        (f"{PODS}/https:kube-proxy-x:10249/proxy/metrics", 'pods \\"kube-proxy-x\\" not found'),
    ],
)
def test_what_is_not_there_is_not_found(path: str, words: str) -> None:
    stage, cluster = running()
    page = read(stage, cluster, path)
    assert page.code == 404
    assert words in page.text


def summary(stage: Stage, cluster: StagedCluster, node: str) -> dict[str, Any]:
    page = read(stage, cluster, f"/api/v1/nodes/{node}:10250/proxy/stats/summary")
    told: dict[str, Any] = json.loads(page.text)
    return told


def test_a_nodes_summary_tells_what_each_container_uses() -> None:
    stage, cluster = running()
    told = summary(stage, cluster, "node-1")
    (pod,) = told["pods"]
    (container,) = pod["containers"]
    assert pod["podRef"]["name"].startswith("web-")
    assert container["name"] == "main"
    assert container["cpu"]["usageNanoCores"] == 250_000_000
    assert container["memory"]["workingSetBytes"] == 64 * 1024**2
    ran_s = container["cpu"]["usageCoreNanoSeconds"] / 250_000_000
    assert 25 < ran_s < 35, "what it has used grows with time"
    names = [each["name"] for each in told["node"]["systemContainers"]]
    assert names == ["pods", "kubelet", "runtime"]
    assert told["node"]["cpu"]["usageNanoCores"] > 250_000_000


def test_the_summary_of_the_control_planes_node_has_its_components() -> None:
    stage, cluster = running()
    told = summary(stage, cluster, "master")
    names = [f"{each['podRef']['name']}/{each['containers'][0]['name']}" for each in told["pods"]]
    assert names == [
        "kube-apiserver-master/kube-apiserver",
        "kube-controller-manager-master/kube-controller-manager",
        "etcd-server-master/etcd-container",
        "kube-scheduler-master/kube-scheduler",
    ]
    assert all(each["containers"][0]["memory"]["workingSetBytes"] > 0 for each in told["pods"])
