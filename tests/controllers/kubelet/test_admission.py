"""Pods that a node refuses: reasons and words are the kubelet's."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.kubelet import progress
from tests.controllers.kubelet.clusters import Cluster, at

CAPACITY = {"cpu": "2", "memory": "1Gi", "pods": "3", "ephemeral-storage": "1Gi", "x.io/gpu": "1"}


def cluster_of(capacity: dict[str, str], **parts: Any) -> Cluster:
    cluster = Cluster()
    cluster.node(status={"capacity": capacity}, **parts)
    cluster.run("1s")
    return cluster


def asking(**requests: str) -> dict[str, Any]:
    amounts = {name.replace("_", "-"): text for name, text in requests.items()}
    return {"name": "c", "image": "app:1", "resources": {"requests": amounts}}


@pytest.mark.parametrize(
    ("requests", "reason", "numbers"),
    [
        ({"cpu": "1500m"}, "OutOfcpu", "cpu, requested: 1500, used: 1000, capacity: 2000"),
        (
            {"memory": "1Gi"},
            "OutOfmemory",
            "memory, requested: 1073741824, used: 104857600, capacity: 1073741824",
        ),
        (
            {"ephemeral-storage": "2Gi"},
            "OutOfephemeral-storage",
            "ephemeral-storage, requested: 2147483648, used: 0, capacity: 1073741824",
        ),
    ],
)
def test_what_does_not_fit_is_refused(requests: dict[str, str], reason: str, numbers: str) -> None:
    cluster = cluster_of(CAPACITY)
    cluster.pod("first", containers=[asking(cpu="1", memory="100Mi")])
    cluster.run("5s")
    cluster.pod(containers=[{**asking(), "resources": {"requests": requests}}])
    cluster.run("5s")
    message = f"Node didn't have enough resource: {numbers}"
    assert cluster.status() == {
        "observedGeneration": 1,
        "phase": "Failed",
        "reason": reason,
        "message": f"Pod was rejected: {message}",
        "startTime": at(6),
        "qosClass": "BestEffort" if "ephemeral-storage" in requests else "Burstable",
    }
    assert cluster.events() == [(reason, message)]
    assert progress.current_progress(cluster.kubelet).finished == 1


def test_extended_resources_count_where_the_node_has_them() -> None:
    cluster = cluster_of(CAPACITY)
    for name in ("a", "b"):
        limits = {"limits": {"x.io/gpu": "1"}, "requests": {"x.io/gpu": "1"}}
        cluster.pod(name, containers=[{"name": "c", "image": "app:1", "resources": limits}])
    other = {"limits": {"y.io/fpga": "1"}, "requests": {"y.io/fpga": "1"}}
    cluster.pod("c", containers=[{"name": "c", "image": "app:1", "resources": other}])
    cluster.run("1m")
    assert [cluster.status(name)["phase"] for name in "abc"] == ["Running", "Failed", "Running"]
    assert cluster.status("b")["reason"] == "OutOfx.io/gpu"


def test_a_node_takes_no_more_pods_than_it_says_until_some_are_over() -> None:
    cluster = cluster_of(CAPACITY)
    for name in "abcd":
        cluster.pod(name, restartPolicy="Never")
    cluster.run("5s")
    assert cluster.status("d")["reason"] == "OutOfpods"
    cluster.run("1m")
    assert cluster.status("a")["phase"] == "Succeeded"
    cluster.pod("e")
    cluster.run("5s")
    assert cluster.status("e")["phase"] == "Running"


@pytest.mark.parametrize(
    ("spec", "reason", "message"),
    [
        (
            {"nodeSelector": {"disk": "ssd"}},
            "NodeAffinity",
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        ),
        (
            {"os": {"name": "windows"}},
            "PodOSNotSupported",
            "Failed to admit pod as the OS field doesn't match node OS",
        ),
        (
            {"securityContext": {"supplementalGroupsPolicy": "Strict"}},
            "SupplementalGroupsPolicyNotSupported",
            "SupplementalGroupsPolicy=Strict is not supported in this node",
        ),
    ],
)
def test_a_pod_of_another_kind_is_refused(spec: dict[str, Any], reason: str, message: str) -> None:
    cluster = cluster_of(CAPACITY)
    cluster.pod(**spec)
    cluster.run("5s")
    assert cluster.status()["reason"] == reason
    assert cluster.events() == [(reason, message)]


def test_taints_that_evict_also_refuse() -> None:
    taints = [{"key": "k", "effect": "NoExecute"}, {"key": "l", "effect": "NoSchedule"}]
    cluster = cluster_of(CAPACITY, spec={"taints": taints})
    cluster.pod("a")
    cluster.pod("b", tolerations=[{"key": "k", "operator": "Exists"}])
    cluster.run("5s")
    assert cluster.status("a")["reason"] == "TaintToleration"
    assert cluster.status("b")["phase"] == "Running"


def test_host_ports_are_given_once() -> None:
    cluster = cluster_of(CAPACITY)
    ports = [{"containerPort": 80, "hostPort": 80}]
    for name in "ab":
        cluster.pod(name, containers=[{"name": "c", "image": "app:1", "ports": ports}])
    cluster.run("5s")
    assert cluster.status("a")["phase"] == "Running"
    assert cluster.status("b")["reason"] == "NodePorts"
    cluster.delete("a")
    cluster.run("5s")
    cluster.pod("c", containers=[{"name": "c", "image": "app:1", "ports": ports}])
    cluster.run("5s")
    assert cluster.status("c")["phase"] == "Running"


def test_a_refused_pod_can_be_deleted_at_once() -> None:
    cluster = cluster_of({"cpu": "0", "memory": "1Gi", "pods": "9"})
    cluster.pod(containers=[asking(cpu="1")])
    cluster.run("1s")
    cluster.delete()
    cluster.run("1s")
    assert cluster.get() is None
    assert cluster.kubelet.pods == {}
