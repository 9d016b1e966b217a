"""DaemonSets: where their pods run and what they look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import testing
from kubestage.controllers.daemonset.placement import (
    Placement,
    bound_to_node,
    target_node,
    with_daemon_tolerations,
)
from tests.controllers.daemonset import sets

if TYPE_CHECKING:
    from kubestage.aliases import Json

ADDED = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
]


def placement(pod_spec: Json | None = None) -> Placement:
    made = sets.make_set(pod_spec)
    made["metadata"] |= {"uid": "u", "annotations": {}}
    return Placement(made, "hash")


@pytest.mark.parametrize(
    ("taints", "verdict"),
    [
        ([], (True, True)),
        (["a=b:PreferNoSchedule"], (True, True)),
        (["a=b:NoSchedule"], (False, True)),
        (["a=b:NoExecute"], (False, False)),
        (["a=b:NoSchedule", "a=b:NoExecute"], (False, False)),
        (["node.kubernetes.io/unschedulable:NoSchedule"], (True, True)),
        (["node.kubernetes.io/not-ready:NoExecute"], (True, True)),
        (["node.kubernetes.io/network-unavailable:NoSchedule"], (False, True)),
    ],
)
def test_taints_keep_pods_out_or_drive_them_out(
    taints: list[str], verdict: tuple[bool, bool]
) -> None:
    assert placement().verdict(testing.make_node(taints=taints)) == verdict


def test_pods_on_the_host_network_do_without_the_nodes_network() -> None:
    node = testing.make_node(taints=["node.kubernetes.io/network-unavailable:NoSchedule"])
    assert placement({"hostNetwork": True}).verdict(node) == (True, True)


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({"nodeSelector": {"disk": "ssd"}}, ["fast"]),
        ({"nodeName": "slow"}, ["slow"]),
        (
            {
                "affinity": {
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {
                            "nodeSelectorTerms": [
                                {"matchExpressions": [{"key": "disk", "operator": "DoesNotExist"}]}
                            ]
                        }
                    }
                }
            },
            ["slow"],
        ),
        ({}, ["fast", "slow"]),
    ],
)
def test_the_template_chooses_its_nodes(spec: Json, names: list[str]) -> None:
    nodes = [testing.make_node("fast", labels={"disk": "ssd"}), testing.make_node("slow")]
    found = [node["metadata"]["name"] for node in nodes if placement(spec).verdict(node)[0]]
    assert found == names


def test_daemons_tolerate_trouble_on_their_nodes() -> None:
    own = [{"key": "mine", "operator": "Exists"}]
    found = with_daemon_tolerations({"tolerations": own})
    assert found[0] is own[0]
    assert [(each["key"], each["effect"]) for each in found[1:]] == ADDED
    assert {each["operator"] for each in found} == {"Exists"}


def test_a_toleration_that_is_there_is_made_to_last() -> None:
    own = {
        "key": "node.kubernetes.io/not-ready",
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": 5,
    }
    found = with_daemon_tolerations({"tolerations": [own]})
    assert len(found) == len(ADDED)
    assert "tolerationSeconds" not in found[0]
    assert own["tolerationSeconds"] == 5


def test_a_pod_is_bound_to_its_node_and_keeps_its_other_wishes() -> None:
    wishes = {
        "podAntiAffinity": {"x": 1},
        "nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [],
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": ["other"]},
        },
    }
    affinity = bound_to_node(wishes, "n1")
    assert affinity["podAntiAffinity"] == {"x": 1}
    assert "preferredDuringSchedulingIgnoredDuringExecution" in affinity["nodeAffinity"]
    assert target_node({"spec": {"affinity": affinity}}) == "n1"
    assert target_node({"spec": {"affinity": affinity, "nodeName": "n2"}}) == "n2"
    assert target_node({"spec": {}}) is None


def test_a_pod_bears_the_hash_and_the_generation_of_its_template() -> None:
    made = sets.make_set()
    annotations = {"deprecated.daemonset.template.generation": "7"}
    made["metadata"] |= {"uid": "u", "annotations": annotations}
    placed = Placement(made, "hash")
    pod = placed.pod_for("n1")
    assert pod["metadata"]["labels"] == {
        "app": "agent",
        "controller-revision-hash": "hash",
        "pod-template-generation": "7",
    }
    assert pod["metadata"]["generateName"] == "agent-"
    by_generation = {"metadata": {"labels": {"pod-template-generation": "7"}}}
    assert placed.is_updated(by_generation)
    assert not placed.has_hash(by_generation)
    assert not placed.is_updated({"metadata": {"labels": {"controller-revision-hash": "x"}}})
