"""NodeClaims on a stage: from pods that fit nowhere to nodes on which they run."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from tests.controllers.karpenter.lifecycle.stages import (
    CLAIM,
    NODE,
    POOL,
    catalog,
    claims,
    condition,
    label,
    make_web,
    nodes,
    pending,
    price,
    reasons,
    run,
    scale,
    staged,
    told,
    types,
)
from tests.objects.kinds.karpenter_samples import ec2_node_class, node_pool, stage_node_class

if TYPE_CHECKING:
    from kubestage.aliases import Json


def conditions(obj: Json) -> dict[str, str]:
    return {each["type"]: each["status"] for each in obj["status"]["conditions"]}


def test_pods_that_fit_nowhere_get_a_node() -> None:
    stage = staged(make_web(5))
    run(stage, 10)
    (claim,) = claims(stage)
    assert conditions(claim) == {
        "Launched": "True", "Registered": "Unknown", "Initialized": "Unknown", "Ready": "Unknown",
    }  # fmt: skip
    assert condition(claim, "Registered")["reason"] == "NodeNotFound"
    assert (nodes(stage), pending(stage)) == ([], 5)
    run(stage, 25)
    assert condition(claims(stage)[0], "Initialized")["reason"] == "NodeNotReady"
    (node,) = nodes(stage)
    assert condition(node, "Ready")["status"] == "False"
    run(stage, 25)
    (claim,), (node,) = claims(stage), nodes(stage)
    assert conditions(claim)["Ready"] == "True"
    assert claim["status"]["nodeName"] == node["metadata"]["name"] == claim["metadata"]["name"]
    assert label(node, "node.kubernetes.io/instance-type") == "large"
    assert label(node, "karpenter.sh/nodepool") == "default"
    assert label(node, "karpenter.sh/initialized") == "true"
    assert "taints" not in node["spec"]
    assert node["metadata"]["finalizers"] == ["karpenter.sh/termination"]
    assert node["status"]["addresses"]
    assert pending(stage) == 0


def test_pods_are_collected_before_they_are_scheduled() -> None:
    stage = staged(make_web(1))
    run(stage, 0.9)
    assert claims(stage) == []
    run(stage, 0.3)
    assert len(claims(stage)) == 1
    patient = staged(make_web(1), batch_idle_duration_ns=8 * 10**9)
    run(patient, 7)
    assert claims(patient) == []
    run(patient, 2)
    assert len(claims(patient)) == 1


def test_the_cheapest_offering_is_launched_and_spot_comes_first() -> None:
    spot = price("large", 8, 0.05, capacityType="spot", zone="b")
    stage = staged(make_web(5), node_pool(), catalog(price("large", 8, 0.4), spot))
    run(stage, 60)
    (claim,) = claims(stage)
    assert label(claim, "karpenter.sh/capacity-type") == "spot"
    assert label(claim, "topology.kubernetes.io/zone") == "b"
    dear = price("large", 8, 0.9, capacityType="spot")
    stage = staged(make_web(5), node_pool(), catalog(price("large", 8, 0.4), dear))
    run(stage, 60)
    assert label(claims(stage)[0], "karpenter.sh/capacity-type") == "on-demand"


def test_a_pool_states_why_it_is_not_ready() -> None:
    stage = staged(make_web(2), node_pool())
    stage.store.delete(("kubestage.dev/v1alpha1", "StageNodeClass"), "default")
    run(stage, 30)
    found = condition(stage.store.get(POOL, "default"), "NodeClassReady")
    assert (found["status"], found["reason"]) == ("False", "NodeClassNotFound")
    assert claims(stage) == []
    stage.store.create(stage_node_class())
    run(stage, 60)
    assert condition(stage.store.get(POOL, "default"), "Ready")["status"] == "True"
    assert pending(stage) == 0


def test_a_class_without_types_is_not_ready() -> None:
    stage = staged(make_web(2), stage_class=stage_node_class(catalog="other"))
    run(stage, 30)
    found = condition(stage.store.get(POOL, "default"), "NodeClassReady")
    assert (found["status"], found["message"]) == ("False", "InstanceTypesReady=False")
    stated = stage.store.get(("kubestage.dev/v1alpha1", "StageNodeClass"), "default")
    assert "--catalogue" in condition(stated, "InstanceTypesReady")["message"]


def test_what_its_definition_allows_may_still_be_wrong() -> None:
    pool = node_pool()
    requirement = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["borrowed"]}
    pool["spec"]["template"]["spec"]["requirements"] = [requirement]
    stage = staged(pool)
    run(stage, 10)
    found = condition(stage.store.get(POOL, "default"), "ValidationSucceeded")
    assert (found["status"], found["reason"]) == ("False", "NodePoolValidationFailed")
    assert "expected one of: map[on-demand:{} reserved:{} spot:{}]" in found["message"]


def test_a_pool_counts_its_nodes_and_keeps_its_limit() -> None:
    stage = staged(make_web(20), node_pool(limits={"cpu": "10"}))
    run(stage, 90)
    status = stage.store.get(POOL, "default")["status"]
    assert status["nodes"] == len(nodes(stage))
    assert int(status["resources"]["cpu"]) <= 10
    assert pending(stage) > 0
    assert any("limits" in each for each in told(stage, "FailedScheduling"))


def test_taints_and_startup_taints_come_with_the_node() -> None:
    pool = node_pool()
    spec = pool["spec"]["template"]["spec"]
    spec["taints"] = [{"key": "team", "value": "a", "effect": "NoSchedule"}]
    spec["startupTaints"] = [{"key": "cni", "effect": "NoExecute"}]
    tolerated = [{"key": "team", "operator": "Exists"}]
    stage = staged(pool, make_web(1, tolerations=tolerated))
    run(stage, 35)
    taints = {each["key"] for each in nodes(stage)[0]["spec"]["taints"]}
    assert {"team", "cni"} <= taints
    assert condition(claims(stage)[0], "Initialized")["status"] == "Unknown"
    run(stage, 20)
    assert [each["key"] for each in nodes(stage)[0]["spec"]["taints"]] == ["team"]
    assert pending(stage) == 0


def test_startup_taints_may_be_left_to_somebody_else() -> None:
    pool = node_pool()
    pool["spec"]["template"]["spec"]["startupTaints"] = [{"key": "cni", "effect": "NoSchedule"}]
    stage = staged(pool, make_web(1), stage_class=stage_node_class(removesStartupTaints=False))
    run(stage, 120)
    found = condition(claims(stage)[0], "Initialized")
    assert found["reason"] == "StartupTaintsExist"
    assert found["message"] == 'StartupTaint "cni:NoSchedule" still exists'
    name = claims(stage)[0]["metadata"]["name"]
    stage.store.patch(NODE, name, {"spec": {"taints": None}})
    run(stage, 20)
    assert pending(stage) == 0


def test_a_node_that_does_not_come_is_given_up() -> None:
    slow = stage_node_class(registrationDelay="20m")
    stage = staged(make_web(1), stage_class=slow)
    run(stage, 14 * 60)
    (first,) = claims(stage)
    run(stage, 2 * 60)
    assert first["metadata"]["name"] not in [each["metadata"]["name"] for each in claims(stage)]
    run(stage, 16 * 60)
    found = condition(stage.store.get(POOL, "default"), "NodeRegistrationHealthy")
    assert (found["status"], found["reason"]) == ("False", "RegistrationFailed")


def test_what_cannot_be_had_is_tried_elsewhere() -> None:
    missing = stage_node_class(insufficientCapacity=[{"zones": ["a"], "until": "1h"}])
    stage = staged(make_web(5), stage_class=missing)
    run(stage, 60)
    assert label(claims(stage)[0], "topology.kubernetes.io/zone") == "b"


def test_a_launch_without_capacity_is_repeated_once_there_is_some() -> None:
    missing = stage_node_class(insufficientCapacity=[{"until": "2m"}])
    stage = staged(make_web(1), stage_class=missing)
    run(stage, 100)
    assert (claims(stage), pending(stage)) == ([], 1)
    (text,) = {each.partition("event: ")[2] for each in told(stage, "InsufficientCapacityError")}
    assert text == (
        "insufficient capacity, all requested instance types were unavailable during launch"
    )
    run(stage, 200)
    assert pending(stage) == 0


def test_a_replacement_is_a_spot_machine_where_the_pool_allows_one() -> None:
    """Where there are none its launch fails, and the node stays: so it is with Karpenter."""
    stage = staged(make_web(6), node_pool())
    run(stage, 60)
    (before,) = claims(stage)
    scale(stage, 1)
    run(stage, 120)
    assert before["metadata"]["name"] in [each["metadata"]["name"] for each in claims(stage)]
    assert told(stage, "InsufficientCapacityError")


def test_static_pools_have_as_many_nodes_as_they_state() -> None:
    stage = staged(node_pool(replicas=3), static_capacity=True)
    run(stage, 60)
    assert types(stage) == ["small"] * 3
    stage.store.patch(POOL, "default", {"spec": {"replicas": 1}}, subresource="scale")
    run(stage, 60)
    assert len(nodes(stage)) == 1
    stage.store.delete(CLAIM, claims(stage)[0]["metadata"]["name"])
    run(stage, 150)
    assert len(nodes(stage)) == 1


def test_static_pools_have_no_nodes_without_the_feature_gate() -> None:
    stage = staged(node_pool(replicas=3), make_web(1))
    run(stage, 60)
    assert (nodes(stage), pending(stage)) == ([], 1)


def test_pools_of_aws_work_with_the_catalog_of_aws() -> None:
    pool = node_pool()
    spec = pool["spec"]["template"]["spec"]
    spec["nodeClassRef"] = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    family = {"key": "karpenter.k8s.aws/instance-family", "operator": "In", "values": ["m5"]}
    spec["requirements"] = [family]
    aws = catalog()
    aws["spec"] = {"builtIn": "aws-us-east-1"}
    stage = staged(aws, pool, ec2_node_class(), make_web(5))
    run(stage, 60)
    assert types(stage) == ["m5.2xlarge"]
    (node,) = nodes(stage)
    assert label(node, "karpenter.k8s.aws/ec2nodeclass") == "default"
    assert node["status"]["allocatable"]["cpu"] == "7910m"
    shown = stage.store.get(("karpenter.k8s.aws/v1", "EC2NodeClass"), "default")["status"]
    assert [each["zone"] for each in shown["subnets"]] == ["us-east-1a", "us-east-1b", "us-east-1c"]
    assert condition({"status": shown}, "Ready")["status"] == "True"
    assert claims(stage)[0]["status"]["imageID"] == shown["amis"][0]["id"]


def test_pools_of_other_providers_are_left_alone() -> None:
    pool = node_pool()
    pool["spec"]["template"]["spec"]["nodeClassRef"] = {
        "group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default",
    }  # fmt: skip
    stage = staged(pool, make_web(1))
    run(stage, 60)
    assert "status" not in stage.store.get(POOL, "default")
    assert claims(stage) == []


def test_pools_that_come_later_find_pods_that_wait() -> None:
    stage = staged(make_web(2), catalog())
    stage.store.delete(POOL, "default")
    run(stage, 20)
    stage.store.create(node_pool("late"))
    run(stage, 60)
    assert pending(stage) == 0


def test_a_run_is_a_value_also_when_it_was_forked_half_way() -> None:
    def story(forked: bool) -> list[Json]:
        stage = staged(make_web(12), catalog(spotPriceShare=0.4), seed=3)
        run(stage, 20)
        if forked:
            stage = stage.fork()
        run(stage, 60)
        scale(stage, 3)
        run(stage, 400)
        return [*claims(stage), *nodes(stage)]

    assert story(forked=False) == story(forked=True) == story(forked=False)


def test_a_stage_pickles_at_any_moment() -> None:
    stage = staged(make_web(12), catalog(spotPriceShare=0.4))
    for _ in range(20):
        run(stage, 7)
        pickle.dumps(stage)
    scale(stage, 2)
    for _ in range(30):
        run(stage, 7)
        pickle.dumps(stage)


def test_the_events_are_those_of_karpenter() -> None:
    stage = staged(make_web(2))
    run(stage, 60)
    assert reasons(stage) == ["DisruptionBlocked", "Nominated"]
    (name,) = [each["metadata"]["name"] for each in claims(stage)]
    assert f"Pod should schedule on: nodeclaim/{name}" in told(stage, "Nominated")
