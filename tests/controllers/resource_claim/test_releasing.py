"""Claims that are taken back from pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.resource_claim.loop import ResourceClaimController
from kubestage.store.deletion import DeleteOptions
from tests.controllers.resource_claim.devices import CLAIM, POD, claim, claims, held, made_for, pod
from tests.controllers.stages import stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage

SHARED = [{"name": "gpu", "resourceClaimName": "mine"}]


def _pod(name: str, uid: str, phase: str = "Running", **parts: Any) -> Json:
    found = pod(name, uid, claims=SHARED, node_name="n1", **parts)
    found["status"] = {"phase": phase}
    return found


def _stage(*objects: Json) -> Stage:
    stage = stage_with(ResourceClaimController)
    for each in objects:
        stage.load(each)
    stage.run("1s")
    return stage


def _users(stage: Stage) -> list[str]:
    status = stage.store.get(CLAIM, "mine")["status"]
    return [each["name"] for each in status.get("reservedFor", ())]


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_claim_of_a_pod_that_has_ended_is_free_and_has_no_devices(phase: str) -> None:
    used = claim("mine", ("web", "u1"))
    used["status"]["devices"] = [{"driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}]
    stage = _stage(_pod("web", "u1", phase), used)
    found = stage.store.get(CLAIM, "mine")
    assert found["status"] == {}
    assert "finalizers" not in found["metadata"]


def test_a_claim_of_a_pod_that_runs_is_left_alone() -> None:
    stage = _stage(_pod("web", "u1"), claim("mine", ("web", "u1")))
    assert _users(stage) == ["web"]
    assert "allocation" in stage.store.get(CLAIM, "mine")["status"]


def test_a_claim_keeps_its_devices_while_one_of_its_pods_runs() -> None:
    used = claim("mine", ("web", "u1"), ("done", "u2"), ("gone", "u3"), ("new", "u4"))
    stage = _stage(_pod("web", "u1"), _pod("done", "u2", "Succeeded"), _pod("new", "another"), used)
    found = stage.store.get(CLAIM, "mine")
    # A pod of the same name is not the one that the claim was reserved for, but it is on a node.
    assert _users(stage) == ["web", "new"]
    assert found["status"]["reservedFor"][1]["uid"] == "another"
    assert "allocation" in found["status"]
    assert found["metadata"]["finalizers"]


def test_a_claim_is_free_when_the_last_pod_is_deleted() -> None:
    stage = _stage(_pod("web", "u1"), claim("mine", ("web", "u1")))
    stage.store.delete(POD, "web")
    stage.run("1s")
    assert _users(stage) == ["web"]
    stage.store.delete(POD, "web", options=DeleteOptions(grace_period_seconds=0))
    stage.run("1s")
    assert stage.store.get(CLAIM, "mine")["status"] == {}


def _is_there(stage: Stage) -> bool:
    return "default/web" in stage.store.read(POD)


def test_a_pod_that_goes_before_it_has_a_node_holds_nothing() -> None:
    found = held(pod("web", "u1", claims=SHARED))
    stage = _stage(found, claim("mine", ("web", "u1")))
    assert _users(stage) == ["web"]
    stage.store.delete(POD, "web")
    stage.run("1s")
    assert _is_there(stage)
    assert _users(stage) == []


def test_users_of_other_kinds_are_kept() -> None:
    used = claim("mine", ("web", "u1"))
    other = {"apiGroup": "example.com", "resource": "robots", "name": "r", "uid": "u9"}
    used["status"]["reservedFor"].append(other)
    stage = _stage(used)
    assert _users(stage) == ["r"]
    assert "allocation" in stage.store.get(CLAIM, "mine")["status"]


def test_devices_that_nobody_protects_are_not_taken_back() -> None:
    stage = _stage(claim("mine", ("web", "u1"), is_protected=False))
    assert _users(stage) == []
    assert "allocation" in stage.store.get(CLAIM, "mine")["status"]


def test_a_claim_without_users_keeps_its_devices_until_it_is_deleted() -> None:
    stage = _stage(claim("mine"))
    assert "allocation" in stage.store.get(CLAIM, "mine")["status"]
    stage.store.delete(CLAIM, "mine")
    stage.run("1s")
    assert claims(stage) == []


def test_a_claim_in_use_is_not_let_go() -> None:
    stage = _stage(_pod("web", "u1"), claim("mine", ("web", "u1")))
    stage.store.delete(CLAIM, "mine")
    stage.run("1s")
    assert _users(stage) == ["web"]


def test_a_claim_that_was_made_for_a_pod_goes_when_the_pod_has_ended() -> None:
    made = claim("web-gpu-x", ("web", "u1"), **made_for("web", "u1"))
    ended = pod("web", "u1", node_name="n1")
    ended["status"] = {
        "phase": "Succeeded",
        "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "web-gpu-x"}],
    }
    stage = _stage(ended, made)
    assert claims(stage) == []
    assert _is_there(stage)


def test_a_claim_whose_pod_was_replaced_goes() -> None:
    stage = _stage(_pod("web", "u2"), claim("web-gpu-x", **made_for("web", "u1")))
    # The finalizer holds a claim that has devices until they are taken back.
    assert claims(stage) == []


def test_a_claim_that_was_made_for_resources_goes_with_the_end_of_its_pod() -> None:
    made = claim("web-extended-resources-x", ("web", "u1"), **made_for("web", "u1"))
    running = pod("web", "u1", node_name="n1")
    del running["spec"]["resourceClaims"]
    mapping = {"containerName": "main", "requestName": "container-0-request-0"}
    running["status"] = {
        "phase": "Running",
        "extendedResourceClaimStatus": {
            "requestMappings": [{**mapping, "resourceName": "example.com/gpu"}],
            "resourceClaimName": "web-extended-resources-x",
        },
    }
    stage = _stage(running, made)
    assert len(claims(stage)) == 1
    status = {**stage.store.get(POD, "web")["status"], "phase": "Failed"}
    stage.store.record_status(POD, "default/web", status)
    stage.run("1s")
    assert claims(stage) == []


def test_a_pod_that_was_placed_by_hand_is_entered_among_the_users() -> None:
    stage = _stage(_pod("web", "u1"), claim("mine"))
    assert stage.store.get(CLAIM, "mine")["status"]["reservedFor"] == [
        {"resource": "pods", "name": "web", "uid": "u1"}
    ]


def test_a_pod_without_a_node_or_devices_is_no_user() -> None:
    waiting = pod("web", "u1", claims=SHARED)
    assert _users(_stage(waiting, claim("mine"))) == []
    assert _users(_stage(_pod("web", "u1"), claim("mine", is_allocated=False))) == []
