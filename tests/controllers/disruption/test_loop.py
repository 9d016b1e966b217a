from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers import pods
from kubestage.controllers.disruption.loop import BUDGET, DisruptionController
from kubestage.objects import timestamps
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import (
    make_daemon_set,
    make_deployment,
    make_pod_disruption_budget,
    make_replica_set,
    make_stateful_set,
)
from tests.controllers.living import running, set_ready
from tests.controllers.stages import events, stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


def _stage(number: int, *, owner: Json | None = None, ready: int | None = None) -> Stage:
    """A number of pods of one owner, the first few of them ready."""
    stage = stage_with(DisruptionController)
    for each in range(number):
        is_ready = ready is None or each < ready
        stage.store.load(running(f"p{each}", each, ready=is_ready, owner=owner))
    return stage


def _owned(kind: Any, number: int, replicas: int) -> Stage:
    stage = stage_with(DisruptionController)
    owner = stage.store.create(kind("web", replicas=replicas))
    for each in range(number):
        stage.store.load(running(f"p{each}", each, owner=owner))
    return stage


def _status(stage: Stage, **limits: Any) -> Json:
    stage.store.create(make_pod_disruption_budget(**limits))
    stage.run("1s")
    found: Json = stage.store.read(BUDGET)["default/web"]["status"]
    return found


def _numbers(status: Json) -> tuple[int, int, int, int]:
    return (
        status["currentHealthy"],
        status["desiredHealthy"],
        status["expectedPods"],
        status["disruptionsAllowed"],
    )


@pytest.mark.parametrize(
    ("limits", "numbers"),
    [
        ({"min_available": 2}, (3, 2, 4, 1)),
        ({"min_available": 4}, (3, 4, 4, 0)),
        ({"min_available": "50%"}, (3, 4, 7, 0)),
        ({"max_unavailable": 3}, (3, 4, 7, 0)),
        ({"max_unavailable": 5}, (3, 2, 7, 1)),
        ({"max_unavailable": "30%"}, (3, 4, 7, 0)),
        ({"max_unavailable": "100%"}, (3, 0, 7, 3)),
    ],
)
def test_how_many_pods_may_go(limits: Json, numbers: tuple[int, int, int, int]) -> None:
    stage = _owned(make_stateful_set, 3, 7)
    owner = stage.store.read(("apps/v1", "StatefulSet"))["default/web"]
    stage.store.load(running("ill", 9, ready=False, owner=owner))
    status = _status(stage, **limits)
    assert _numbers(status) == numbers
    allowed = numbers[3] > 0
    assert status["conditions"] == [
        {
            "type": "DisruptionAllowed",
            "status": str(allowed),
            "observedGeneration": 1,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
            "reason": "SufficientPods" if allowed else "InsufficientPods",
            "message": "",
        }
    ]


def test_the_pods_of_a_replica_set_count_by_its_deployment() -> None:
    stage = stage_with(DisruptionController)
    deployment = stage.store.create(make_deployment("web", replicas=10))
    manifest = make_replica_set("web-1", replicas=3)
    manifest["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "web",
            "uid": deployment["metadata"]["uid"],
            "controller": True,
        }
    ]
    owner = stage.store.create(manifest)
    for each in range(3):
        stage.store.load(running(f"p{each}", each, owner=owner))
    assert _numbers(_status(stage, max_unavailable="20%")) == (3, 8, 10, 0)


def test_a_replica_set_of_its_own_counts_itself() -> None:
    assert _numbers(_status(_owned(make_replica_set, 4, 4), min_available="50%")) == (4, 2, 4, 2)


def test_budgets_follow_their_pods_as_they_change() -> None:
    stage = _stage(3)
    _status(stage, min_available=2)
    set_ready(stage, "p0", ready=False)
    stage.run("1s")
    assert _numbers(stage.store.read(BUDGET)["default/web"]["status"]) == (2, 2, 3, 0)
    stage.store.delete(pods.POD, "p1")
    stage.run("1s")
    assert _numbers(stage.store.read(BUDGET)["default/web"]["status"]) == (1, 2, 3, 0)
    stage.store.patch(pods.POD, "p0", {"metadata": {"labels": {"app": "other"}}})
    set_ready(stage, "p2", ready=False)
    stage.run("1s")
    assert _numbers(stage.store.read(BUDGET)["default/web"]["status"]) == (0, 2, 2, 0)


def test_a_budget_whose_selector_changes_counts_anew() -> None:
    stage = _stage(2)
    stage.store.load(running("other", 8, labels={"app": "other"}))
    _status(stage, min_available=1)
    patch = {"spec": {"selector": {"matchLabels": {"app": "other"}}}}
    stage.store.patch(BUDGET, "web", patch)
    stage.run("1s")
    status = stage.store.read(BUDGET)["default/web"]["status"]
    assert _numbers(status) == (1, 1, 1, 0)
    assert status["observedGeneration"] == 2


def test_a_budget_without_pods_says_so_at_every_look() -> None:
    stage = _stage(0)
    assert _numbers(_status(stage, min_available=1)) == (0, 1, 0, 0)
    assert events(stage) == [("NoPods", "No matching pods found", 2)]


def test_percentages_cannot_be_taken_of_pods_that_nobody_controls() -> None:
    stage = _stage(2)
    assert _numbers(_status(stage, min_available="50%")) == (2, 0, 0, 0)
    ((reason, message, _),) = events(stage)
    assert reason == "UnmanagedPods"
    assert message.startswith(
        "Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:"
        "map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found"
    )


def test_what_cannot_be_scaled_fails_safe_and_does_not_loop() -> None:
    stage = stage_with(DisruptionController)
    owner = stage.store.create(make_daemon_set("web"))
    stage.store.load(running("p", owner=owner))
    status = _status(stage, max_unavailable=1)
    assert _numbers(status) == (0, 0, 0, 0)
    (condition,) = status["conditions"]
    assert (condition["reason"], condition["message"]) == (
        "SyncFailed",
        "daemonsets.apps does not implement the scale subresource",
    )
    assert events(stage)[0][0] == "CalculateExpectedPodCountFailed"
    assert stage.controllers is not None
    assert stage.controllers.syncs == 2


def test_a_pod_whose_owner_is_not_there_cannot_be_counted() -> None:
    stage = stage_with(DisruptionController)
    owner = stage.store.create(make_replica_set("web", replicas=1))
    pod = running("p", owner=owner)
    pod["metadata"]["ownerReferences"][0]["uid"] = "another"
    stage.store.load(pod)
    (condition,) = _status(stage, max_unavailable=1)["conditions"]
    assert condition["message"] == 'found no controllers for pod "p"'


def test_a_granted_eviction_that_never_comes_is_taken_back_after_two_minutes() -> None:
    stage = _stage(3)
    status = _status(stage, min_available=1)
    granted = {**status, "disruptedPods": {"p0": stage.now, "gone": stage.now}}
    stage.store.record_status(BUDGET, "default/web", granted)
    stage.run("1s")
    found = stage.store.read(BUDGET)["default/web"]["status"]
    assert list(found["disruptedPods"]) == ["p0"]
    assert _numbers(found) == (2, 1, 3, 1)
    stage.run("3m")
    found = stage.store.read(BUDGET)["default/web"]["status"]
    assert "disruptedPods" not in found
    assert _numbers(found) == (3, 1, 3, 2)
    text = "Pod was expected by PDB default/default to be deleted but it wasn't"
    assert ("NotDeleted", text, 1) in events(stage)


def test_a_pod_of_two_budgets_says_so_and_one_of_them_looks() -> None:
    stage = _stage(1)
    for name in ("b", "a"):
        stage.store.create(
            make_pod_disruption_budget(name, selector={"app": "web"}, min_available=1)
        )
    stage.run("1s")
    set_ready(stage, "p0", ready=False)
    stage.run("1s")
    healthy = [each["status"]["currentHealthy"] for each in stage.store.list(BUDGET).items]
    assert healthy == [0, 1]
    text = 'Pod "default"/"p0" matches multiple PodDisruptionBudgets.  Chose "a" arbitrarily.'
    assert events(stage) == [("MultiplePodDisruptionBudgets", text, 1)]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("EvictionByEvictionAPI", "False"), ("TerminationByKubelet", "True")],
)
@pytest.mark.parametrize("behind_s", [0, 600])
def test_a_disruption_that_never_came_is_not_believed_for_long(
    reason: str, expected: str, behind_s: int
) -> None:
    # A client's own clock may be behind virtual time.
    stage = _stage(1)
    status = stage.store.read(pods.POD)["default/p0"]["status"]
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "lastTransitionTime": timestamps.format_time(stage.clock.unix_ns - behind_s * 10**9),
        "reason": reason,
        "message": "why",
    }
    conditions = [*status["conditions"], target]
    stage.store.record_status(pods.POD, "default/p0", {**status, "conditions": conditions})
    stage.run("119s")
    found = pods.condition(stage.store.read(pods.POD)["default/p0"]["status"], "DisruptionTarget")
    assert found is not None
    assert found["status"] == "True"
    stage.run("2s")
    found = pods.condition(stage.store.read(pods.POD)["default/p0"]["status"], "DisruptionTarget")
    assert found is not None
    assert found["status"] == expected


def test_what_is_told_at_each_look_is_told_at_each_change_of_one_moment() -> None:
    stage = _stage(2)
    _status(stage, min_available="50%")
    assert [count for _, _, count in events(stage)] == [2]
    # As when a kubelet ends a pod: it is said to have failed, marked, and then it is gone.
    failed = {"status": {"phase": "Failed"}}
    stage.store.patch(pods.POD, "p0", failed, subresource="status")
    stage.store.delete(pods.POD, "p0", options=DeleteOptions(grace_period_seconds=0))
    stage.run("1s")
    assert [count for _, _, count in events(stage, "UnmanagedPods")] == [2 + 3 + 1]


def test_a_failure_is_told_at_each_change_too() -> None:
    stage = stage_with(DisruptionController)
    owner = stage.store.create(make_daemon_set("web"))
    stage.store.load(running("p", owner=owner))
    _status(stage, max_unavailable=1)
    for value in ("a", "b", "c"):
        stage.store.patch(pods.POD, "p", {"metadata": {"annotations": {"x": value}}})
    stage.run("1s")
    assert [count for _, _, count in events(stage)] == [5]
