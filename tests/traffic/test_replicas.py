"""Replicas of pods that behave oddly: that come back, lose their node, or lack a container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import Stage
from kubestage.testing import make_node
from tests.traffic import stages

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.traffic.stream import Stream

CONSTANT = {"constant": {"rps": 10}}
NODE = ("v1", "Node")
READY = {"conditions": [{"type": "Ready", "status": "True"}]}


def by_hand(*objects: Json) -> Stage:
    """A stage on which nobody but you says how pods are."""
    stage = Stage()
    stage.add_controllers(loops=())
    stage.load([make_node("node-1", cpu="4"), stages.deployment(1), *objects])
    stage.load([stages.traffic(CONSTANT)])
    return stage


def pod(**status: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web-1", "namespace": "default", "labels": {"app": "web"}},
        "spec": {"nodeName": "node-1", "containers": [{"name": "web", "image": "web"}]},
        "status": status,
    }


def say(stage: Stage, **status: Any) -> None:
    stage.store.patch(stages.POD, "web-1", {"status": status}, "default", subresource="status")
    stage.run("1s")


def stream(stage: Stage) -> Stream:
    assert stage.traffic is not None
    return stage.traffic.streams["default/load"]


def active(stage: Stage) -> int:
    return stream(stage).replicas.active.count


def test_a_pod_without_container_statuses_serves_while_it_is_ready() -> None:
    stage = by_hand(pod(phase="Running", **READY))
    stage.run("10s")
    assert active(stage) == 1
    assert stream(stage).record.completed >= 90


def test_a_pod_that_has_failed_serves_no_more_even_if_it_is_then_deleted() -> None:
    stage = by_hand(pod(phase="Running", **READY))
    stage.run("10s")
    say(stage, phase="Failed")
    assert active(stage) == 0
    finalizers = {"metadata": {"finalizers": ["example.com/wait"]}}
    stage.store.patch(stages.POD, "web-1", finalizers, "default")
    stage.store.delete(stages.POD, "web-1", "default")
    say(stage, phase="Running")
    assert (active(stage), stream(stage).replicas.terminating.count) == (0, 0)


def test_a_pod_that_comes_back_against_all_rules_is_a_new_replica() -> None:
    stage = by_hand(pod(phase="Running", **READY))
    stage.run("10s")
    say(stage, phase="Failed")
    say(stage, phase="Running")
    assert active(stage) == 1
    assert stream(stage).replicas.terminated.count == 1
    assert stream(stage).record.replica_names == ["web-1", "web-1"]


def test_a_pod_whose_node_is_gone_is_as_fast_as_before() -> None:
    stage = by_hand(pod(phase="Running", **READY))
    stage.run("1s")
    (replica,) = stream(stage).replicas.active.entities_in_stock()
    assert replica.capacity == 4
    stage.store.delete(NODE, "node-1")
    say(stage, message="nobody knows")
    assert replica.capacity == 4


def test_without_a_kubelet_usage_is_that_of_requests_also_after_a_pod_was_not_ready() -> None:
    stage = by_hand(pod(phase="Running", **READY))
    assert stage.metrics is not None
    stage.metrics.require()
    stage.run("92s")
    (before,) = stage.metrics.board.pods("default").values()
    assert before.containers["web"].cpu_nanos == pytest.approx(1e9, rel=0.01)
    say(stage, conditions=[{"type": "Ready", "status": "False"}])
    say(stage, **READY)
    stage.run("13s")
    (after,) = stage.metrics.board.pods("default").values()
    assert after.containers["web"].cpu_nanos == pytest.approx(14e9 / 15, rel=0.03)


def test_a_limit_that_changes_while_a_pod_is_not_ready_holds_for_what_it_is_at() -> None:
    stage = by_hand(pod(phase="Running", **READY))
    slow = {"cpu": "4s", "io": "0s", "timeout": "forever"}
    stage.store.delete(stages.TRAFFIC, "load", "default")
    stage.load([stages.traffic({"uniform": {"requests": 1, "duration": "1s"}}, request=slow)])
    stage.run("1s")
    unready = [{"type": "Ready", "status": "False"}]
    resources = {"limits": {"cpu": "500m"}}
    say(stage, conditions=unready, containerStatuses=[{"name": "web", "resources": resources}])
    stage.run("4s")
    assert stream(stage).record.completed == 0
    stage.run("4s")
    assert stream(stage).record.completed == 1


@pytest.mark.parametrize(("wanted", "status"), [("web", "True"), ("proxy", "False")])
def test_whether_pods_have_the_container_that_was_named_is_told(wanted: str, status: str) -> None:
    stage = stages.living(stages.deployment(1), stages.traffic(CONSTANT, container=wanted))
    stage.run("16s")
    found = stage.store.get(stages.TRAFFIC, "load", "default")["status"]["conditions"]
    condition = {each["type"]: each for each in found}["ContainerFound"]
    assert condition["status"] == status
    if status == "False":
        assert 'has no container "proxy" but web: its requests use' in condition["message"]
