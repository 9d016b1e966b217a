from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers import leases
from kubestage.controllers.node_lifecycle.loop import NodeLifecycleController
from kubestage.controllers.settings import Settings
from kubestage.testing import make_node
from tests.controllers.living import (
    NODE,
    fall_silent,
    lease,
    running,
    say,
    taints,
)
from tests.controllers.stages import events, stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


def _stage(*names: str, settings: Settings | None = None, **parts: Any) -> Stage:
    """Ready nodes that are heard of for a while; half a second past a tick."""
    stage = stage_with(NodeLifecycleController, settings=settings)
    for name in names:
        stage.store.load(make_node(name, **parts))
        stage.store.create(lease(name, stage))
    stage.run("100500ms")
    return stage


def _ready(stage: Stage, name: str) -> Json:
    conditions = stage.store.read(NODE)[name]["status"]["conditions"]
    return next(each for each in conditions if each["type"] == "Ready")


def test_idle_nodes_cost_nothing() -> None:
    stage = _stage("n1", "n2")
    assert stage.controllers is not None
    before = stage.controllers.syncs
    stage.run("24h")
    assert stage.controllers.syncs == before
    assert _ready(stage, "n1")["status"] == "True"


def test_a_node_that_says_nothing_of_its_readiness_is_left_alone() -> None:
    stage = _stage("n1")
    node = stage.store.read(NODE)["n1"]
    conditions = [{**each, "status": ""} for each in node["status"]["conditions"]]
    stage.store.update({**node, "status": {"conditions": conditions}}, subresource="status")
    stage.run("10s")
    assert _ready(stage, "n1")["status"] == ""
    assert taints(stage, "n1") == []


def test_a_silent_node_is_unknown_at_the_tick_after_the_grace_period() -> None:
    stage = _stage("n1", "n2")
    fall_silent(stage, "n1")
    # Last renewed at 100 s, which the tick at 100 s noticed.
    stage.run("49s")
    assert _ready(stage, "n1")["status"] == "True"
    stage.run("1s")
    found = _ready(stage, "n1")
    assert (found["status"], found["reason"]) == ("Unknown", "NodeStatusUnknown")
    assert found["message"] == "Kubelet stopped posting node status."
    assert found["lastTransitionTime"] == "2026-01-01T00:02:30Z"
    assert taints(stage, "n1") == [("unreachable", "NoExecute"), ("unreachable", "NoSchedule")]
    assert ("NodeNotReady", "Node n1 status is now: NodeNotReady", 1) in events(stage)
    assert _ready(stage, "n2")["status"] == "True"


def test_plain_heartbeats_keep_a_node_alive_as_long_as_they_come() -> None:
    stage = _stage("n2")
    stage.store.load(make_node("n1"))
    stage.store.create(lease("n1", stage, every=None))
    for _ in range(10):
        stage.run("40s")
        renewed = {"spec": lease("n1", stage)["spec"]}
        stage.store.patch(leases.LEASE, "n1", renewed, leases.NAMESPACE)
    assert _ready(stage, "n1")["status"] == "True"
    stage.run("1m")
    assert _ready(stage, "n1")["status"] == "Unknown"


def test_a_node_that_comes_back_loses_its_taints() -> None:
    stage = _stage("n1", "n2")
    fall_silent(stage, "n1")
    stage.run("1m")
    say(stage, "n1", "Ready", "True")
    back = {"metadata": lease("n1", stage)["metadata"], "spec": lease("n1", stage)["spec"]}
    stage.store.patch(leases.LEASE, "n1", back, leases.NAMESPACE)
    stage.run("1ms")
    assert taints(stage, "n1") == [("unreachable", "NoExecute")]
    stage.run("5s")
    assert taints(stage, "n1") == []


def test_a_node_that_never_posted_a_status_is_unknown_after_a_minute() -> None:
    stage = _stage("n2")
    stage.store.load({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    stage.run("59s")
    assert not stage.store.read(NODE)["n1"]["status"].get("conditions")
    stage.run("6s")
    found = _ready(stage, "n1")
    assert (found["status"], found["reason"]) == ("Unknown", "NodeStatusNeverUpdated")
    kinds = [each["type"] for each in stage.store.read(NODE)["n1"]["status"]["conditions"]]
    assert kinds == ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"]


def test_pods_of_a_node_that_is_lost_are_not_ready() -> None:
    stage = _stage("n1", "n2")
    stage.store.load(running("a"))
    stage.store.load(running("b", 2, node_name="n2"))
    fall_silent(stage, "n1")
    stage.run("55s")
    stage.store.load(running("late", 3))
    stage.run("1s")
    found = {
        each["metadata"]["name"]: each["status"]["conditions"][0]["status"]
        for each in stage.store.list(("v1", "Pod")).items
    }
    assert found == {"a": "False", "b": "True", "late": "False"}
    assert events(stage, "NodeNotReady").count(("NodeNotReady", "Node is not ready", 1)) == 2


@pytest.mark.parametrize(
    ("condition", "taint"),
    [
        ("MemoryPressure", "memory-pressure"),
        ("DiskPressure", "disk-pressure"),
        ("PIDPressure", "pid-pressure"),
        ("NetworkUnavailable", "network-unavailable"),
    ],
)
def test_what_a_node_lacks_taints_it_at_once_and_only_meanwhile(condition: str, taint: str) -> None:
    stage = _stage("n1", "n2")
    say(stage, "n1", condition, "True")
    stage.run("1ms")
    assert taints(stage, "n1") == [(taint, "NoSchedule")]
    say(stage, "n1", condition, "False")
    stage.run("1ms")
    assert taints(stage, "n1") == []


def test_a_cordoned_node_is_tainted_and_keeps_the_taints_of_others() -> None:
    stage = _stage("n1", "n2", taints=["own=1:NoSchedule"])
    stage.store.patch(NODE, "n1", {"spec": {"unschedulable": True}})
    stage.run("1ms")
    assert taints(stage, "n1") == [("own", "NoSchedule"), ("unschedulable", "NoSchedule")]
    stage.store.patch(NODE, "n1", {"spec": {"unschedulable": None}})
    stage.run("1ms")
    assert taints(stage, "n1") == [("own", "NoSchedule")]


def test_a_node_that_says_it_is_not_ready_is_tainted_at_the_next_tick() -> None:
    stage = _stage("n1", "n2")
    say(stage, "n1", "Ready", "False")
    stage.run("4s")
    assert taints(stage, "n1") == [("not-ready", "NoSchedule")]
    stage.run("1s")
    assert taints(stage, "n1") == [("not-ready", "NoExecute"), ("not-ready", "NoSchedule")]
    fall_silent(stage, "n1")
    stage.run("1m")
    assert taints(stage, "n1") == [("unreachable", "NoExecute"), ("unreachable", "NoSchedule")]


def test_nodes_are_tainted_no_faster_than_the_rate_allows() -> None:
    names = [f"n{number}" for number in range(6)]
    stage = _stage(*names)
    for name in names[:2]:
        say(stage, name, "Ready", "False")
    stage.run("5s")
    assert [("not-ready", "NoExecute") in taints(stage, name) for name in names[:2]] == [
        True,
        False,
    ]
    stage.run("10s")
    assert ("not-ready", "NoExecute") in taints(stage, "n1")


def test_in_a_small_cluster_a_partial_disruption_stops_tainting() -> None:
    names = [f"n{number}" for number in range(5)]
    stage = _stage(*names, settings=Settings(node_eviction_rate=10.0))
    for name in names[:3]:
        say(stage, name, "Ready", "False")
    stage.run("1h")
    assert not any(("not-ready", "NoExecute") in taints(stage, name) for name in names)
    say(stage, "n0", "Ready", "True")
    stage.run("10s")
    assert [("not-ready", "NoExecute") in taints(stage, name) for name in names] == [
        False,
        True,
        True,
        False,
        False,
    ]


def test_when_no_node_is_ready_all_taints_are_taken_back_until_one_is() -> None:
    stage = _stage("n1", "n2", settings=Settings(node_eviction_rate=10.0))
    say(stage, "n1", "Ready", "False")
    stage.run("5s")
    assert ("not-ready", "NoExecute") in taints(stage, "n1")
    say(stage, "n2", "Ready", "False")
    stage.run("5s")
    assert taints(stage, "n1") == taints(stage, "n2") == [("not-ready", "NoSchedule")]
    stage.run("1h")
    say(stage, "n2", "Ready", "True")
    stage.run("10s")
    assert ("not-ready", "NoExecute") in taints(stage, "n1")
    assert taints(stage, "n2") == []


def test_nodes_come_and_go_with_events_and_get_the_old_labels() -> None:
    stage = _stage("n1", labels={"kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64"})
    labels = stage.store.read(NODE)["n1"]["metadata"]["labels"]
    assert labels["beta.kubernetes.io/os"] == "linux"
    assert labels["beta.kubernetes.io/arch"] == "arm64"
    stage.store.delete(NODE, "n1")
    stage.run("5s")
    assert events(stage) == [
        ("RegisteredNode", "Node n1 event: Registered Node n1 in Controller", 1),
        ("RemovingNode", "Node n1 event: Removing Node n1 from Controller", 1),
    ]


def test_a_fork_goes_on_as_the_original() -> None:
    stage = _stage("n1", "n2")
    fall_silent(stage, "n1")
    stage.run("20s")
    copy = stage.fork()
    for each in (stage, copy):
        each.run("1m")
    assert stage.store.read(NODE)["n1"] == copy.store.read(NODE)["n1"]
    assert taints(copy, "n1") == [("unreachable", "NoExecute"), ("unreachable", "NoSchedule")]
