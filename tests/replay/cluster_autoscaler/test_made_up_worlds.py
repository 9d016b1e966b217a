"""Rules of the real autoscaler that no recorded world shows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.replay import cluster_autoscaler
from kubestage.testing import (
    make_node,
    make_pod,
    make_pod_disruption_budget,
    make_replica_set,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json

_AMOUNTS = {"cpu": "4", "memory": "8Gi", "pods": "110"}
_TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler"
_CANDIDATE = "DeletionCandidateOfClusterAutoscaler"
_START = "2000-01-01T00:00:00Z"


def _node(name: str, **parts: Any) -> Json:
    node = make_node(name, cpu="4", memory="8Gi", **parts)
    node["metadata"]["creationTimestamp"] = _START
    node["spec"] = {**node.get("spec", {}), "providerID": f"sim://pool/{name}"}
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": _START}
    node["status"]["conditions"] = [ready]
    return node


def _pod(name: str, **parts: Any) -> Json:
    owner = make_replica_set("web", replicas=9)
    owner["metadata"]["uid"] = "web"
    pod = make_pod(name, cpu="100m", memory="100Mi", owner=owner, **parts)
    pod["metadata"]["creationTimestamp"] = "1999-12-31T23:00:00Z"
    return pod


def _waiting(name: str, **parts: Any) -> Json:
    pod = _pod(name, **parts)
    reported = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    return {**pod, "status": {"phase": "Pending", "conditions": [reported]}}


def _played(
    *objects: Json,
    steps: dict[int, list[Json]] | None = None,
    options: Json | None = None,
    **flags: Any,
) -> list[dict[str, Any]]:
    status = {"capacity": _AMOUNTS, "allocatable": _AMOUNTS}
    template = {"metadata": {"labels": {}}, "status": status}
    world = {
        "name": "one",
        "category": "made-up",
        "flags": {name.replace("_", "-"): each for name, each in flags.items()},
        "nodeGroups": [
            {"name": "pool", "min": 0, "max": 5, "template": template, "options": options or {}}
        ],
        "objects": [make_replica_set("web", replicas=9), *objects],
        "steps": [
            {"time": at, "actions": actions, "loop": {}}
            for at, actions in (steps or {0: [], 10: [], 20: []}).items()
        ],
    }
    read = cluster_autoscaler.read(json.dumps(world).encode())
    return list(cluster_autoscaler.play(read))


def _events(step: dict[str, Any], part: str, reason: str) -> list[tuple[str, str]]:
    return [
        (each["object"], each["message"])
        for each in step[part]["events"]
        if each["reason"] == reason
    ]


@pytest.mark.parametrize(("delay", "result"), [("61m", "InCooldown"), ("59m", "NodeDeleteStarted")])
@pytest.mark.parametrize("after", ["add", "delete", "failure"])
def test_delays_count_from_an_hour_before_the_start(after: str, delay: str, result: str) -> None:
    flags: dict[str, Any] = {f"scale_down_delay_after_{after}": delay}
    first, *_ = _played(_node("n1"), **flags, scale_down_unneeded_time="0s")
    assert first["loop"]["scaleDown"]["result"] == result


def test_marks_of_an_earlier_autoscaler_are_removed_at_the_start() -> None:
    effects = {_TO_BE_DELETED: "NoSchedule", _CANDIDATE: "PreferNoSchedule"}
    taints = [
        {"key": key, "value": "946684000", "effect": effect} for key, effect in effects.items()
    ]
    first, *_ = _played(_node("n1", taints=taints), max_bulk_soft_taint_count="0")
    assert _events(first, "loop", "ClusterAutoscalerCleanup") == [
        ("Node/n1", f"removed {_CANDIDATE} taint from node n1"),
        ("Node/n1", f"removed {_TO_BE_DELETED} taint from node n1"),
    ]
    assert first["loop"]["taintsChanged"] == {}
    first, *_ = _played(_node("n1", taints=taints))
    assert first["loop"]["taintsChanged"] == {"n1": [f"{_CANDIDATE}=946684000:PreferNoSchedule"]}


def test_a_removal_goes_on_without_the_node_object() -> None:
    gone = [{"op": "delete", "kind": "Node", "name": "n1"}]
    _, second, third = _played(
        _node("n1"),
        steps={0: [], 10: gone, 30: []},
        scale_down_unneeded_time="0s",
        scale_down_delay_after_add="0s",
        node_delete_delay_after_taint="20s",
    )
    (call,) = second["until_next"]["providerCalls"]
    assert (call["call"], call["nodes"], call["t"]) == ("deleteNodes", ["n1"], 20)
    assert ("Node/n1", "nodes removed by cluster autoscaler") in _events(
        second, "until_next", "ScaleDown"
    )
    assert third["loop"]["scaleDown"]["deletionResults"] == {"n1": {"result": "Ok"}}


def test_pods_to_which_a_node_was_promised_are_moved_behind_those_on_it() -> None:
    promised = _pod("a")
    promised["status"] = {"phase": "Pending", "nominatedNodeName": "n1"}
    bound = {**_pod("b", node_name="n1"), "status": {"phase": "Running"}}
    first, *_ = _played(promised, bound, _node("n1"), _node("n2"))
    (n1,) = [each for each in first["loop"]["scaleDown"]["simulatedRemovals"] if each["pods"]]
    assert n1["pods"] == ["default/b", "default/a"]


def test_pods_that_no_scheduler_has_tried_come_behind_those_that_fit_nowhere() -> None:
    untried = {**_pod("a"), "status": {"phase": "Pending"}}
    first, *_ = _played(
        untried, _waiting("b"), _node("n1"), bypassed_scheduler_names=["default-scheduler"]
    )
    assert first["loop"]["fitElsewhere"][0]["pods"] == ["default/b", "default/a"]


def test_a_node_of_which_it_is_not_known_when_it_came_is_not_starting_any_more() -> None:
    nodes = [_node(f"n{number}") for number in range(4)]
    for node in nodes:
        node["status"]["conditions"][0]["status"] = "Unknown"
        node["metadata"]["creationTimestamp"] = None
    first, *_ = _played(*nodes)
    assert not first["loop"]["clusterHealthy"]


def test_without_the_status_config_map_there_are_no_events_about_it() -> None:
    flags: dict[str, Any] = {"write_status_configmap": "false", "scale_down_unneeded_time": "0s"}
    first, *_ = _played(_node("n1"), _waiting("a", node_selector={"no": "node"}), **flags)
    assert {each["object"] for each in first["loop"]["events"]} == {"Node/n1", "Pod/default/a"}


_DELAYED = {"delay-deletion.cluster-autoscaler.kubernetes.io/backup": "true"}
_AT_ONCE: dict[str, Any] = {"scale_down_unneeded_time": "0s", "node_delete_delay_after_taint": "1s"}


def _deletions(steps: list[dict[str, Any]]) -> list[float]:
    return [each["t"] for step in steps for each in step["until_next"]["providerCalls"]]


@pytest.mark.parametrize(
    ("timeout", "removed", "at"),
    [("2m", False, 121), ("2m", True, 31), ("12s", False, 13), ("0s", False, 1)],
)
def test_a_node_is_deleted_when_the_annotations_are_gone_that_delay_it(
    timeout: str, removed: bool, at: float
) -> None:
    node = {"op": "replace", "object": _node("n1")}
    steps: dict[int, list[Json]] = {0: [], 28: [node] if removed else [], 150: []}
    played = _played(
        _node("n1", annotations=_DELAYED),
        steps=steps,
        node_deletion_delay_timeout=timeout,
        **_AT_ONCE,
    )
    assert _deletions(played) == [at]


def test_a_node_that_is_gone_while_its_deletion_is_delayed_counts_as_failed() -> None:
    gone = [{"op": "delete", "kind": "Node", "name": "n1"}]
    node = _node("n1", annotations=_DELAYED)
    _, second, third = _played(node, steps={0: [], 8: gone, 20: []}, **_AT_ONCE)
    assert _events(second, "until_next", "ScaleDownFailed") == [
        ("Node/n1", 'failed to delete empty node: failed to get node n1: node "n1" not found')
    ]
    assert third["loop"]["scaleDown"]["deletionResults"] == {
        "n1": {"result": "ErrorFailedToDelete"}
    }


def test_events_of_nodes_that_go_or_stay_together_are_as_for_the_last() -> None:
    place = _node("place")
    place["spec"]["providerID"] = "other://place"
    labels = {"app": "web"}
    moving = {**_pod("a", node_name="n2", labels=labels), "status": {"phase": "Running"}}
    objects = (_node("n1"), _node("n2"), place, moving)
    flags: dict[str, Any] = {**_AT_ONCE, "node_delete_delay_after_taint": "20s"}
    atomic: Json = {"zeroOrMaxNodeScaling": True}
    _, second = _played(*objects, steps={0: [], 15: []}, options=atomic, **flags)
    assert [message for _, message in _events(second, "until_next", "ScaleDown")][:2] == [
        "Scale-down: node n1 removed with drain",
        "Scale-down: node n2 removed with drain",
    ]
    budget = {**make_pod_disruption_budget("web"), "status": {"disruptionsAllowed": 0}}
    late = [{"op": "create", "object": budget}]
    _, second = _played(*objects, steps={0: [], 15: late}, options=atomic, **flags)
    first, last = (message for _, message in _events(second, "until_next", "ScaleDownFailed"))
    others = "couldn't scale down other nodes in this node group"
    assert first == f"failed to drain and delete node: {others}"
    assert last.startswith("failed to drain and delete node: GetPodsToMove")
