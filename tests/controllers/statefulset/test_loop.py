"""StatefulSets: pods come, go and are renewed in order."""

from __future__ import annotations

import pytest

from kubestage.controllers.statefulset.loop import StatefulSetController
from kubestage.testing import make_pod
from tests.controllers import pod_hands
from tests.controllers.stages import events, stage_with
from tests.controllers.statefulset import sets


def test_an_ordered_set_waits_for_each_pod_before_it_makes_the_next() -> None:
    stage = sets.staged(sets.make_set(3))
    assert list(pod_hands.pods(stage)) == ["db-0"]
    pod_hands.start(stage, "db-0", ready=False)
    assert list(pod_hands.pods(stage)) == ["db-0"]
    pod_hands.start(stage, "db-0")
    assert list(pod_hands.pods(stage)) == ["db-0", "db-1"]
    assert events(stage, "SuccessfulCreate") == [
        ("SuccessfulCreate", f"Create Pod db-{number} in StatefulSet db successful", 1)
        for number in range(2)
    ]


def test_a_parallel_set_makes_all_pods_at_once() -> None:
    stage = sets.staged(sets.make_set(5, podManagementPolicy="Parallel"))
    assert list(pod_hands.pods(stage)) == [f"db-{number}" for number in range(5)]


def test_a_pod_knows_who_it_is() -> None:
    stage = sets.staged(sets.make_set(1, serviceName="peers", ordinals={"start": 7}))
    pod = pod_hands.pods(stage)["db-7"]
    assert pod["spec"]["hostname"] == "db-7"
    assert pod["spec"]["subdomain"] == "peers"
    assert pod["metadata"]["labels"] == {
        "app": "db",
        "statefulset.kubernetes.io/pod-name": "db-7",
        "apps.kubernetes.io/pod-index": "7",
        "controller-revision-hash": sets.status(stage)["updateRevision"],
    }
    assert pod["metadata"]["generateName"] == "db-"


def test_the_status_tells_how_far_a_set_is() -> None:
    stage = sets.staged(sets.make_set(2))
    pod_hands.start(stage, "db-0")
    (name,) = sets.revisions(stage)
    assert sets.status(stage) == {
        "observedGeneration": 1,
        "replicas": 2,
        "readyReplicas": 1,
        "availableReplicas": 1,
        "currentReplicas": 2,
        "updatedReplicas": 2,
        "currentRevision": name,
        "updateRevision": name,
        "collisionCount": 0,
    }


def test_a_set_shrinks_from_its_end_one_pod_after_another() -> None:
    stage = sets.running(3)
    sets.patch(stage, replicas=1)
    assert pod_hands.terminating(stage) == ["db-2"]
    pod_hands.end(stage, "db-2")
    assert pod_hands.terminating(stage) == ["db-1"]
    pod_hands.end(stage, "db-1")
    assert list(pod_hands.pods(stage)) == ["db-0"]


def test_a_set_does_not_shrink_while_a_pod_that_stays_is_not_ready() -> None:
    stage = sets.running(3)
    pod_hands.start(stage, "db-0", ready=False)
    sets.patch(stage, replicas=1)
    assert not pod_hands.terminating(stage)
    pod_hands.start(stage, "db-0")
    assert pod_hands.terminating(stage) == ["db-2"]


def test_a_pod_that_is_to_go_waits_for_one_before_it_that_is_to_go_and_not_ready() -> None:
    stage = sets.running(3)
    pod_hands.start(stage, "db-1", ready=False)
    pod_hands.start(stage, "db-2", ready=False)
    sets.patch(stage, replicas=1)
    assert not pod_hands.terminating(stage)
    pod_hands.start(stage, "db-2")
    assert pod_hands.terminating(stage) == ["db-2"]


def test_a_parallel_set_shrinks_at_once() -> None:
    stage = sets.running(4, podManagementPolicy="Parallel")
    sets.patch(stage, replicas=1)
    assert pod_hands.terminating(stage) == ["db-1", "db-2", "db-3"]


@pytest.mark.parametrize("phase", ["Failed", "Succeeded"])
def test_a_pod_that_ended_is_replaced(phase: str) -> None:
    stage = sets.running(2)
    before = pod_hands.pods(stage)["db-0"]["metadata"]["uid"]
    pod_hands.finish(stage, "db-0", phase)
    assert pod_hands.pods(stage)["db-0"]["metadata"]["uid"] != before
    assert ("SuccessfulDelete", "Delete Pod db-0 in StatefulSet db successful", 1) in events(stage)


def test_a_pod_counts_as_available_only_after_its_time() -> None:
    stage = sets.staged(sets.make_set(2, minReadySeconds=10))
    pod_hands.start(stage, "db-0")
    stage.run("8s")
    assert (sets.status(stage)["readyReplicas"], sets.status(stage)["availableReplicas"]) == (1, 0)
    assert list(pod_hands.pods(stage)) == ["db-0"]
    stage.run("3s")
    assert sets.status(stage)["availableReplicas"] == 1
    assert list(pod_hands.pods(stage)) == ["db-0", "db-1"]


def test_a_matching_pod_of_a_members_name_is_adopted_and_gets_its_label() -> None:
    labels = {"app": "db"}
    strangers = [make_pod(name, labels=labels) for name in ("db-0", "other")]
    stage = sets.staged(*strangers, sets.make_set(1))
    pod_hands.start(stage, "db-0")
    pod = pod_hands.pods(stage)["db-0"]
    assert pod["metadata"]["ownerReferences"][0]["name"] == "db"
    assert pod["metadata"]["labels"]["statefulset.kubernetes.io/pod-name"] == "db-0"
    assert "ownerReferences" not in pod_hands.pods(stage)["other"]["metadata"]
    assert ("SuccessfulUpdate", "Update Pod db-0 in StatefulSet db successful", 1) in events(stage)


def test_a_pod_that_no_longer_matches_is_released_and_keeps_its_name_from_others() -> None:
    stage = sets.running(1)
    stage.store.patch(pod_hands.POD, "db-0", {"metadata": {"labels": {"app": "free"}}})
    stage.run("1s")
    assert "ownerReferences" not in pod_hands.pods(stage)["db-0"]["metadata"]
    assert sets.status(stage)["replicas"] == 0
    assert not events(stage, "FailedCreate")
    stage.store.patch(pod_hands.POD, "db-0", {"metadata": {"labels": {"app": "db"}}})
    stage.run("1s")
    assert sets.status(stage)["replicas"] == 1


def test_a_refused_pod_is_told_and_tried_again() -> None:
    made = sets.make_set(1)
    made["spec"]["template"]["spec"]["priorityClassName"] = "vip"
    stage = sets.staged(made)
    refusal = 'pods "db-0" is forbidden: no PriorityClass with name vip was found'
    text = f"Create Pod db-0 in StatefulSet db failed error: {refusal}"
    assert [each[:2] for each in events(stage)] == [("FailedCreate", text)]
    vip = {"kind": "PriorityClass", "metadata": {"name": "vip"}, "value": 1}
    stage.store.create({"apiVersion": "scheduling.k8s.io/v1", **vip})
    stage.run("1s")
    assert list(pod_hands.pods(stage)) == ["db-0"]


def test_a_parallel_set_stops_after_a_batch_with_a_refusal() -> None:
    made = sets.make_set(10, podManagementPolicy="Parallel")
    made["spec"]["template"]["spec"]["priorityClassName"] = "vip"
    stage = sets.staged(made)
    assert {message[:16] for _, message, _ in events(stage)} == {"Create Pod db-0 "}


def test_a_set_that_is_being_deleted_only_reports() -> None:
    made = sets.make_set(2)
    made["metadata"]["finalizers"] = ["example.com/wait"]
    stage = sets.staged(made)
    stage.store.delete(sets.SET, "db")
    pod_hands.start(stage, "db-0")
    assert list(pod_hands.pods(stage)) == ["db-0"]
    assert sets.status(stage)["readyReplicas"] == 1


def test_a_loop_that_starts_late_takes_over_what_is_there() -> None:
    stage = sets.running(2)
    copied = [*stage.store.list(sets.SET).items, *stage.store.list(sets.REVISION).items]
    copied += stage.store.list(pod_hands.POD).items
    late = stage_with()
    late.load(copied)
    late.controllers = None
    runner = late.add_controllers(loops=[StatefulSetController])
    late.run("1m")
    assert not events(late)
    assert sets.status(late) == sets.status(stage)
    assert runner.is_idle


def test_a_fork_goes_on_as_the_original() -> None:
    stage = sets.running(3)
    sets.set_image(stage, "app:v2")
    copy = stage.fork()
    ends = []
    for each in (stage, copy):
        pod_hands.work_until_quiet(each)
        ends.append((pod_hands.pods(each), sets.status(each), events(each)))
    assert ends[0] == ends[1]
