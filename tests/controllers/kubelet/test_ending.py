"""How pods end: grace, hooks, deadlines, and what is left of them."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.kubelet import progress
from tests.controllers.kubelet.clusters import NODE, POD, Cluster, at

IMAGES = [{"names": ["app:1"], "sizeBytes": 1}]


def running(annotations: dict[str, str] | None = None, **spec: Any) -> Cluster:
    cluster = Cluster(launch_delay="0s")
    cluster.node(status={"images": IMAGES})
    cluster.run("1s")
    cluster.pod(annotations=annotations, **spec)
    cluster.run("9s")
    return cluster


def last_status(cluster: Cluster, duration: str = "2m") -> dict[str, Any]:
    seen = cluster.store.watch(POD, "default")
    cluster.run(duration)
    found: dict[str, Any] = seen.poll()[-1].object["status"]
    return found


@pytest.mark.parametrize(
    ("delay", "grace", "ends", "code"),
    [
        ("1s", None, 11, 0),
        ("29s", None, 39, 0),
        ("31s", None, 40, 137),
        ("1h", None, 40, 137),
        ("5s", 3, 13, 137),
        ("5s", 1, 12, 137),
    ],
)
def test_a_container_has_its_grace_to_stop(
    delay: str, grace: int | None, ends: int, code: int
) -> None:
    cluster = running({"terminate-delay": delay})
    cluster.delete(grace=grace)
    status = last_status(cluster)
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["finishedAt"], ended["exitCode"]) == (at(ends), code)
    assert status["phase"] == ("Failed" if code else "Succeeded")
    assert ("Killing", "Stopping container c") in cluster.events()
    assert cluster.get() is None


def test_a_hook_that_sleeps_comes_out_of_the_grace() -> None:
    hook = {"preStop": {"sleep": {"seconds": 20}}}
    container = {"name": "c", "image": "app:1", "lifecycle": hook}
    cluster = running({"terminate-delay": "15s"}, containers=[container])
    cluster.delete()
    status = last_status(cluster)
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["finishedAt"], ended["exitCode"]) == (at(40), 137)


def test_what_runs_to_its_end_by_itself_dies_of_the_signal() -> None:
    cluster = running({"run-duration": "1h"}, restartPolicy="Never")
    cluster.delete()
    status = last_status(cluster)
    assert status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 143
    assert status["phase"] == "Failed"


def test_a_shorter_grace_hurries_a_pod_that_is_ending() -> None:
    cluster = running({"terminate-delay": "25s"})
    cluster.delete()
    cluster.run("5s")
    cluster.delete(grace=10)
    status = last_status(cluster)
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["finishedAt"], ended["exitCode"]) == (at(25), 137)


def test_force_ends_a_pod_at_once() -> None:
    cluster = running({"terminate-delay": "25s"})
    cluster.delete(grace=0)
    cluster.run("1ms")
    assert cluster.get() is None
    assert progress.current_progress(cluster.kubelet).gone == 1
    cluster.pod()
    cluster.run("10s")
    assert cluster.status()["phase"] == "Running"


def test_a_pod_that_is_deleted_while_it_starts_never_runs() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.run("1s")
    cluster.pod(annotations={"launch-delay": "1m"})
    cluster.run("5s")
    cluster.delete()
    status = last_status(cluster, "10s")
    assert cluster.get() is None
    assert status["phase"] == "Failed"
    lost = status["containerStatuses"][0]["state"]["terminated"]
    assert lost == {
        "exitCode": 137,
        "reason": "ContainerStatusUnknown",
        "message": "The container could not be located when the pod was terminated",
        "startedAt": None,
        "finishedAt": None,
    }
    assert cluster.reasons() == []


def test_a_pod_is_removed_though_its_finalizers_keep_its_object() -> None:
    cluster = running()
    cluster.store.patch(POD, "web", {"metadata": {"finalizers": ["x.io/f"]}})
    cluster.delete()
    cluster.run("10s")
    assert cluster.status()["phase"] == "Succeeded"
    assert progress.current_progress(cluster.kubelet).gone == 1
    cluster.store.patch(POD, "web", {"metadata": {"finalizers": None}})
    assert cluster.get() is None


def test_a_deadline_ends_a_pod_and_says_so() -> None:
    cluster = running(activeDeadlineSeconds=20)
    cluster.run("1m")
    status = cluster.status()
    assert status["phase"] == "Failed"
    assert status["reason"] == "DeadlineExceeded"
    assert status["message"] == "Pod was active on the node longer than the specified deadline"
    assert cluster.container()["state"]["terminated"]["finishedAt"] == at(22)
    assert cluster.reasons()[-2:] == ["DeadlineExceeded", "Killing"]
    assert progress.current_progress(cluster.kubelet).finished == 1


def test_a_deadline_also_ends_a_pod_that_has_yet_to_start() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.pod(annotations={"launch-delay": "1m"}, activeDeadlineSeconds=20)
    cluster.run("30s")
    assert cluster.status()["reason"] == "DeadlineExceeded"


def test_a_pod_deleted_past_its_deadline_goes_when_it_has_ended() -> None:
    cluster = running({"terminate-delay": "15s"}, activeDeadlineSeconds=12)
    cluster.run("5s")
    cluster.delete()
    cluster.run("30s")
    assert cluster.get() is None


def test_pods_of_a_node_that_is_gone_stay_until_somebody_removes_them() -> None:
    cluster = running()
    cluster.store.delete(NODE, "n1")
    cluster.run("1m")
    cluster.delete()
    cluster.run("1h")
    assert cluster.status()["phase"] == "Running"
    cluster.delete(grace=0)
    cluster.run("1s")
    assert cluster.get() is None
    assert cluster.kubelet.pods == {}


def test_a_phase_that_others_make_final_is_final() -> None:
    cluster = running({"run-duration": "1m"})
    patch = {"status": {"phase": "Failed", "reason": "Gone"}}
    cluster.store.patch(POD, "web", patch, subresource="status")
    cluster.run("5m")
    assert cluster.status()["reason"] == "Gone"
    assert progress.current_progress(cluster.kubelet).finished == 1
