"""StatefulSets: the claims of their pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.statefulset.claims import aggregate
from tests.controllers import pod_hands
from tests.controllers.stages import events
from tests.controllers.statefulset import sets

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


def claims(stage: Stage) -> dict[str, Json]:
    return {each["metadata"]["name"]: each for each in stage.store.list(sets.CLAIM).items}


def owners(stage: Stage) -> dict[str, list[str]]:
    return {
        name: [each["kind"] for each in claim["metadata"].get("ownerReferences", ())]
        for name, claim in claims(stage).items()
    }


def policy(when_deleted: str, when_scaled: str) -> Json:
    return {"whenDeleted": when_deleted, "whenScaled": when_scaled}


def running(replicas: int = 2, **spec: Any) -> Stage:
    return sets.running(replicas, volumeClaimTemplates=[sets.claim_template()], **spec)


def test_a_pods_claims_are_made_before_it() -> None:
    templates = [sets.claim_template("data"), sets.claim_template("log")]
    stage = sets.staged(sets.make_set(1, volumeClaimTemplates=templates))
    assert list(claims(stage)) == ["data-db-0", "log-db-0"]
    assert claims(stage)["data-db-0"]["metadata"]["labels"] == {"app": "db"}
    assert [message for _, message, _ in events(stage)] == [
        "Create Claim data-db-0 Pod db-0 in StatefulSet db success",
        "Create Claim log-db-0 Pod db-0 in StatefulSet db success",
        "Create Pod db-0 in StatefulSet db successful",
    ]
    volumes = pod_hands.pods(stage)["db-0"]["spec"]["volumes"]
    assert [(each["name"], each["persistentVolumeClaim"]["claimName"]) for each in volumes[:2]] == [
        ("data", "data-db-0"),
        ("log", "log-db-0"),
    ]


def test_a_claim_that_is_there_is_used_again() -> None:
    stage = running(2)
    before = {name: each["metadata"]["uid"] for name, each in claims(stage).items()}
    sets.patch(stage, replicas=0)
    pod_hands.work_until_quiet(stage)
    sets.patch(stage, replicas=2)
    pod_hands.work_until_quiet(stage)
    assert {name: each["metadata"]["uid"] for name, each in claims(stage).items()} == before


def test_a_waiting_pod_gets_back_a_claim_that_was_taken_from_it() -> None:
    made = sets.make_set(1, volumeClaimTemplates=[sets.claim_template()])
    stage = sets.staged(made)
    stage.store.patch(sets.CLAIM, "data-db-0", {"metadata": {"finalizers": None}})
    stage.store.delete(sets.CLAIM, "data-db-0")
    assert not claims(stage)
    stage.store.patch(pod_hands.POD, "db-0", {"metadata": {"annotations": {"a": "b"}}})
    stage.run("1s")
    assert list(claims(stage)) == ["data-db-0"]


def test_a_pod_is_not_made_while_its_claim_is_being_deleted() -> None:
    stage = running(1)
    stage.store.delete(sets.CLAIM, "data-db-0")
    stage.store.delete(pod_hands.POD, "db-0")
    pod_hands.end(stage, "db-0")
    assert not pod_hands.pods(stage)
    text = "Create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted"
    assert events(stage, "FailedCreate")[0][1] == text
    stage.store.patch(sets.CLAIM, "data-db-0", {"metadata": {"finalizers": None}})
    stage.run("1s")
    assert list(pod_hands.pods(stage)) == ["db-0"]


@pytest.mark.parametrize(
    ("when_deleted", "when_scaled", "kept", "going"),
    [
        ("Retain", "Retain", [], []),
        ("Delete", "Retain", ["StatefulSet"], ["StatefulSet"]),
        ("Retain", "Delete", [], ["Pod"]),
        ("Delete", "Delete", ["StatefulSet"], ["Pod"]),
    ],
)
def test_claims_belong_to_whom_they_are_to_go_with(
    when_deleted: str, when_scaled: str, kept: list[str], going: list[str]
) -> None:
    retention = policy(when_deleted, when_scaled)
    stage = running(2, persistentVolumeClaimRetentionPolicy=retention)
    assert owners(stage) == {"data-db-0": kept, "data-db-1": kept}
    sets.patch(stage, replicas=1)
    assert owners(stage) == {"data-db-0": kept, "data-db-1": going}


def test_another_policy_gives_claims_other_owners() -> None:
    stage = running(1)
    sets.patch(stage, persistentVolumeClaimRetentionPolicy=policy("Delete", "Retain"))
    assert owners(stage) == {"data-db-0": ["StatefulSet"]}
    assert events(stage, "SuccessfulUpdate")
    sets.patch(stage, persistentVolumeClaimRetentionPolicy=policy("Retain", "Retain"))
    assert owners(stage) == {"data-db-0": []}


def test_an_owner_taken_from_a_claim_is_given_back_at_the_next_look() -> None:
    retention = policy("Delete", "Retain")
    stage = running(1, persistentVolumeClaimRetentionPolicy=retention)
    stage.store.patch(sets.CLAIM, "data-db-0", {"metadata": {"ownerReferences": None}})
    stage.store.patch(pod_hands.POD, "db-0", {"metadata": {"annotations": {"a": "b"}}})
    stage.run("1s")
    assert owners(stage) == {"data-db-0": ["StatefulSet"]}


def test_a_claim_that_somebody_else_controls_is_left_to_him() -> None:
    stage = running(1)
    other = {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u", "controller": True}
    stage.store.patch(sets.CLAIM, "data-db-0", {"metadata": {"ownerReferences": [other]}})
    sets.patch(stage, persistentVolumeClaimRetentionPolicy=policy("Delete", "Retain"))
    assert owners(stage) == {"data-db-0": ["Pod"]}


def test_a_new_pod_waits_while_a_claim_belongs_to_the_pod_before_it() -> None:
    retention = policy("Retain", "Delete")
    stage = running(2, persistentVolumeClaimRetentionPolicy=retention)
    sets.patch(stage, replicas=1)
    sets.patch(stage, replicas=2)
    stage.store.patch(
        sets.CLAIM,
        "data-db-1",
        {"metadata": {"ownerReferences": [_pod_reference("gone")]}},
    )
    pod_hands.end(stage, "db-1")
    assert list(pod_hands.pods(stage)) == ["db-0"]
    stage.store.patch(sets.CLAIM, "data-db-1", {"metadata": {"ownerReferences": None}})
    stage.run("13h")
    assert list(pod_hands.pods(stage)) == ["db-0", "db-1"]


def _pod_reference(uid: str) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "name": "db-1", "uid": uid, "controller": True}


def test_several_problems_are_told_as_one() -> None:
    assert aggregate(["a", "a"]) == "a"
    assert aggregate(["a", "b", "a"]) == "[a, b]"
