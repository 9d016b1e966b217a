"""Whom the updater disturbs, whom it spares, and when it goes from resizing to evicting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.vpa.settings import VpaSettings
from tests.controllers.vpa import worlds

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


def _updated(stage: Stage) -> int:
    requests = [worlds.resources(pod)["requests"]["cpu"] for pod in worlds.pods(stage)]
    return sum(each != "100m" for each in requests)


def _small(replicas: int) -> Json:
    """Pods that ask for less memory than is ever recommended: they are due at the first look."""
    requests = {"cpu": "100m", "memory": "100Mi"}
    return worlds.deployment(replicas=replicas, requests=requests)


def test_a_single_replica_is_spared_unless_the_autoscaler_says_otherwise() -> None:
    spared = worlds.alive(worlds.deployment(replicas=1), worlds.autoscaler())
    spared.run("10m")
    assert _updated(spared) == 0
    vpa = worlds.autoscaler(mode=None, updatePolicy={"updateMode": "Recreate", "minReplicas": 1})
    bold = worlds.alive(worlds.deployment(replicas=1), vpa)
    bold.run("10m")
    assert _updated(bold) == 1


def test_a_disruption_budget_holds() -> None:
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"minAvailable": "100%", "selector": {"matchLabels": {"app": "web"}}},
    }
    stage = worlds.alive(worlds.deployment(), budget, worlds.autoscaler())
    stage.run("10m")
    assert worlds.target(stage)["cpu"] == "350m"
    assert _updated(stage) == 0
    assert not worlds.reasons(stage)


def test_requirements_decide_in_which_direction_pods_are_disturbed() -> None:
    for direction, updated in (("TargetLowerThanRequests", 0), ("TargetHigherThanRequests", 3)):
        wanted = [{"resources": ["cpu"], "changeRequirement": direction}]
        policy = {"updateMode": "Recreate", "evictionRequirements": wanted}
        vpa = worlds.autoscaler(mode=None, updatePolicy=policy)
        stage = worlds.alive(worlds.deployment(), vpa)
        stage.run("10m")
        assert _updated(stage) == updated


def test_more_replicas_are_evicted_together_but_never_more_than_half() -> None:
    stage = worlds.alive(_small(8), worlds.autoscaler())
    stage.run("61s")
    assert worlds.reasons(stage).count("EvictedByVPA") == 4


def test_a_rate_limit_spreads_evictions_within_a_round() -> None:
    settings = VpaSettings(eviction_rate_limit=0.1, eviction_rate_burst=1)
    stage = worlds.alive(_small(8), worlds.autoscaler(), vpa=settings)
    counts = []
    for seconds in ("61s", "10s", "10s", "10s", "10s"):
        stage.run(seconds)
        counts.append(worlds.reasons(stage).count("EvictedByVPA"))
    assert counts == [1, 2, 3, 4, 4]


def test_pods_within_bounds_are_updated_after_twelve_hours_if_they_are_off_by_a_tenth() -> None:
    requests = {"cpu": "500m", "memory": "512Mi"}
    stage = worlds.alive(worlds.deployment(requests=requests), worlds.autoscaler())
    stage.run("11h50m")
    assert {worlds.resources(pod)["requests"]["cpu"] for pod in worlds.pods(stage)} == {"500m"}
    stage.run("20m")
    assert worlds.reasons(stage).count("EvictedByVPA") == 3
    assert {worlds.resources(pod)["requests"]["cpu"] for pod in worlds.pods(stage)} == {"350m"}


def test_a_container_that_was_killed_soon_after_its_start_gets_more_memory() -> None:
    limits = {"memory": "512Mi"}
    workload = worlds.deployment(memory_usage="400Mi+20Mi/s", limits=limits)
    stage = worlds.alive(workload, worlds.autoscaler())
    stage.run("4m")
    memory = worlds.target(stage)["memory"]
    # 512 MiB and a fifth, rounded up to a bucket, and 15 % more.
    assert int(memory) > 700 << 20
    assert "EvictedByVPA" in worlds.reasons(stage)


def test_a_resize_that_is_refused_falls_back_to_eviction_at_once() -> None:
    requests = {"cpu": "3", "memory": "100Mi"}
    workload = worlds.deployment(replicas=2, cpu_usage="8", requests=requests)
    stage = worlds.alive(workload, worlds.autoscaler(mode="InPlaceOrRecreate"), nodes=1)
    stage.run("62s")
    # More than the node has: the API server refuses it.
    assert worlds.target(stage)["cpu"] > "9"
    assert worlds.reasons(stage) == ["EvictedByVPA", "EvictedPod"]


def test_a_resize_that_does_not_fit_falls_back_to_eviction() -> None:
    requests = {"cpu": "3", "memory": "512Mi"}
    workload = worlds.deployment(replicas=2, cpu_usage="5", requests=requests)
    stage = worlds.alive(workload, worlds.autoscaler(mode="InPlaceOrRecreate"), nodes=1)
    stage.run("20m")
    assert "EvictedByVPA" in worlds.reasons(stage)


def test_a_deployment_under_both_autoscalers_grows_both_ways() -> None:
    policy = {"containerPolicies": [{"containerName": "*", "controlledResources": ["memory"]}]}
    horizontal = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 2,
            "maxReplicas": 6,
        },
    }
    workload = worlds.deployment(replicas=2, memory_usage="800Mi")
    vertical = worlds.autoscaler(resourcePolicy=policy)
    stage = worlds.alive(workload, vertical, horizontal)
    stage.run("10m")
    found = worlds.pods(stage)
    assert len(found) == 6
    assert {worlds.resources(pod)["requests"]["cpu"] for pod in found} == {"100m"}
    assert worlds.target(stage) == {"memory": worlds.target(stage)["memory"]}
    assert all(worlds.resources(pod)["requests"]["memory"] != "512Mi" for pod in found)
