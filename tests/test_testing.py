"""The builders make valid objects that say what was asked for and nothing else."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from kubestage import testing
from kubestage.objects import defaulting, field_check, strategy
from kubestage.objects.validation import rules

BUILT: dict[str, dict[str, Any]] = {
    "pod": testing.make_pod("web"),
    "rich pod": testing.make_pod(
        "web",
        namespace="shop",
        labels={"app": "web"},
        annotations={"note": "x"},
        cpu="100m",
        memory="64Mi",
        requests={"example.com/gpu": "1"},
        limits={"example.com/gpu": "1"},
        host_ports=[8080],
        init_containers=[testing.make_container("proxy", restart_policy="Always")],
        node_name="n1",
        node_selector={"disk": "ssd"},
        tolerations=["dedicated=db:NoSchedule", "spot:NoExecute", {"operator": "Exists"}],
        topology_spread_constraints=[
            {
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "web"}},
            }
        ],
        scheduler_name="mine",
        volumes=[{"name": "scratch", "emptyDir": {}}],
        phase="Running",
        owner=testing.make_replica_set("web"),
    ),
    "node": testing.make_node("n1", zone="a", region="r", taints=["dedicated=db:NoSchedule"]),
    "namespace": testing.make_namespace("shop", labels={"team": "a"}),
    "deployment": testing.make_deployment("web", replicas=3, cpu="1", memory="1Gi"),
    "replica set": testing.make_replica_set("web", replicas=2),
    "stateful set": testing.make_stateful_set("db", replicas=2),
    "daemon set": testing.make_daemon_set("agent"),
    "job": testing.make_job("job", completions=3, parallelism=2),
    "service": testing.make_service("web", target_port="http"),
    "autoscaler": testing.make_horizontal_pod_autoscaler("web", max_replicas=5),
    "budget": testing.make_pod_disruption_budget("web", min_available=1),
    "priority class": testing.make_priority_class("high", 1000, preemption_policy="Never"),
}


@pytest.mark.parametrize("name", BUILT)
def test_what_is_built_is_valid(name: str) -> None:
    obj = BUILT[name]
    assert field_check.misfits(obj) == []
    stored = defaulting.stored(obj)
    stored["metadata"]["uid"] = "u-1"
    prepared = strategy.prepare_for_create(stored)
    assert [str(error) for error in rules.validate_create(prepared)] == []


def test_a_pod_holds_what_was_asked_for_and_nothing_else() -> None:
    assert testing.make_pod("web", cpu="100m", node_name="n1", priority=0) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "containers": [
                {"name": "app", "image": "app:1.0", "resources": {"requests": {"cpu": "100m"}}}
            ],
            "nodeName": "n1",
            "priority": 0,
        },
    }


def test_a_node_offers_what_it_has_unless_some_is_kept_back() -> None:
    node = testing.make_node(
        "n1", cpu="8", pods=20, resources={"example.com/gpu": "2"}, allocatable={"cpu": "7500m"}
    )
    assert node["status"]["capacity"] == {
        "cpu": "8",
        "memory": "16Gi",
        "pods": "20",
        "example.com/gpu": "2",
    }
    assert node["status"]["allocatable"] == node["status"]["capacity"] | {"cpu": "7500m"}
    assert testing.make_node("n2", ready=False, unschedulable=True)["spec"] == {
        "unschedulable": True
    }


def test_taints_and_tolerations_are_written_as_kubectl_takes_them() -> None:
    node = testing.make_node(taints=["dedicated=db:NoSchedule", "spot:NoExecute"])
    assert node["spec"]["taints"] == [
        {"key": "dedicated", "value": "db", "effect": "NoSchedule"},
        {"key": "spot", "effect": "NoExecute"},
    ]
    pod = testing.make_pod(tolerations=["dedicated=db:NoSchedule", "spot:NoExecute"])
    assert [each["operator"] for each in pod["spec"]["tolerations"]] == ["Equal", "Exists"]


def test_a_workload_selects_the_pods_it_makes() -> None:
    model = testing.make_pod("x", labels={"tier": "front"}, cpu="2")
    spec = testing.make_deployment("web", labels={"app": "shop"}, pod=model)["spec"]
    assert spec["selector"] == {"matchLabels": {"app": "shop"}}
    assert spec["template"]["metadata"]["labels"] == {"tier": "front", "app": "shop"}
    assert spec["template"]["spec"] == model["spec"]
    assert "selector" not in testing.make_job()["spec"]


def test_an_owner_is_named_by_its_uid() -> None:
    owner = testing.make_replica_set("web")
    owner["metadata"]["uid"] = "u-1"
    (reference,) = testing.make_pod(owner=owner)["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["uid"], reference["controller"]) == (
        "ReplicaSet",
        "u-1",
        True,
    )


def test_an_autoscaler_scales_its_target() -> None:
    target = testing.make_stateful_set("db")
    spec = testing.make_horizontal_pod_autoscaler("any", target=target)["spec"]
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}


def test_each_call_gives_a_fresh_object() -> None:
    first = testing.make_pod("a")
    first["spec"]["containers"][0]["image"] = "changed"
    assert testing.make_pod("a")["spec"]["containers"][0]["image"] == "app:1.0"


def test_the_example_in_the_documentation_is_true() -> None:
    assert doctest.testmod(testing).attempted > 0
    assert doctest.testmod(testing).failed == 0
