"""From bound to Ready: statuses, movements, and how little is written."""

from __future__ import annotations

import pickle
from typing import Any

from kubestage.controllers.kubelet import progress
from kubestage.objects.patches import PatchType
from kubestage.stage import Stage
from tests.controllers.kubelet.clusters import POD, Cluster, at

CACHED = [{"names": ["app:1"], "sizeBytes": 5_000_000}]


def cached(**settings: Any) -> Cluster:
    cluster = Cluster(**settings)
    cluster.node(status={"images": CACHED})
    cluster.run("10s")
    return cluster


def test_a_pod_is_created_bound_started_and_leaves_by_movements() -> None:
    cluster = cached()
    cluster.pod()
    cluster.run("10s")
    cluster.delete()
    cluster.run("10s")
    assert cluster.movements() == [
        (10_000, "create", "PodsWaiting"),
        (10_000, "bind", "PodsStarting"),
        (11_000, "start", "PodsRunning"),
        (20_000, "terminate", "PodsEnding"),
        (21_000, "leave", "PodsGone"),
    ]
    assert cluster.get() is None


def test_a_pod_that_is_launched_waits_with_a_reason_then_is_ready_in_one_write() -> None:
    cluster = cached()
    cluster.pod()
    cluster.run("500ms")
    waiting = cluster.status()
    assert waiting["phase"] == "Pending"
    assert waiting["hostIP"] == "172.18.0.2"
    assert "podIP" not in waiting
    assert cluster.container()["state"] == {"waiting": {"reason": "ContainerCreating"}}
    assert cluster.condition("Ready")["message"] == "containers with unready status: [c]"
    cluster.run("1h")
    assert cluster.status()["phase"] == "Running"
    assert cluster.writes["default/web"] == 3  # the binding's and two of the kubelet's
    assert cluster.condition("Ready") == {
        "type": "Ready",
        "observedGeneration": 1,
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": at(11),
    }
    assert cluster.status()["podIPs"] == [{"ip": "10.244.0.2"}]


def test_without_a_launch_delay_there_is_a_single_write() -> None:
    cluster = cached(launch_delay="0s")
    cluster.pod()
    cluster.run("1s")
    assert cluster.status()["phase"] == "Running"
    assert cluster.writes["default/web"] == 2


def test_statuses_are_in_the_form_in_which_the_store_keeps_them() -> None:
    cluster = cached()
    mounts = [{"name": "v", "mountPath": "/v", "readOnly": True}]
    cluster.pod(
        containers=[{"name": "c", "image": "app:1", "volumeMounts": mounts}],
        initContainers=[{"name": "i", "image": "app:1"}],
        volumes=[{"name": "v", "emptyDir": {}}],
        annotations={"run-duration": "20s", "exit-code": "3"},
        restartPolicy="Always",
    )
    for _ in range(60):
        cluster.run("1s")
        for ref in (POD, ("v1", "Node"), ("v1", "Event")):
            for obj in cluster.store.list(ref).items:
                other = Stage(0).store.load(obj)
                version = {"resourceVersion": obj["metadata"]["resourceVersion"]}
                assert {**other, "metadata": {**other["metadata"], **version}} == obj


def test_conditions_of_others_are_kept() -> None:
    cluster = cached()
    cluster.pod()
    cluster.run("100ms")
    other = {"type": "DisruptionTarget", "status": "True", "reason": "x"}
    patch = {"status": {"conditions": [other]}}
    cluster.store.patch(POD, "web", patch, subresource="status")
    cluster.run("5s")
    kinds = [each["type"] for each in cluster.status()["conditions"]]
    assert kinds == [
        "DisruptionTarget",
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
    ]


def test_a_pod_without_a_node_waits_for_it() -> None:
    cluster = Cluster()
    cluster.pod(on="later")
    cluster.run("1m")
    assert progress.current_progress(cluster.kubelet).waiting == 1
    assert cluster.status()["phase"] == "Pending"
    cluster.node("later")
    cluster.run("1m")
    assert progress.current_progress(cluster.kubelet).running == 1
    assert cluster.status()["startTime"] == at(60)


def test_pods_that_ran_when_they_were_recorded_go_on_unwritten() -> None:
    first = cached()
    first.pod(annotations={"run-duration": "1m"})
    first.run("5s")
    pod = first.store.get(POD, "web")
    second = Cluster()
    second.node(status={"images": CACHED})
    second.store.load(pod)
    second.run("40s")
    assert second.writes == {}
    assert progress.current_progress(second.kubelet).running == 1
    second.run("1m")
    assert second.container()["restartCount"] == 1
    assert second.status()["podIP"] == pod["status"]["podIP"]


def test_pods_that_had_ended_are_left_alone() -> None:
    cluster = cached()
    pod = cluster.pod(on="")
    cluster.delete()
    cluster.store.load({**pod, "status": {"phase": "Succeeded", "qosClass": "BestEffort"}})
    cluster.run("1m")
    assert progress.current_progress(cluster.kubelet)[:5] == (0, 0, 0, 0, 0)


def test_a_bound_pod_without_any_status_is_taken_in() -> None:
    cluster = cached()
    pod = cluster.pod(on="")
    cluster.delete()
    cluster.run("1s")
    spec = {**pod["spec"], "nodeName": "n1"}
    cluster.store.load({**pod, "spec": spec, "status": {}})
    cluster.run("1m")
    assert cluster.status()["phase"] == "Running"
    assert cluster.status()["qosClass"] == "BestEffort"


def test_readiness_gates_are_waited_for() -> None:
    cluster = cached()
    cluster.pod(readinessGates=[{"conditionType": "example.com/ok"}])
    cluster.run("5s")
    ready = cluster.condition("Ready")
    assert ready["reason"] == "ReadinessGatesNotReady"
    assert ready["message"] == (
        'corresponding condition of pod readiness gate "example.com/ok" does not exist.'
    )
    patch = {"status": {"conditions": [{"type": "example.com/ok", "status": "True"}]}}
    cluster.store.patch(POD, "web", patch, subresource="status", patch_type=PatchType.STRATEGIC)
    cluster.run("5s")
    assert cluster.condition("Ready")["status"] == "True"
    assert cluster.condition("Ready")["lastTransitionTime"] == at(15)


def test_what_others_write_over_the_kubelet_is_set_right() -> None:
    cluster = cached()
    cluster.pod()
    cluster.run("5s")
    before = cluster.status()
    cluster.store.record_status(POD, "default/web", {**before, "podIP": "1.2.3.4"})
    cluster.run("1s")
    assert cluster.status() == before


def test_a_copy_goes_on_as_the_original() -> None:
    cluster = cached(launch_delay="exp(5s)")
    for number in range(5):
        cluster.pod(f"web-{number}", annotations={"run-duration": "uniform(1s,9s)"})
    cluster.run("7s")
    copy = pickle.loads(pickle.dumps(cluster))
    for each in (cluster, copy):
        each.run("10m")
    assert copy.store.list(POD).items == cluster.store.list(POD).items
    assert copy.movements() == cluster.movements()
