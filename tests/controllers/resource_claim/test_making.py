"""Claims that are made from templates."""

from __future__ import annotations

from kubestage.controllers.resource_claim.loop import ResourceClaimController
from tests.controllers.resource_claim.devices import (
    CLAIM,
    POD,
    claim,
    claims,
    held,
    made_for,
    pod,
    template,
    told,
)
from tests.controllers.stages import events, stage_with

FAILED = "FailedResourceClaimCreation"


def test_a_claim_is_made_from_its_template_and_the_pod_is_told_its_name() -> None:
    described = template(labels={"kind": "device"}, annotations={"note": "x"})
    stage = stage_with(ResourceClaimController, objects=[described, pod()])
    stage.run("1s")
    (made,) = claims(stage)
    metadata = made["metadata"]
    assert metadata["name"].startswith("web-gpu-")
    assert metadata["generateName"] == "web-gpu-"
    assert metadata["labels"] == {"kind": "device"}
    assert metadata["annotations"] == {
        "note": "x",
        "resource.kubernetes.io/pod-claim-name": "gpu",
    }
    uid = stage.store.get(POD, "web")["metadata"]["uid"]
    assert metadata["ownerReferences"] == [
        {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": uid, "controller": True}
    ]
    assert made["spec"]["devices"]["requests"][0]["exactly"]["count"] == 1
    assert told(stage) == {"gpu": metadata["name"]}


def test_names_that_are_too_long_are_cut_in_proportion() -> None:
    long_pod, long_claim = "p" * 60, "c" * 20
    stated = [{"name": long_claim, "resourceClaimTemplateName": "gpus"}]
    stage = stage_with(ResourceClaimController, objects=[template(), pod(long_pod, claims=stated)])
    stage.run("1s")
    (made,) = claims(stage)
    assert made["metadata"]["generateName"] == f"{'p' * 41}-{'c' * 13}"
    assert len(made["metadata"]["name"]) == 60


def test_a_template_that_is_missing_is_told_and_waited_for() -> None:
    stage = stage_with(ResourceClaimController, objects=[pod()])
    stage.run("1s")
    missing = (
        'PodResourceClaim gpu: resource claim template "gpus": '
        'resourceclaimtemplate.resource.k8s.io "gpus" not found'
    )
    assert {message for _, message, _ in events(stage, FAILED)} == {missing}
    event = stage.store.list(("v1", "Event")).items[0]
    assert (event["type"], event["source"]) == ("Warning", {"component": "resource_claim"})
    stage.apply([template()])
    stage.run("1ms")
    assert len(claims(stage)) == 1


def test_a_claim_that_is_refused_is_told_and_tried_again() -> None:
    request = {"name": "gpu", "exactly": {"deviceClassName": "a.example.com", "adminAccess": True}}
    stage = stage_with(ResourceClaimController)
    stage.load(template(request=request))
    stage.apply([pod()])
    stage.run("1s")
    assert claims(stage) == []
    (reason, message, count), *_ = events(stage, FAILED)
    assert message.startswith("PodResourceClaim gpu: create ResourceClaim : ")
    assert "adminAccess" in message
    assert (reason, count > 1) == (FAILED, True)


def test_a_claim_that_was_made_before_the_pod_was_told_is_found_again() -> None:
    stage = stage_with(ResourceClaimController, objects=[template()])
    stage.load(pod(uid="u1"))
    other = claim("other", is_allocated=False, is_protected=False, **made_for("web", "u1", "nic"))
    stage.load(other)
    own = claim("orphan", is_allocated=False, is_protected=False, **made_for("web", "u1"))
    stage.load(own)
    stage.run("1s")
    assert told(stage) == {"gpu": "orphan"}
    assert len(claims(stage)) == 2


def test_a_claim_that_is_deleted_under_its_pod_is_made_again_and_others_stay() -> None:
    stated = [
        {"name": "gpu", "resourceClaimTemplateName": "gpus"},
        {"name": "nic", "resourceClaimTemplateName": "gpus"},
    ]
    stage = stage_with(ResourceClaimController, objects=[template(), pod(claims=stated)])
    stage.run("1s")
    before = told(stage)
    stage.store.delete(CLAIM, before["gpu"])
    stage.run("1s")
    after = told(stage)
    assert after["nic"] == before["nic"]
    assert after["gpu"] != before["gpu"]
    assert sorted(after.values()) == sorted(each["metadata"]["name"] for each in claims(stage))


def test_a_claim_of_that_name_that_is_somebody_elses_is_left_to_them() -> None:
    found = pod(uid="u1")
    found["status"] = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "theirs"}]}
    stage = stage_with(ResourceClaimController, objects=[template()])
    stage.load(claim("theirs", is_allocated=False, **made_for("other", "u2")))
    stage.load(found)
    stage.run("1s")
    assert told(stage) == {"gpu": "theirs"}
    assert len(claims(stage)) == 1


def test_a_claim_that_a_pod_shares_is_not_made() -> None:
    stated = [{"name": "gpu", "resourceClaimName": "mine"}]
    stage = stage_with(ResourceClaimController, objects=[template(), pod(claims=stated)])
    stage.run("1s")
    assert claims(stage) == []
    assert told(stage) == {}
    assert events(stage) == []


def test_a_claim_that_was_deliberately_not_made_stays_away() -> None:
    found = pod()
    found["status"] = {"resourceClaimStatuses": [{"name": "gpu"}]}
    stage = stage_with(ResourceClaimController, objects=[template()])
    stage.load(found)
    stage.run("1s")
    assert claims(stage) == []


def test_of_several_claims_those_are_made_that_the_pod_lacks() -> None:
    names = ("none", "lost", "stolen", "new")
    found = pod(claims=[{"name": name, "resourceClaimTemplateName": "gpus"} for name in names])
    statuses = [
        {"name": "none"},
        {"name": "lost", "resourceClaimName": "gone"},
        {"name": "stolen", "resourceClaimName": "theirs"},
    ]
    found["status"] = {"resourceClaimStatuses": statuses}
    stage = stage_with(ResourceClaimController, objects=[template()])
    stage.load(claim("theirs", is_allocated=False, **made_for("other", "u2")))
    stage.load(found)
    stage.run("1s")
    status = stage.store.get(POD, "web")["status"]["resourceClaimStatuses"]
    assert [each["name"] for each in status] == list(names)
    assert status[0] == {"name": "none"}
    made = [each["resourceClaimName"] for each in status[1:]]
    assert all(name.startswith(f"web-{each}-") for name, each in zip(made, names[1:], strict=True))
    assert len(claims(stage)) == 4


def test_nothing_is_made_for_pods_that_are_to_go_or_have_ended() -> None:
    going = held(pod("going", "u1"))
    ended = pod("ended", "u2")
    ended["status"] = {"phase": "Succeeded"}
    stage = stage_with(ResourceClaimController)
    stage.load(ended)
    stage.load(going)
    stage.store.delete(POD, "going")
    stage.apply([template()])
    stage.run("1s")
    assert claims(stage) == []
