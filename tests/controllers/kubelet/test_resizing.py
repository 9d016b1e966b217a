"""Pods that get other resources while they run."""

from __future__ import annotations

import json

import pytest

from kubestage.errors import Forbidden
from kubestage.objects import pod_resources
from kubestage.objects.patches import PatchType
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from tests.controllers.kubelet.clusters import NODE, POD, Cluster, at
from tests.controllers.kubelet.resizes import (
    MI,
    amounts,
    beside,
    container,
    kinds,
    resize,
    running,
    told,
)


def test_a_resize_is_granted_then_takes_effect_and_both_are_told() -> None:
    cluster = running(container(requests=amounts("1", "1Gi")))
    resize(cluster, requests=amounts("1500m", "2Gi"))
    cluster.run("1s")
    assert kinds(cluster) == ["PodResizeInProgress"]
    progress = cluster.condition("PodResizeInProgress")
    assert progress == {
        "type": "PodResizeInProgress",
        "observedGeneration": 2,
        "status": "True",
        "lastProbeTime": at(10),
        "lastTransitionTime": at(10),
    }
    state = cluster.container()
    assert state["allocatedResources"] == amounts("1500m", "2Gi")
    assert state["resources"] == {"requests": amounts("1", "1Gi")}
    assert cluster.status()["allocatedResources"] == amounts("1500m", "2Gi")
    assert cluster.status()["resources"] == {"requests": amounts("1", "1Gi")}
    cluster.run("2s")
    assert kinds(cluster) == []
    assert cluster.container()["resources"] == {"requests": amounts("1500m", "2Gi")}
    assert cluster.status()["resources"] == {"requests": amounts("1500m", "2Gi")}
    assert cluster.container()["restartCount"] == 0
    assert cluster.status()["observedGeneration"] == 2
    summary = (
        '{"containers":[{"name":"c","resources":{"requests":{"cpu":"1500m","memory":"2Gi"}}}],'
        '"generation":2}'
    )
    assert told(cluster, "ResizeStarted") == [f"Pod resize started: {summary}"]
    assert told(cluster, "ResizeCompleted") == [f"Pod resize completed: {summary}"]


def test_what_the_node_has_not_left_is_deferred_until_somebody_goes() -> None:
    cluster = running(container(requests=amounts("1", "1Gi")))
    beside(cluster, "2")
    resize(cluster, requests=amounts("3", "1Gi"))
    cluster.run("1s")
    text = "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000"
    pending = cluster.condition("PodResizePending")
    assert (pending["reason"], pending["message"]) == ("Deferred", text)
    assert cluster.container()["allocatedResources"] == amounts("1", "1Gi")
    (message,) = told(cluster, "ResizeDeferred")
    assert message.startswith("Pod resize OutOfcpu: {")
    assert json.loads(message.partition(": ")[2])["error"] == text
    cluster.run("10m")
    assert len(told(cluster, "ResizeDeferred")) == 1
    cluster.delete("other", grace=0)
    cluster.run("10s")
    assert kinds(cluster) == []
    assert cluster.container()["resources"]["requests"] == amounts("3", "1Gi")


def test_a_deferred_resize_that_is_taken_back_is_forgotten() -> None:
    cluster = running(container(requests=amounts("1", "1Gi")))
    beside(cluster, "2")
    resize(cluster, requests=amounts("3", "1Gi"))
    cluster.run("5s")
    resize(cluster, requests=amounts("1", "1Gi"))
    cluster.run("5s")
    assert kinds(cluster) == []
    assert cluster.condition("Ready")["observedGeneration"] == 3
    cluster.delete("other", grace=0)
    cluster.run("5m")
    assert "ResizeStarted" not in cluster.reasons()


def test_who_shrinks_makes_room_for_whoever_waits() -> None:
    cluster = running(container(requests=amounts("1", "1Gi")))
    beside(cluster, "2")
    resize(cluster, requests=amounts("3", "1Gi"))
    cluster.run("5s")
    resize(cluster, "other", requests=amounts("1", "1Gi"))
    cluster.run("5s")
    assert cluster.container()["resources"]["requests"] == amounts("3", "1Gi")
    node = cluster.kubelet.nodes.get("n1")
    assert node is not None
    assert node.milli_cpu == 4000


def test_a_node_that_grows_is_noticed_after_a_while() -> None:
    cluster = running(container(requests=amounts("1", "1Gi")))
    beside(cluster, "2")
    resize(cluster, requests=amounts("3", "1Gi"))
    cluster.run("1m")
    grown = {"status": {"allocatable": {"cpu": "8", "memory": "4Gi", "pods": "9"}}}
    cluster.store.patch(NODE, "n1", grown, subresource="status")
    cluster.run("1m")
    assert kinds(cluster) == ["PodResizePending"]
    cluster.run("2m")
    assert cluster.container()["resources"]["requests"] == amounts("3", "1Gi")


def test_the_books_of_the_node_follow_a_resize_to_the_end() -> None:
    cluster = running(container(requests=amounts("1", "1Gi")))
    node = cluster.kubelet.nodes.get("n1")
    assert node is not None
    resize(cluster, requests=amounts("3", "2Gi"))
    cluster.run("5s")
    assert (node.milli_cpu, node.memory, node.count) == (3000, 2048 * MI, 1)
    cluster.delete(grace=0)
    cluster.run("5s")
    assert (node.milli_cpu, node.memory, node.count) == (0, 0, 0)


def test_more_than_the_node_can_ever_have_is_refused_at_the_door() -> None:
    cluster = running(container(requests=amounts("1", "1Gi")))
    with pytest.raises(Forbidden) as refused:
        resize(cluster, requests=amounts("5", "8Gi"))
    assert refused.value.message == (
        'pods "web" is forbidden: node didn\'t have enough allocatable resources: '
        "cpu, requested: 5000, allocatable: 4000; "
        f"memory, requested: {8192 * MI}, allocatable: {4096 * MI}"
    )


def test_a_container_whose_policy_says_so_starts_anew() -> None:
    cluster = running(
        container(restart="memory", requests=amounts("1", "1Gi")),
        container("d", requests=amounts("100m", "1Gi")),
    )
    resize(cluster, requests=amounts("2", "1Gi"))
    cluster.run("5s")
    assert cluster.container()["restartCount"] == 0
    resize(cluster, requests=amounts("2", "2Gi"))
    cluster.run("5s")
    state = cluster.container()
    assert state["restartCount"] == 1
    assert state["state"]["running"]["startedAt"] == at(17)
    assert state["lastState"]["terminated"]["exitCode"] == 0
    assert state["resources"]["requests"] == amounts("2", "2Gi")
    assert ("Killing", "Container c resize requires restart") in cluster.events()
    assert cluster.container(name="d")["restartCount"] == 0
    assert kinds(cluster) == []


def test_another_wish_replaces_the_one_under_way() -> None:
    cluster = running(container(requests=amounts("1", "1Gi")))
    resize(cluster, requests=amounts("2", "1Gi"))
    cluster.run("1s")
    resize(cluster, requests=amounts("3", "1Gi"))
    cluster.run("1s")
    assert cluster.condition("PodResizeInProgress")["observedGeneration"] == 3
    assert cluster.container()["resources"]["requests"] == amounts("1", "1Gi")
    cluster.run("2s")
    assert cluster.container()["resources"]["requests"] == amounts("3", "1Gi")
    assert len(told(cluster, "ResizeCompleted")) == 1


def test_a_pod_that_is_over_tells_nothing_of_its_resize() -> None:
    cluster = running(
        container(requests=amounts("1", "1Gi")),
        notes={"run-duration": "15s"},
        restartPolicy="Never",
    )
    beside(cluster, "3")
    resize(cluster, requests=amounts("2", "1Gi"))
    cluster.run("500ms")
    assert kinds(cluster) == ["PodResizePending"]
    cluster.run("20s")
    assert cluster.status()["phase"] == "Succeeded"
    assert kinds(cluster) == []
    assert cluster.container()["resources"]["requests"] == amounts("1", "1Gi")


def test_the_scheduler_counts_the_larger_until_the_resize_is_done() -> None:
    cluster = running(container(requests=amounts("2", "2Gi")))
    resize(cluster, requests=amounts("1", "1Gi"))
    counted = pod_resources.IN_PLACE
    pod = cluster.get()
    assert pod is not None
    assert pod_resources.requests(pod, counted)["cpu"].milli_value == 2000
    cluster.run("5s")
    pod = cluster.get()
    assert pod is not None
    assert not pod_resources.has_status_resources(pod)
    assert pod_resources.requests(pod, counted)["cpu"].milli_value == 1000


def test_resources_of_the_pod_as_a_whole_are_resized_too() -> None:
    cluster = running({"name": "c", "image": "app:1"}, resources={"requests": amounts("1", "1Gi")})
    patch = {"spec": {"resources": {"requests": amounts("2", "1Gi")}}}
    cluster.store.patch(POD, "web", patch, subresource="resize")
    cluster.run("1s")
    assert kinds(cluster) == ["PodResizeInProgress"]
    assert cluster.status()["allocatedResources"] == amounts("2", "1Gi")
    cluster.run("2s")
    assert cluster.status()["resources"] == {"requests": amounts("2", "1Gi")}


def test_a_resize_goes_on_where_a_recording_left_it() -> None:
    before = running(container(requests=amounts("1", "1Gi")))
    beside(before, "2")
    resize(before, requests=amounts("3", "1Gi"))
    before.run("5s")
    after = Cluster(launch_delay="0s")
    for key in (("v1", "Node"), POD):
        for each in before.store.read(key).values():
            after.store.load(each)
    after.run("10s")
    node = after.kubelet.nodes.get("n1")
    assert node is not None
    assert node.milli_cpu == 3000
    assert after.condition("PodResizePending")["reason"] == "Deferred"
    after.delete("other", grace=0)
    after.run("10s")
    assert after.container()["resources"]["requests"] == amounts("3", "1Gi")


def test_the_scheduler_gives_away_what_a_pod_no_longer_holds() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply([make_node("n1", cpu="4", memory="8Gi"), make_pod("large", cpu="3")])
    stage.run("10s")
    stage.apply([make_pod("late", cpu="2")])
    smaller = {"name": "app", "resources": {"requests": {"cpu": "1"}}}
    patch = {"spec": {"containers": [smaller]}}
    strategic = PatchType.STRATEGIC
    stage.store.patch(POD, "large", patch, patch_type=strategic, subresource="resize")
    stage.run("500ms")
    assert "nodeName" not in stage.store.get(POD, "late")["spec"]
    fork = stage.fork()
    for each in (stage, fork):
        each.run("30s")
        assert each.store.get(POD, "late")["spec"]["nodeName"] == "n1"
