"""What the recommender takes up of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.vpa.loop import VpaController
from kubestage.controllers.vpa.settings import VpaSettings
from tests.controllers.vpa import worlds

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.vpa.cluster_state import ClusterState
    from kubestage.stage import Stage


_CHECKPOINT = ("autoscaling.k8s.io/v1", "VerticalPodAutoscalerCheckpoint")


def _state(stage: Stage) -> ClusterState:
    assert stage.controllers is not None
    (loop,) = (each for each in stage.controllers.controllers if isinstance(each, VpaController))
    return loop.recommender.state


def _checkpoint(version: str = "v3", **histogram: Any) -> Json:
    cpu = {
        "referenceTimestamp": "2026-01-01T00:00:00Z",
        "bucketWeights": {"40": 10_000},
        "totalWeight": 1000.0,
        **histogram,
    }
    memory: Json = {"referenceTimestamp": None, "bucketWeights": {}, "totalWeight": 0}
    return {
        "apiVersion": _CHECKPOINT[0],
        "kind": _CHECKPOINT[1],
        "metadata": {"name": "web-app", "namespace": "default"},
        "spec": {"vpaObjectName": "web", "containerName": "app"},
        "status": {
            "version": version,
            "cpuHistogram": cpu,
            "memoryHistogram": memory,
            "firstSampleStart": "2025-12-24T00:00:00Z",
            "lastSampleStart": "2026-01-01T00:00:00Z",
            "totalSamplesCount": 11_520,
        },
    }


def test_a_run_goes_on_from_the_checkpoints_of_a_real_cluster() -> None:
    stage = worlds.alive(worlds.deployment(), _checkpoint(), worlds.autoscaler(mode="Off"))
    stage.run("61s")
    said = worlds.status(stage)["recommendation"]["containerRecommendations"][0]
    assert said["target"]["cpu"] == "1469m"
    assert said["upperBound"]["cpu"] == "1652m"


def test_checkpoints_of_another_version_or_of_nobody_are_passed_over() -> None:
    broken = (
        _checkpoint("v2"),
        _checkpoint(bucketWeights={"999": 1}),
        _checkpoint(bucketWeights={"first": 1}),
        _checkpoint(bucketWeights={"1": -1}),
        _checkpoint(totalWeight="much"),
        _checkpoint(referenceTimestamp="lately"),
    )
    for checkpoint in (*broken, {**_checkpoint(), "spec": {"vpaObjectName": "other"}}):
        stage = worlds.alive(worlds.deployment(), checkpoint, worlds.autoscaler(mode="Off"))
        stage.run("61s")
        assert worlds.target(stage)["cpu"] == "350m"


def test_each_sample_counts_once() -> None:
    stage = worlds.alive(worlds.deployment(replicas=1), worlds.autoscaler(mode="Off"))
    stage.run("10m1s")
    (aggregate,) = _state(stage).aggregates.values()
    assert aggregate.total_samples == 10


def test_pods_of_others_are_remembered_unless_memory_is_to_be_saved() -> None:
    for saver, known in ((False, {"web", "other"}), (True, {"web"})):
        stage = worlds.alive(
            worlds.deployment(),
            worlds.deployment("other"),
            worlds.autoscaler(mode="Off"),
            vpa=VpaSettings(memory_saver=saver),
        )
        stage.run("61s")
        assert {pod.labels["app"] for pod in _state(stage).pods.values()} == known


def test_where_memory_is_saved_an_autoscaler_that_comes_late_finds_its_pods() -> None:
    stage = worlds.alive(
        worlds.deployment(),
        worlds.deployment("other"),
        worlds.autoscaler(mode="Off"),
        vpa=VpaSettings(memory_saver=True),
    )
    stage.run("3m")
    stage.store.create(worlds.autoscaler("other", "Off", "other"))
    stage.run("2m")
    assert worlds.conditions(stage, "other") == {"RecommendationProvided": "True"}
    stage.store.delete(("apps/v1", "Deployment"), "other")
    stage.run("2m")
    assert {pod.labels["app"] for pod in _state(stage).pods.values()} == {"web"}


def test_an_autoscaler_that_names_another_recommender_is_not_ours() -> None:
    vpa = worlds.autoscaler(mode="Off", recommenders=[{"name": "clever"}])
    stage = worlds.alive(worlds.deployment(), vpa)
    stage.run("61s")
    assert not worlds.status(stage)
    clever = worlds.alive(worlds.deployment(), vpa, vpa=VpaSettings(recommender_name="clever"))
    clever.run("61s")
    assert worlds.target(clever)["cpu"] == "350m"


def test_ignored_namespaces_are_ignored() -> None:
    settings = VpaSettings(ignored_vpa_object_namespaces=frozenset({"default"}))
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler(), vpa=settings)
    stage.run("10m")
    assert not worlds.status(stage)
    assert not worlds.reasons(stage)


def test_pods_that_went_while_nobody_looked_are_forgotten() -> None:
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler(mode="Off"))
    stage.run("2m")
    assert len(_state(stage).pods) == 3
    stage.store.delete(worlds.VPA, "web")
    stage.store.delete(("apps/v1", "Deployment"), "web")
    stage.run("2m")
    stage.store.create(worlds.autoscaler(mode="Off"))
    stage.run("2m")
    assert not _state(stage).pods
    assert worlds.conditions(stage)["NoPodsMatched"] == "True"
