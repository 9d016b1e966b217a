"""The whole autoscaler in a living cluster."""

from __future__ import annotations

import itertools
import pickle

from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.sim.recorder import MemoryRecorder
from kubestage.units import MINUTE_NS
from tests.controllers.vpa import worlds


def test_usage_becomes_a_recommendation_within_two_looks() -> None:
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler(mode="Off"))
    stage.run("61s")
    assert worlds.conditions(stage) == {"RecommendationProvided": "True"}
    # 300m fall into a bucket that ends at 304m, and 15 % come on top.
    assert worlds.target(stage)["cpu"] == "350m"
    assert worlds.status(stage)["observedGeneration"] == 1
    lower = worlds.status(stage)["recommendation"]["containerRecommendations"][0]["lowerBound"]
    assert lower["cpu"] == "25m"


def test_bounds_close_in_as_history_grows() -> None:
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler(mode="Off"))
    widths = []
    for _ in range(3):
        stage.run("10m")
        said = worlds.status(stage)["recommendation"]["containerRecommendations"][0]
        lower, upper = (int(said[key]["cpu"][:-1]) for key in ("lowerBound", "upperBound"))
        widths.append((lower, upper))
    assert widths[0][0] < widths[1][0] < widths[2][0] < 350
    assert widths[0][1] > widths[1][1] > widths[2][1] > 350


def test_off_and_initial_leave_running_pods_alone() -> None:
    for mode in ("Off", "Initial"):
        stage = worlds.alive(worlds.deployment(), worlds.autoscaler(mode=mode))
        stage.run("10m")
        assert {worlds.resources(pod)["requests"]["cpu"] for pod in worlds.pods(stage)} == {"100m"}
        assert not worlds.reasons(stage)


def test_recreate_evicts_one_of_three_at_a_time_until_all_have_what_is_recommended() -> None:
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler(mode=None))
    updated = []
    for _ in range(6):
        stage.run("1m")
        requests = [worlds.resources(pod)["requests"]["cpu"] for pod in worlds.pods(stage)]
        updated.append(sum(each != "100m" for each in requests))
    assert updated[-1] == 3
    assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(updated))
    assert set(worlds.reasons(stage)) == {"EvictedByVPA", "EvictedPod"}
    assert worlds.reasons(stage).count("EvictedByVPA") == 3


def test_in_place_or_recreate_resizes_pods_where_they_are() -> None:
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler(mode="InPlaceOrRecreate"))
    stage.run("50s")
    before = {pod["metadata"]["uid"] for pod in worlds.pods(stage)}
    stage.run("10m")
    after = worlds.pods(stage)
    assert {pod["metadata"]["uid"] for pod in after} == before
    assert {worlds.resources(pod)["requests"]["cpu"] for pod in after} == {"350m"}
    assert {pod["metadata"]["annotations"]["vpaInPlaceUpdated"] for pod in after} == {"true"}
    assert set(worlds.reasons(stage)) == {"InPlaceResizedByVPA"}


def test_a_target_that_is_not_there_is_a_condition() -> None:
    stage = worlds.alive(worlds.autoscaler(mode="Off", target="nobody"))
    stage.run("2m")
    said = {each["type"]: each for each in worlds.status(stage)["conditions"]}
    assert said["ConfigUnsupported"]["message"] == (
        "Cannot read targetRef. Reason: Deployment default/nobody does not exist"
    )
    assert said["NoPodsMatched"]["status"] == "True"
    assert said["RecommendationProvided"]["reason"] == "NoPodsMatched"


def test_a_condition_keeps_the_time_of_its_last_change() -> None:
    stage = worlds.alive(worlds.autoscaler(mode="Off"))
    stage.run("61s")
    (first, *_) = worlds.status(stage)["conditions"]
    stage.run("5m")
    (later, *_) = worlds.status(stage)["conditions"]
    assert first["lastTransitionTime"] == later["lastTransitionTime"] == "2026-01-01T00:01:00Z"


def test_looks_are_movements_and_end_with_the_last_autoscaler() -> None:
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler(mode="Off"))
    recorder = stage.environment.recorder = MemoryRecorder()

    def looks() -> list[tuple[str, int]]:
        return [
            (each.movement.from_stock.name, each.occurs_at // 1_000_000_000)
            for each in recorder.completed_movements
            if each.movement.kind == "vpa_tick"
        ]

    stage.run("2m1s")
    both = ("VpaRecommender", "VpaUpdater")
    assert looks() == [(name, at) for at in (60, 120) for name in both]
    stage.store.delete(worlds.VPA, "web")
    assert not stage.store.webhooks
    stage.run("5m")
    assert len(looks()) == 4


def test_an_autoscaler_that_comes_later_knows_the_pods_that_are_there() -> None:
    stage = worlds.alive(worlds.deployment())
    stage.run("5m")
    stage.store.create(worlds.autoscaler(mode="Off"))
    stage.run("2m")
    assert worlds.target(stage)["cpu"] == "350m"


def test_a_stage_goes_on_after_it_was_pickled() -> None:
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler())
    stage.run("90s")
    copy = pickle.loads(pickle.dumps(stage))
    for each in (stage, copy):
        each.run("5m")
    assert worlds.pods(copy) == worlds.pods(stage)
    assert worlds.status(copy) == worlds.status(stage)


def test_another_interval_is_another_interval() -> None:
    settings = VpaSettings(recommender_interval_ns=10 * MINUTE_NS)
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler(mode="Off"), vpa=settings)
    stage.run("9m")
    assert not worlds.status(stage)
    stage.run("2m")
    assert worlds.target(stage)["cpu"] == "350m"


def test_checkpoints_are_written_if_asked_for_and_dropped_with_their_autoscaler() -> None:
    kind = ("autoscaling.k8s.io/v1", "VerticalPodAutoscalerCheckpoint")
    settings = VpaSettings(write_checkpoints=True)
    other = worlds.autoscaler("other", "Off", "other")
    stage = worlds.alive(worlds.deployment(), worlds.autoscaler(mode="Off"), other, vpa=settings)
    stage.run("3m")
    kept = stage.store.get(kind, "web-app")
    assert kept["spec"] == {"vpaObjectName": "web", "containerName": "app"}
    assert kept["status"]["version"] == "v3"
    assert kept["status"]["totalSamplesCount"] > 0
    assert list(kept["status"]["cpuHistogram"]["bucketWeights"].values()) == [10_000]
    stage.store.delete(worlds.VPA, "web")
    stage.run("15m")
    assert not stage.store.list(kind).items
