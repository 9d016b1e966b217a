from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers import pods
from kubestage.controllers.pod_gc import PodGCController
from kubestage.controllers.settings import Settings
from kubestage.testing import make_node, make_pod
from tests.controllers.living import NODE, running
from tests.controllers.stages import stage_with

if TYPE_CHECKING:
    from kubestage.stage import Stage


def _stage(**settings: Any) -> Stage:
    stage = stage_with(PodGCController, settings=Settings(**settings))
    stage.store.load(make_node("n1"))
    return stage


def _names(stage: Stage) -> list[str]:
    return [each["metadata"]["name"] for each in stage.store.list(pods.POD).items]


def _ended(name: str, created: str, reason: str | None = None) -> dict[str, Any]:
    pod = make_pod(name, node_name="n1", phase="Failed")
    pod["metadata"]["creationTimestamp"] = created
    if reason is not None:
        pod["status"]["reason"] = reason
    return pod


def test_pods_of_a_node_that_stays_away_go_after_the_quarantine() -> None:
    stage = _stage()
    stage.store.load(running("a"))
    stage.run("25s")
    stage.store.delete(NODE, "n1")
    # Seen at 40 s, and again two periods later.
    stage.run("54s")
    assert _names(stage) == ["a"]
    watch = stage.store.watch(pods.POD, resource_version=stage.store.resource_version)
    stage.run("1s")
    assert _names(stage) == []
    failed = watch.poll()[0].object["status"]
    assert failed["phase"] == "Failed"
    found = pods.condition(failed, "DisruptionTarget")
    assert found is not None
    assert (found["reason"], found["message"]) == (
        "DeletionByPodGC",
        "PodGC: node no longer exists",
    )


def test_pods_of_a_node_that_comes_back_stay() -> None:
    stage = _stage()
    stage.store.load(running("a"))
    stage.run("25s")
    stage.store.delete(NODE, "n1")
    stage.run("30s")
    stage.store.load(make_node("n1"))
    stage.run("1h")
    assert _names(stage) == ["a"]


def test_ended_pods_are_kept_up_to_a_number_evicted_and_old_ones_go_first() -> None:
    stage = _stage(terminated_pod_gc_threshold=2)
    stage.store.load(_ended("old", "2025-01-01T00:00:00Z"))
    stage.store.load(_ended("new", "2025-01-03T00:00:00Z"))
    stage.store.load(_ended("middle", "2025-01-02T00:00:00Z"))
    stage.store.load(_ended("evicted", "2025-01-04T00:00:00Z", "Evicted"))
    stage.store.load(running("runs"))
    stage.run("20s")
    assert _names(stage) == ["middle", "new", "runs"]


def test_a_threshold_of_zero_keeps_all() -> None:
    stage = _stage(terminated_pod_gc_threshold=0)
    stage.store.load(_ended("old", "2025-01-01T00:00:00Z"))
    stage.run("1h")
    assert _names(stage) == ["old"]


def test_pods_that_are_to_go_without_ever_having_had_a_node_go() -> None:
    stage = _stage()
    pod = make_pod("a")
    pod["metadata"]["finalizers"] = ["example.com/hold"]
    stage.store.create(pod)
    stage.run("5s")
    stage.store.delete(pods.POD, "a")
    stage.run("20s")
    assert stage.store.read(pods.POD)["default/a"]["status"]["phase"] == "Failed"
    stage.store.patch(pods.POD, "a", {"metadata": {"finalizers": None}})
    assert _names(stage) == []


def test_pods_that_are_to_go_from_a_node_out_of_service_go() -> None:
    stage = _stage()
    stage.store.load(running("a"))
    stage.run("5s")
    stage.store.delete(pods.POD, "a")
    stage.run("1m")
    assert _names(stage) == ["a"]
    taint = {"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}
    stage.store.patch(NODE, "n1", {"spec": {"taints": [taint]}})
    stage.run("1m")
    assert _names(stage) == ["a"]
    status = stage.store.read(NODE)["n1"]["status"]
    unready = [{"type": "Ready", "status": "False"}]
    stage.store.record_status(NODE, "n1", {**status, "conditions": unready})
    stage.run("20s")
    assert _names(stage) == []


def test_running_pods_cost_nothing() -> None:
    stage = _stage()
    for number in range(5):
        stage.store.load(running(f"p{number}", number))
    stage.run("1s")
    assert stage.controllers is not None
    assert stage.controllers.syncs == 0
