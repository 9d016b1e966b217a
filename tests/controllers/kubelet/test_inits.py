"""Init containers in order, sidecars around the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.kubelet import progress
from tests.controllers.kubelet.clusters import Cluster, at

if TYPE_CHECKING:
    from kubestage.aliases import Json

IMAGES = [{"names": ["app:1"], "sizeBytes": 1}]


def box(name: str, **parts: Any) -> Json:
    return {"name": name, "image": "app:1", **parts}


def sidecar(name: str, **parts: Any) -> Json:
    return box(name, restartPolicy="Always", **parts)


def cluster_now() -> Cluster:
    cluster = Cluster(launch_delay="0s", init_run_duration="5s")
    cluster.node(status={"images": IMAGES})
    cluster.run("1s")
    return cluster


def test_init_containers_run_one_after_the_other() -> None:
    cluster = cluster_now()
    cluster.pod(initContainers=[box("i"), box("j")], annotations={"run-duration.j": "2s"})
    cluster.run("3s")
    assert cluster.status()["phase"] == "Pending"
    assert cluster.container(name="i")["state"]["running"]["startedAt"] == at(1)
    assert cluster.container(name="j")["state"]["waiting"]["reason"] == "PodInitializing"
    assert cluster.container()["state"]["waiting"]["reason"] == "PodInitializing"
    initialized = cluster.condition("Initialized")
    assert initialized["reason"] == "ContainersNotInitialized"
    assert initialized["message"] == "containers with incomplete status: [i j]"
    cluster.run("1m")
    assert cluster.container(name="i")["state"]["terminated"]["finishedAt"] == at(6)
    assert cluster.container(name="i")["ready"] is True
    assert cluster.container(name="i")["started"] is False
    assert cluster.container(name="j")["state"]["terminated"]["finishedAt"] == at(8)
    assert cluster.container()["state"]["running"]["startedAt"] == at(8)
    assert cluster.condition("Initialized")["lastTransitionTime"] == at(8)
    assert [done[1:] for done in cluster.movements()][-1] == ("run", "PodsRunning")


def test_a_failing_init_container_is_tried_again_with_patience() -> None:
    cluster = cluster_now()
    cluster.pod(initContainers=[box("i")], annotations={"exit-code.i": "1"})
    cluster.run("12s")
    state = cluster.container(name="i")
    assert state["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert state["lastState"]["terminated"]["exitCode"] == 1
    assert cluster.status()["phase"] == "Pending"
    cluster.run("1h")
    assert cluster.status()["phase"] == "Pending"
    assert cluster.container(name="i")["restartCount"] > 5


def test_a_failed_init_container_fails_a_pod_that_never_restarts() -> None:
    cluster = cluster_now()
    inits = [sidecar("s"), box("i")]
    notes = {"exit-code.i": "3"}
    cluster.pod(initContainers=inits, annotations=notes, restartPolicy="Never")
    cluster.run("1m")
    status = cluster.status()
    assert status["phase"] == "Failed"
    assert cluster.condition("Initialized")["status"] == "False"
    assert cluster.condition("Ready")["reason"] == "PodFailed"
    assert cluster.container()["state"]["waiting"]["reason"] == "PodInitializing"
    assert cluster.container(name="s")["state"]["terminated"]["exitCode"] == 0
    assert progress.current_progress(cluster.kubelet).finished == 1


def test_sidecars_start_first_and_those_behind_wait_until_they_are_started() -> None:
    cluster = cluster_now()
    probe = {"httpGet": {"port": 80}, "initialDelaySeconds": 3, "periodSeconds": 2}
    cluster.pod(initContainers=[sidecar("s", startupProbe=probe), box("i")])
    cluster.run("1m")
    # Rounds every two seconds, not before three.
    assert cluster.container(name="i")["state"]["terminated"]["startedAt"] == at(5)
    assert cluster.container()["state"]["running"]["startedAt"] == at(10)
    assert cluster.container(name="s")["started"] is True
    assert cluster.condition("Ready")["lastTransitionTime"] == at(10)


def test_sidecars_end_after_the_others_in_reverse_order() -> None:
    cluster = cluster_now()
    notes = {"terminate-delay": "2s", "terminate-delay.s": "3s", "terminate-delay.t": "4s"}
    cluster.pod(initContainers=[sidecar("s"), sidecar("t")], annotations=notes)
    cluster.run("9s")
    cluster.delete()
    seen = cluster.store.watch(("v1", "Pod"), "default")
    cluster.run("1m")
    last = [event.object for event in seen.poll() if event.type == "MODIFIED"][-1]["status"]
    ends = {
        each["name"]: each["state"]["terminated"]["finishedAt"]
        for each in (*last["containerStatuses"], *last["initContainerStatuses"])
    }
    assert ends == {"c": at(12), "t": at(16), "s": at(19)}
    assert last["phase"] == "Succeeded"


def test_a_job_pod_ends_its_sidecars_when_its_work_is_done() -> None:
    cluster = cluster_now()
    cluster.pod(initContainers=[sidecar("s")], restartPolicy="Never")
    cluster.run("10500ms")
    assert cluster.status()["phase"] == "Running"
    cluster.run("2s")
    assert cluster.status()["phase"] == "Succeeded"
    assert ("Killing", "Stopping container s") in cluster.events()
    assert cluster.container(name="s")["state"]["terminated"]["finishedAt"] == at(12)
    assert cluster.condition("Ready")["reason"] == "PodCompleted"


def test_a_crashing_sidecar_comes_back_without_the_others_being_touched() -> None:
    cluster = cluster_now()
    notes = {"run-duration.s": "4s", "exit-code.s": "1"}
    cluster.pod(initContainers=[sidecar("s")], annotations=notes)
    cluster.run("10s")
    assert cluster.container(name="s")["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert cluster.container()["restartCount"] == 0
    assert cluster.status()["phase"] == "Running"
    assert cluster.condition("Ready")["message"] == "containers with unready status: [s]"
    assert cluster.condition("Initialized")["status"] == "True"
