"""New pods get what is recommended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.testing import make_pod
from tests.controllers.vpa import worlds

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


_CPU_ONLY = {"containerPolicies": [{"containerName": "*", "controlledResources": ["cpu"]}]}


def _recommended(cpu: str = "250m", memory: str = "1Gi", container: str = "app") -> Json:
    target = {"cpu": cpu, "memory": memory}
    each = {"containerName": container, "target": target, "uncappedTarget": target}
    return {"containerRecommendations": [{**each, "lowerBound": target, "upperBound": target}]}


def _stage(vpa: Json, deployment: Json | None = None, recommended: Json | None = None) -> Stage:
    """A stage on which an autoscaler has already said something when the pods are made."""
    stage = worlds.alive(vpa)
    if recommended is not None:
        key = f"default/{vpa['metadata']['name']}"
        stage.store.record_status(worlds.VPA, key, {"recommendation": recommended})
    stage.store.create(deployment or worlds.deployment(replicas=2))
    stage.run("5s")
    return stage


def _annotations(pod: Json) -> dict[str, str]:
    found: dict[str, str] = pod["metadata"]["annotations"]
    return found


def test_requests_are_replaced_and_limits_keep_their_proportion() -> None:
    limits = {"cpu": "300m", "memory": "1Gi"}
    stage = _stage(worlds.autoscaler(), worlds.deployment(limits=limits), _recommended())
    for pod in worlds.pods(stage):
        assert worlds.resources(pod) == {
            "requests": {"cpu": "250m", "memory": "1Gi"},
            "limits": {"cpu": "750m", "memory": "2Gi"},
        }
        assert _annotations(pod)["vpaObservedContainers"] == "app"
        assert _annotations(pod)["vpaUpdates"] == (
            "Pod resources updated by web: container 0: cpu request, memory request, cpu limit, "
            "memory limit"
        )


def test_what_is_recommended_to_nobody_is_for_nobody() -> None:
    unnamed = {"containerRecommendations": [{"target": {"cpu": "2"}}]}
    stage = _stage(worlds.autoscaler(), None, unnamed)
    requests = {"cpu": "100m", "memory": "512Mi"}
    assert worlds.resources(worlds.pods(stage)[0])["requests"] == requests


def test_a_pod_without_limits_gets_none() -> None:
    stage = _stage(worlds.autoscaler(), None, _recommended())
    assert "limits" not in worlds.resources(worlds.pods(stage)[0])


def test_limits_are_left_alone_where_only_requests_are_controlled() -> None:
    policy = {"containerPolicies": [{"containerName": "*", "controlledValues": "RequestsOnly"}]}
    limits = {"cpu": "200m", "memory": "2Gi"}
    vpa = worlds.autoscaler(resourcePolicy=policy)
    stage = _stage(vpa, worlds.deployment(limits=limits), _recommended())
    pod = worlds.pods(stage)[0]
    assert worlds.resources(pod) == {
        "requests": {"cpu": "200m", "memory": "1Gi"},
        "limits": limits,
    }
    assert "cpu capped to container limit" in _annotations(pod)["vpaUpdates"]


def test_the_policy_caps_what_is_recommended() -> None:
    policy = {
        "containerPolicies": [
            {"containerName": "app", "minAllowed": {"cpu": "400m"}, "maxAllowed": {"memory": "1G"}}
        ]
    }
    stage = _stage(worlds.autoscaler(resourcePolicy=policy), None, _recommended())
    pod = worlds.pods(stage)[0]
    assert worlds.resources(pod)["requests"] == {"cpu": "400m", "memory": "1G"}
    assert _annotations(pod)["vpaUpdates"].endswith(
        "cpu capped to minAllowed, memory capped to maxAllowed, cpu request, memory request"
    )


def test_before_there_is_a_recommendation_pods_are_only_marked() -> None:
    stage = _stage(worlds.autoscaler())
    pod = worlds.pods(stage)[0]
    assert worlds.resources(pod)["requests"]["cpu"] == "100m"
    assert _annotations(pod)["vpaObservedContainers"] == "app"
    assert "vpaUpdates" not in _annotations(pod)


def test_off_changes_no_pod_and_initial_does() -> None:
    off = _stage(worlds.autoscaler(mode="Off"), None, _recommended())
    assert "vpaObservedContainers" not in _annotations(worlds.pods(off)[0])
    initial = _stage(worlds.autoscaler(mode="Initial"), None, _recommended())
    assert worlds.resources(worlds.pods(initial)[0])["requests"]["cpu"] == "250m"


def test_pods_of_others_and_pods_of_nobody_are_left_alone() -> None:
    stage = _stage(worlds.autoscaler(), worlds.deployment("other"), _recommended())
    stage.store.create(make_pod("bare", labels={"app": "web"}, cpu="100m"))
    for pod in worlds.pods(stage):
        assert worlds.resources(pod)["requests"]["cpu"] == "100m"


def test_of_two_autoscalers_the_older_one_decides() -> None:
    stage = worlds.alive(worlds.autoscaler("old", "Initial"))
    stage.run("2s")
    stage.store.create(worlds.autoscaler("a-later-one", "Initial"))
    for name, cpu in (("a-later-one", "222m"), ("old", "111m")):
        said = {"recommendation": _recommended(cpu)}
        stage.store.record_status(worlds.VPA, f"default/{name}", said)
    stage.store.create(worlds.deployment())
    stage.run("2s")
    assert worlds.resources(worlds.pods(stage)[0])["requests"]["cpu"] == "111m"


def test_the_next_pod_gets_what_is_recommended_by_then() -> None:
    stage = _stage(worlds.autoscaler(mode="Initial"), None, _recommended("111m"))
    said = {"recommendation": _recommended("222m")}
    stage.store.record_status(worlds.VPA, "default/web", said)
    stage.store.patch(("apps/v1", "Deployment"), "web", {"spec": {"replicas": 3}})
    stage.run("5s")
    requests = sorted(worlds.resources(pod)["requests"]["cpu"] for pod in worlds.pods(stage))
    assert requests == ["111m", "111m", "222m"]


def test_limit_ranges_of_containers_and_pods_bind_recommendations() -> None:
    items = [
        {"type": "Container", "max": {"cpu": "600m", "memory": "4Gi"}},
        {"type": "Pod", "max": {"memory": "1536Mi"}},
    ]
    limit_range = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "bounds", "namespace": "default"},
        "spec": {"limits": items},
    }
    stage = worlds.alive(worlds.autoscaler(), limit_range)
    said = {"recommendation": _recommended("500m", "1Gi")}
    stage.store.record_status(worlds.VPA, "default/web", said)
    limits = {"cpu": "200m", "memory": "1Gi"}
    stage.store.create(worlds.deployment(limits=limits))
    stage.run("5s")
    # CPU: the limit would be twice the request, so 300m is the most; memory: a limit of 2Gi
    # is three quarters of the way to what a pod may have.
    assert worlds.resources(worlds.pods(stage)[0]) == {
        "requests": {"cpu": "300m", "memory": "768Mi"},
        "limits": {"cpu": "600m", "memory": "1536Mi"},
    }


def test_resources_that_are_not_controlled_stay_as_they_are() -> None:
    target = {"cpu": "250m"}
    said = {"containerRecommendations": [{"containerName": "app", "target": target}]}
    stage = _stage(worlds.autoscaler(resourcePolicy=_CPU_ONLY), None, said)
    assert worlds.resources(worlds.pods(stage)[0])["requests"] == {
        "cpu": "250m",
        "memory": "512Mi",
    }
