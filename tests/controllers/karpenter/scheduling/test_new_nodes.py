"""New nodes: which pods share one, what it could be, and why pods get none."""

from __future__ import annotations

from typing import Any

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.instance_types import Offering, types
from kubestage.controllers.karpenter.requirements import Requirements, requirement
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.clouds import STANDARD, instance_type
from tests.controllers.karpenter.scheduling.passes import (
    Pass,
    anti_affinity,
    expression,
    pod,
    required,
)

GPU = types.new(
    "g.8",
    STANDARD[3].requirements.with_replaced(requirement.new(labels.INSTANCE_TYPE, "In", ["g.8"])),
    [Offering(offering.requirements, offering.price * 5) for offering in STANDARD[3].offerings],
    {**STANDARD[3].capacity, "example.com/gpu": 2000},
    {},
)


def test_pods_share_a_node_for_as_long_as_a_type_holds_them() -> None:
    found = Pass([pod(f"p{number}", cpu="7") for number in range(3)])
    assert found.new == [["p0", "p1"], ["p2"]]
    assert found.types() == [["m.16"], ["m.8", "m.16"]]
    requests = found.results.new_node_claims[0].requests
    assert {name: str(amount) for name, amount in requests.items()} == {
        "cpu": "14",
        "memory": "2Gi",
        "pods": "2",
    }


def test_a_pod_that_no_type_holds_is_told_what_it_asked_for() -> None:
    found = Pass([pod("huge", cpu="1M")])
    assert found.errors["huge"].startswith("no instance type has enough resources, requirements=")
    assert found.errors["huge"].endswith(
        'resources={"cpu":"1M","memory":"1Gi","pods":"1"} (CPU request >= 1 Million, m vs M typo?)'
    )
    assert [(event.reason, event.name) for event in found.events] == [("FailedScheduling", "huge")]


def test_all_that_no_type_met_is_named() -> None:
    wrong = pod("wrong", cpu="99", nodeSelector={labels.ARCH: "arm64", labels.ZONE: "zone-9"})
    assert (
        Pass([wrong])
        .errors["wrong"]
        .startswith(
            "no instance type met the scheduling requirements or had enough resources or had a "
            "required offering, "
        )
    )


def test_a_type_without_a_usable_offering_does_not_count_as_large_enough() -> None:
    far = pod("far", nodeSelector={labels.ZONE: "zone-9"})
    assert (
        Pass([far])
        .errors["far"]
        .startswith(
            "no instance type met the scheduling requirements or had enough resources or had a "
            "required offering, "
        )
    )


def test_types_that_each_lack_something_else_are_told_apart() -> None:
    picky = pod(
        "picky",
        cpu="12",
        affinity=required(expression(labels.INSTANCE_TYPE, "In", "m.1", "m.2")),
    )
    reason = Pass([picky]).errors["picky"]
    assert reason.startswith(
        "no instance type which had enough resources and the required offering met the scheduling "
        "requirements, "
    )


def test_a_resource_that_only_some_type_has_picks_that_type() -> None:
    wants: dict[str, Any] = {"requests": {"cpu": "1", "example.com/gpu": "1"}}
    gpu = pod("gpu", containers=[{"name": "c", "resources": wants}])
    found = Pass([gpu], types=[*STANDARD, GPU])
    assert found.types() == [["g.8"]]
    assert "no instance type has enough resources" in Pass([gpu]).errors["gpu"]


def test_the_heaviest_node_pool_that_accepts_comes_first_and_equals_by_name_from_the_end() -> None:
    pools = [
        objects.node_pool("heavy", weight=50, template={"taints": [_taint("NoSchedule")]}),
        objects.node_pool("a"),
        objects.node_pool("b"),
    ]
    found = Pass([pod("p"), *pools])
    assert [each.pool_name for each in found.results.new_node_claims] == ["b"]
    tolerant = pod("p", tolerations=[{"key": "dedicated", "operator": "Exists"}])
    found = Pass([tolerant, *pools])
    assert [each.pool_name for each in found.results.new_node_claims] == ["heavy"]


def test_the_reasons_of_all_node_pools_are_given() -> None:
    pools = [
        objects.node_pool("a", template={"taints": [_taint("NoSchedule"), _taint("NoExecute")]}),
        objects.node_pool("b", limits={"cpu": "0"}),
    ]
    assert Pass([pod("p"), *pools]).errors["p"] == (
        "all available instance types exceed limits for nodepool (NodePool=b); "
        "did not tolerate taint (taint=dedicated=x:NoSchedule); "
        "did not tolerate taint (taint=dedicated=x:NoExecute)"
    )


def test_prefer_no_schedule_is_tolerated_last() -> None:
    pools = [
        objects.node_pool("soft", weight=9, template={"taints": [_taint("PreferNoSchedule")]}),
        objects.node_pool("small", limits={"cpu": "1"}),
    ]
    found = Pass([pod("fits"), pod("not", cpu="2"), *pools])
    by_pod = {
        each.pods[0]["metadata"]["name"]: each.pool_name for each in found.results.new_node_claims
    }
    assert by_pod == {"fits": "small", "not": "soft"}
    assert found.errors == {}


def test_limits_are_used_up_by_the_largest_type_that_a_node_could_be() -> None:
    limited = objects.node_pool(limits={"cpu": "20"})
    found = Pass([pod("a", cpu="14"), pod("b", cpu="3"), pod("c", cpu="5"), limited])
    assert found.new == [["a"], ["b"]]
    assert found.errors == {
        "c": "all available instance types exceed limits for nodepool (NodePool=default)"
    }


def test_a_node_pool_whose_nodes_are_used_up_says_so() -> None:
    none_left = objects.node_pool(limits={"nodes": "0"})
    assert Pass([pod("p"), none_left]).errors["p"] == (
        "node limits have been exhausted for nodepool (NodePool=default)"
    )


def test_without_any_type_the_node_pool_says_so_too() -> None:
    arm = {"requirements": [expression(labels.ARCH, "In", "arm64")]}
    found = Pass([pod("p"), objects.node_pool(template=arm)])
    assert found.errors["p"] == "nodepool requirements filtered out all available instance types"
    assert [(event.kind, event.reason) for event in found.events] == [
        ("NodePool", "NoCompatibleInstanceTypes"),
        ("Pod", "FailedScheduling"),
    ]


def test_too_few_values_are_an_error_or_lowered() -> None:
    many = {**expression(labels.INSTANCE_TYPE, "Exists"), "minValues": 3}
    pool = objects.node_pool(template={"requirements": [many]})
    strict = Pass([pod("p", cpu="7"), pool])
    assert strict.errors["p"].startswith(
        "minValues requirement is not met for label(s) "
        "(label(s)=[node.kubernetes.io/instance-type]), requirements="
    )
    lowered = Pass([pod("p", cpu="7"), pool], min_values_policy="BestEffort")
    claim = lowered.results.new_node_claims[0]
    assert claim.min_values_relaxed
    assert claim.requirements.get(labels.INSTANCE_TYPE).min_values == 2
    assert not Pass([pod("p"), pool]).results.new_node_claims[0].min_values_relaxed


def test_the_last_new_node_of_a_pool_says_for_all_whether_values_were_lowered() -> None:
    many = {**expression(labels.INSTANCE_TYPE, "Exists"), "minValues": 3}
    pool = objects.node_pool(template={"requirements": [many]})
    alone = anti_affinity(labels.HOSTNAME)
    small, large = pod("small", cpu="100m", affinity=alone), pod("large", cpu="7", affinity=alone)
    found = Pass([large, small, pool], min_values_policy="BestEffort").results.new_node_claims
    assert [each.requirements.get(labels.INSTANCE_TYPE).min_values for each in found] == [2, 3]
    assert not any(each.min_values_relaxed for each in found)


def test_a_label_counts_as_known_once_a_pod_says_what_it_must_not_be() -> None:
    # So does the real one, if by accident.
    negative = pod("a", cpu="2", affinity=required(expression("team", "NotIn", "x")))
    positive = pod("b", nodeSelector={"team": "y"})
    assert Pass([positive]).errors == {
        "b": 'incompatible requirements, label "team" does not have known values'
    }
    assert Pass([negative, positive]).new == [["a", "b"]]
    largest, first = pod("c", cpu="4"), pod("d", cpu="3", nodeSelector={"team": "y"})
    assert Pass([largest, first, negative]).new == [["c", "a", "d"]]


def test_host_ports_keep_pods_apart() -> None:
    ports = [{"containerPort": 80, "hostPort": 80}]
    one, other = (
        pod(name, containers=[{"name": "c", "ports": ports, "resources": {}}])
        for name in ("a", "b")
    )
    assert sorted(Pass([one, other]).new) == [["a"], ["b"]]
    assert Pass([one, pod("c", cpu="100m")]).new == [["c", "a"]]


def test_pods_with_resource_claims_wait() -> None:
    found = Pass([pod("p", resourceClaims=[{"name": "gpu"}])])
    assert found.errors["p"].endswith("not yet supported by Karpenter")


def test_daemon_sets_take_their_share() -> None:
    daemon = _daemon_set("agent", "2")
    found = Pass([pod("p", cpu="7"), daemon])
    assert found.types() == [["m.16"]]
    assert str(found.results.new_node_claims[0].requests["cpu"]) == "9"
    on_small = _daemon_set("small", "2", nodeSelector={labels.INSTANCE_TYPE: "m.16"})
    found = Pass([pod("p", cpu="7"), on_small])
    assert found.types() == [["m.8", "m.16"]]
    assert str(found.results.new_node_claims[0].requests["cpu"]) == "9"


def test_limits_of_a_daemon_set_stand_in_for_requests() -> None:
    daemon = _daemon_set("agent", "1")
    container = daemon["spec"]["template"]["spec"]["containers"][0]
    container["resources"] = {"limits": {"cpu": "3"}}
    found = Pass([pod("p", cpu="7"), daemon])
    assert str(found.results.new_node_claims[0].requests["cpu"]) == "10"


def test_terms_of_a_daemon_set_are_tried_one_by_one_and_not_taken_back() -> None:
    second = required(
        expression(labels.ARCH, "In", "arm64"), expression(labels.INSTANCE_TYPE, "In", "m.16")
    )
    found = Pass([pod("p", cpu="7"), _daemon_set("agent", "2", affinity=second)])
    assert found.types() == [["m.8", "m.16"]]
    # The first term would suit the largest type, but was given up for a smaller one.
    first = required(
        expression(labels.INSTANCE_TYPE, "In", "m.16"),
        expression(labels.INSTANCE_TYPE, "In", "m.1"),
    )
    found = Pass([pod("p", cpu="15"), _daemon_set("agent", "2", affinity=first)])
    assert found.types() == [["m.16"]]


def test_a_reservation_goes_to_one_node_and_the_other_pod_waits() -> None:
    offered = [_reserved("m.4", 4, "r-1")]
    pods = [pod("a", cpu="3"), pod("b", cpu="3")]
    found = Pass([*pods, ANY_CAPACITY], types=offered, **RESERVING)
    assert found.new == [["a"]]
    held = found.results.new_node_claims[0].requirements
    assert str(held.get(RESERVATION)) == f"{RESERVATION} In [r-1]"
    assert str(held.get(labels.CAPACITY_TYPE)) == "karpenter.sh/capacity-type In [reserved]"
    assert found.errors["b"].startswith("one or more instance types with compatible reserved")
    assert found.events == []
    without = Pass([*pods, ANY_CAPACITY], types=offered, reserved_capacity=False, **RESERVING)
    assert sorted(without.new) == [["a"], ["b"]]


def test_a_reservation_that_is_given_back_goes_to_a_node_that_lacked_it() -> None:
    offered = [_reserved("a", 8, "r-1"), _reserved("b", 8, "r-2"), _reserved("d", 16, "r-3")]
    pods = [
        pod("holds", cpu="5", affinity=_of_types("a", "d")),
        pod("other", cpu="4500m", affinity=_of_types("a", "b")),
        pod("waits", cpu="3500m", affinity=_of_types("a")),
        pod("frees", cpu="3400m", affinity=_of_types("d")),
    ]
    found = Pass([*pods, ANY_CAPACITY], types=offered, **RESERVING)
    assert sorted(found.new) == [["holds", "frees"], ["other", "waits"]]
    assert found.errors == {}


RESERVATION = "example.com/reservation"
RESERVING: dict[str, Any] = {
    "well_known": labels.WELL_KNOWN | {RESERVATION},
    "reservation_label": RESERVATION,
}
ANY_CAPACITY = objects.node_pool(template={"requirements": []})


def _reserved(name: str, cpu: int, reservation: str) -> types.InstanceType:
    """A type with a reservation for one node."""
    stated = {labels.ZONE: "zone-1", labels.CAPACITY_TYPE: "reserved", RESERVATION: reservation}
    own = Requirements(requirement.new(key, "In", [value]) for key, value in stated.items())
    plain = instance_type(name, cpu, cpu * 0.05)
    both = requirement.new(labels.CAPACITY_TYPE, "In", [labels.ON_DEMAND, labels.RESERVED])
    return types.new(
        name,
        plain.requirements.with_replaced(both),
        [*plain.offerings, Offering(own, 0.001, True, 1, reservation)],
        plain.capacity,
        {},
    )


def _of_types(*names: str) -> dict[str, Any]:
    return required(expression(labels.INSTANCE_TYPE, "In", *names))


def _taint(effect: str) -> dict[str, str]:
    return {"key": "dedicated", "value": "x", "effect": effect}


def _daemon_set(name: str, cpu: str, **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    template = {"metadata": {"labels": {"d": name}}, "spec": {"containers": [container], **spec}}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"template": template},
    }
