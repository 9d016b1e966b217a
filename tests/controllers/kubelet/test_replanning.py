"""Pods that are changed while they run, and images that cannot be had."""

from __future__ import annotations

from kubestage.objects.patches import PatchType
from tests.controllers.kubelet.clusters import POD, Cluster, at

IMAGES = [{"names": ["app:1"], "sizeBytes": 1}]
GET = {"httpGet": {"port": 80}}


def running(**spec: object) -> Cluster:
    cluster = Cluster(launch_delay="0s")
    cluster.node(status={"images": IMAGES, "capacity": {"cpu": "4", "memory": "4Gi", "pods": "9"}})
    cluster.run("1s")
    cluster.pod(**spec)  # type: ignore[arg-type] # what a pod takes
    cluster.run("9s")
    return cluster


def annotate(cluster: Cluster, **notes: str | None) -> None:
    named = {f"kubestage.dev/{key.replace('_', '-')}": text for key, text in notes.items()}
    cluster.store.patch(POD, "web", {"metadata": {"annotations": named}})


def test_a_pod_can_be_told_to_end_while_it_runs() -> None:
    cluster = running()
    annotate(cluster, run_duration="30s", exit_code="4")
    cluster.run("25s")
    assert cluster.container()["lastState"]["terminated"]["finishedAt"] == at(31)
    assert cluster.container()["lastState"]["terminated"]["exitCode"] == 4
    annotate(cluster, run_duration=None)
    cluster.run("1h")
    assert cluster.container()["restartCount"] == 1


def test_a_probe_can_be_made_to_fail_and_mended_again() -> None:
    cluster = running(containers=[{"name": "c", "image": "app:1", "readinessProbe": GET}])
    assert cluster.condition("Ready")["status"] == "True"
    annotate(cluster, failing_probes="readiness")
    cluster.run("5s")
    assert cluster.condition("Ready")["status"] == "False"
    assert cluster.condition("Ready")["lastTransitionTime"] == at(10)
    annotate(cluster, failing_probes=None)
    cluster.run("5s")
    assert cluster.condition("Ready")["lastTransitionTime"] == at(15)
    assert cluster.condition("Ready")["status"] == "True"
    assert cluster.container()["restartCount"] == 0


def test_labels_and_the_like_change_nothing() -> None:
    cluster = running()
    before = cluster.writes["default/web"]
    cluster.store.patch(POD, "web", {"metadata": {"labels": {"a": "b"}}})
    annotate(cluster, note="of another kind")
    cluster.run("5s")
    assert cluster.writes["default/web"] == before


def test_nonsense_is_told_when_it_comes() -> None:
    cluster = running()
    annotate(cluster, run_duration="whenever")
    cluster.run("5s")
    assert cluster.reasons()[-1] == "InvalidAnnotation"
    assert cluster.status()["phase"] == "Running"


def test_another_image_means_another_container() -> None:
    cluster = running()
    patch = {"spec": {"containers": [{"name": "c", "image": "app:2"}]}}
    cluster.store.patch(POD, "web", patch, patch_type=PatchType.STRATEGIC)
    cluster.run("30s")
    killing = ("Killing", "Container c definition changed, will be restarted")
    assert killing in cluster.events()
    state = cluster.container()
    assert state["image"] == "app:2"
    assert state["restartCount"] == 1
    assert state["state"]["running"]["startedAt"] == at(11)
    assert "BackOff" not in cluster.reasons()


def test_a_shorter_deadline_holds() -> None:
    cluster = running(activeDeadlineSeconds=1000)
    cluster.store.patch(POD, "web", {"spec": {"activeDeadlineSeconds": 20}})
    cluster.run("30s")
    assert cluster.status()["reason"] == "DeadlineExceeded"


def test_an_image_that_cannot_be_pulled_is_tried_again_later_and_later() -> None:
    cluster = running(
        containers=[{"name": "c", "image": "app:9"}, {"name": "d", "image": "app:1"}],
        annotations={"image-error.c": "not found"},
    )
    assert cluster.container()["state"]["waiting"] == {
        "reason": "ErrImagePull",
        "message": "not found",
    }
    assert cluster.container(name="d")["state"]["running"]["startedAt"] == at(1)
    assert cluster.status()["phase"] == "Pending"
    cluster.run("15s")
    assert cluster.container()["state"]["waiting"] == {
        "reason": "ImagePullBackOff",
        "message": 'Back-off pulling image "app:9": ErrImagePull: not found',
    }
    cluster.run("1h")
    assert cluster.status()["phase"] == "Pending"
    told = {event for event in cluster.events() if event[0] in ("Failed", "BackOff")}
    assert told == {
        ("BackOff", 'Back-off pulling image "app:9"'),
        ("Failed", "Error: ImagePullBackOff"),
        ("Failed", 'Failed to pull image "app:9": not found'),
        ("Failed", "Error: ErrImagePull"),
    }
    annotate(cluster, **{"image_error.c": None})
    cluster.run("5s")
    assert cluster.status()["phase"] == "Running"
