"""What a recording leaves out, takes another way, or tells in a note."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kubestage.scenario import kss_recording
from tests.scenario import kss_samples as samples
from tests.scenario.kss_samples import line

if TYPE_CHECKING:
    from kubestage.aliases import Json

NODE = line(0, "Add", "Node", samples.node("n1"))
WEB = samples.pod("web")
PROVISIONED = {"annotations": {"pv.kubernetes.io/provisioned-by": "disks.example.com"}}
BY_CONTROLLER = {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}}


def _made(*lines: str) -> tuple[list[Json], list[str]]:
    """The events of a recording but for Done, and what is told of it."""
    notes: list[str] = []
    made = kss_recording.scenario(kss_recording.read(lines), notes=notes)
    return made["spec"]["events"][:-1], notes


def _told(*lines: str) -> list[tuple[int, str, str]]:
    return [(each["step"], each["operation"], each["id"]) for each in _made(*lines)[0]]


def _created(*lines: str) -> Json:
    """The last object that is created."""
    found = [
        each["createOperation"]["object"] for each in _made(*lines)[0] if "createOperation" in each
    ]
    last: Json = found[-1]
    return last


def test_an_add_of_what_is_there_is_an_update() -> None:
    again = {**WEB, "metadata": {**WEB["metadata"], "labels": {"a": "b"}}}
    events, notes = _made(NODE, line(1, "Add", "Pod", WEB), line(9, "Add", "Pod", again))
    assert json.loads(events[-1]["patchOperation"]["patch"]) == {"metadata": {"labels": {"a": "b"}}}
    assert notes == ["1 record adds what was there already: taken as an update"]


def test_a_list_that_tells_nothing_new_changes_nothing() -> None:
    lines = [NODE, line(1, "Add", "Pod", WEB)]
    events, notes = _made(*lines, *lines)
    assert len(events) == 2
    assert notes[0] == "2 records add what was there already: taken as an update"


def test_another_object_of_the_same_name_replaces_the_first() -> None:
    other = {**WEB, "metadata": {**WEB["metadata"], "uid": "another"}}
    lines = (NODE, line(1, "Add", "Pod", WEB), line(9, "Add", "Pod", other))
    assert _told(*lines)[1:] == [
        (0, "Create", "line-2"),
        (9, "Delete", "line-3-before"),
        (9, "Create", "line-3"),
    ]
    assert _made(*lines)[1] == [
        "1 object was replaced unseen by another of the name: deleted first"
    ]


def test_an_update_of_what_was_never_added_creates_it() -> None:
    events, notes = _made(NODE, line(9, "Update", "Pod", WEB))
    assert (events[-1]["operation"], events[-1]["step"]) == ("Create", 9)
    assert notes == ["1 record updates what was never added: created then"]


def test_a_delete_of_what_is_not_there_is_left_out() -> None:
    events, notes = _made(NODE, line(1, "Delete", "Pod", WEB), line(2, "Delete", "Pod", WEB))
    assert len(events) == 1
    assert notes == ["2 records delete what was not there: left out"]


def test_an_object_may_come_again_after_its_end() -> None:
    lines = [line(1, "Add", "Pod", WEB), line(2, "Delete", "Pod", WEB), line(2, "Add", "Pod", WEB)]
    assert [each[1] for each in _told(NODE, *lines)] == ["Create", "Create", "Delete", "Create"]
    assert _told(NODE, *lines)[-1][0] == 2


def test_a_claim_comes_again_when_the_first_one_has_been_let_go() -> None:
    data = samples.claim("data")
    labelled = {**data, "metadata": {**data["metadata"], "labels": {"a": "b"}}}
    kind = "PersistentVolumeClaim"
    lines = [
        line(1, "Add", kind, data),
        line(2, "Delete", kind, data),
        line(2.1, "Add", kind, data),
    ]
    assert _told(NODE, *lines)[-1] == (3, "Create", "line-4")
    assert _told(NODE, *lines, line(2.2, "Update", kind, labelled))[-1] == (3, "Patch", "line-5")


def test_a_namespace_is_there_before_those_who_live_in_it() -> None:
    new = {"creationTimestamp": samples.at(5)}
    shop = samples.namespace("shop")
    shop["metadata"] |= new
    lines = (
        NODE,
        line(5, "Add", "Pod", samples.pod("web", meta=new)),
        line(6, "Add", "Namespace", shop),
    )
    assert [(each[0], each[2]) for each in _told(*lines)] == [
        (0, "line-1"),
        (5, "line-3"),
        (5, "line-2"),
    ]


def test_what_goes_with_its_namespace_is_not_deleted_again() -> None:
    shop = samples.namespace("shop")
    events, notes = _made(
        line(0, "Add", "Namespace", shop),
        line(1, "Add", "Pod", WEB),
        line(2, "Delete", "Namespace", shop),
        line(3, "Delete", "Pod", WEB),
    )
    assert [each["operation"] for each in events] == ["Create", "Create", "Delete"]
    assert notes == []


def test_victims_are_deleted_and_told() -> None:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    victim = samples.bound(WEB, "n1")
    victim["status"]["conditions"].append(condition)
    events, notes = _made(
        NODE,
        line(1, "Add", "Pod", samples.bound(WEB, "n1")),
        line(5, "Update", "Pod", victim),
        line(6, "Delete", "Pod", WEB),
    )
    assert events[-1]["operation"] == "Delete"
    assert notes == ["1 pod was preempted by the scheduler that was recorded: deleted then"]


def test_resizing_in_place_is_told_and_not_played() -> None:
    larger = samples.pod("web", cpu="2")
    larger["spec"]["containers"][0]["image"] = "app:2.0"
    lines = [NODE, line(1, "Add", "Pod", WEB), *[line(9, "Update", "Pod", larger)] * 2]
    events, notes = _made(*lines)
    (container,) = json.loads(events[-1]["patchOperation"]["patch"])["spec"]["containers"]
    assert (container["image"], container["resources"]) == (
        "app:2.0",
        {"requests": {"cpu": "1"}},
    )
    assert notes == ["1 pod was resized in place: what was asked for at first counts"]


def test_a_claim_that_was_bound_stays_bound_to_its_volume() -> None:
    lines = (
        line(0, "Add", "PersistentVolumeClaim", samples.claim("data", "pv1")),
        line(0, "Add", "PersistentVolume", samples.volume("pv1", "data", **PROVISIONED)),
    )
    events, notes = _made(*lines)
    claim, volume = (each["createOperation"]["object"] for each in events)
    assert claim["spec"]["volumeName"] == "pv1"
    assert volume["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"]
    assert notes == []


def test_a_claim_that_was_pending_finds_its_volume_here() -> None:
    pending = samples.claim("data", annotations={"volume.kubernetes.io/selected-node": "n1"})
    provisioned = samples.volume("pvc-1", "data", **PROVISIONED)
    events, notes = _made(
        line(0, "Add", "PersistentVolumeClaim", pending),
        line(5, "Add", "PersistentVolume", provisioned),
        line(5, "Update", "PersistentVolume", provisioned),
        line(6, "Update", "PersistentVolumeClaim", samples.claim("data", "pvc-1")),
        line(9, "Delete", "PersistentVolume", provisioned),
    )
    (only,) = events
    assert only["createOperation"]["object"]["metadata"]["annotations"] == {}
    assert notes == ["1 volume was provisioned while it was recorded: left to the provisioner here"]


def test_a_volume_that_a_pending_claim_got_is_free_again() -> None:
    created = _created(
        line(0, "Add", "PersistentVolumeClaim", samples.claim("data")),
        line(1, "Add", "PersistentVolume", samples.volume("pv1", "data", **BY_CONTROLLER)),
    )
    assert "claimRef" not in created["spec"]
    assert created["status"] == {"phase": "Available"}
    assert created["metadata"]["annotations"] == {}


def test_binding_of_volumes_is_not_played() -> None:
    kind = "PersistentVolume"
    events, _ = _made(
        line(0, "Add", kind, samples.volume("pv1")),
        line(5, "Update", kind, samples.volume("pv1", "data", **BY_CONTROLLER)),
    )
    assert len(events) == 1


def test_the_claims_of_ephemeral_volumes_are_made_with_their_pods() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "uid-of-web"}
    scratch = samples.claim("web-scratch", ownerReferences=[owner])
    kind = "PersistentVolumeClaim"
    lines = (line(1, "Add", kind, scratch), line(9, "Delete", kind, scratch))
    assert _made(NODE, *lines) == _made(NODE)
    there = samples.claim("web-scratch", "pv1", ownerReferences=[owner])
    assert _created(line(1, "Add", kind, there))["metadata"]["ownerReferences"] == [owner]


def test_workloads_are_left_out_where_their_pods_are_recorded() -> None:
    deployment = line(
        1,
        "Add",
        "Deployment",
        {"metadata": samples.metadata("web", "shop"), "spec": {"replicas": 3}},
        "apps/v1",
    )
    events, notes = _made(NODE, deployment, deployment, line(1, "Add", "Pod", WEB))
    assert len(events) == 2
    assert notes == [
        "records left out, as the pods of these are recorded themselves: Deployment (2)"
    ]
    events, notes = _made(NODE, deployment)
    assert (len(events), notes) == (2, [])


def test_kinds_that_nobody_knows_are_left_out() -> None:
    rollout = line(1, "Add", "Rollout", {"metadata": samples.metadata("x")}, "argoproj.io/v1alpha1")
    events, notes = _made(NODE, rollout)
    assert len(events) == 1
    assert notes == ["records left out, as the kind is not known here: Rollout (1)"]


def test_pods_of_other_schedulers_are_told() -> None:
    _, notes = _made(NODE, line(1, "Add", "Pod", samples.pod("web", schedulerName="mine")))
    assert notes == [
        "pods wait for schedulers for which the configuration must have a profile: mine (1)"
    ]
    there = samples.bound(samples.pod("web", schedulerName="mine"), "n1")
    assert _made(NODE, line(1, "Add", "Pod", there))[1] == []
