"""DaemonSets: a pod on every node, whatever comes and goes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kubestage import testing
from kubestage.controllers.daemonset.loop import DaemonSetController
from kubestage.controllers.daemonset.management import Management
from kubestage.controllers.pacing import ControllerPacing
from kubestage.controllers.settings import Settings
from kubestage.stage import Stage
from kubestage.testing import make_pod
from tests.controllers import pod_hands
from tests.controllers.daemonset import sets
from tests.controllers.stages import events

if TYPE_CHECKING:
    import pytest

    from kubestage.aliases import Json


def test_every_node_gets_one_pod() -> None:
    stage = sets.staged(sets.make_set())
    assert {node: len(names) for node, names in sets.on_nodes(stage).items()} == {
        "n0": 1,
        "n1": 1,
        "n2": 1,
    }
    assert [each[0] for each in events(stage)] == ["SuccessfulCreate"] * 3
    pod_hands.work_until_quiet(stage)
    assert sets.status(stage) == {
        "currentNumberScheduled": 3,
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 3,
        "numberReady": 3,
        "observedGeneration": 1,
        "updatedNumberScheduled": 3,
        "numberAvailable": 3,
    }


def test_a_new_node_gets_a_pod_and_so_does_one_that_now_matches() -> None:
    stage = sets.staged(sets.make_set({"nodeSelector": {"disk": "ssd"}}))
    assert not pod_hands.pods(stage)
    sets.patch_node(stage, "n1", metadata={"labels": {"disk": "ssd"}})
    assert list(sets.on_nodes(stage)) == ["n1"]
    stage.store.create(testing.make_node("new", labels={"disk": "ssd"}))
    stage.run(pod_hands.MOMENT_NS)
    assert list(sets.on_nodes(stage)) == ["n1", "new"]


def test_a_pod_goes_when_its_node_no_longer_matches() -> None:
    stage = sets.staged(sets.make_set({"nodeSelector": {"disk": "ssd"}}))
    sets.patch_node(stage, "n1", metadata={"labels": {"disk": "ssd"}})
    pod_hands.work_until_quiet(stage)
    sets.patch_node(stage, "n1", metadata={"labels": {"disk": None}})
    assert len(pod_hands.terminating(stage)) == 1


def test_a_taint_that_only_keeps_out_is_counted_at_the_next_look() -> None:
    stage = sets.running()
    taint = {"key": "a", "value": "b", "effect": "NoSchedule"}
    sets.patch_node(stage, "n0", spec={"taints": [taint]})
    assert sets.status(stage)["desiredNumberScheduled"] == 3
    pod_hands.start(stage, sets.on_nodes(stage)["n1"][0], ready=False)
    assert sets.status(stage)["desiredNumberScheduled"] == 2
    assert sets.status(stage)["numberMisscheduled"] == 1
    sets.patch_node(stage, "n0", spec={"taints": None})
    assert sets.status(stage)["numberMisscheduled"] == 0


def test_a_taint_that_drives_out_ends_the_pod() -> None:
    stage = sets.running()
    taint = {"key": "a", "value": "b", "effect": "NoExecute"}
    sets.patch_node(stage, "n0", spec={"taints": [taint]})
    assert pod_hands.terminating(stage) == sets.on_nodes(stage)["n0"]


def test_a_heartbeat_concerns_nobody() -> None:
    stage = sets.running()
    assert stage.controllers is not None
    before = stage.controllers.syncs
    status = stage.store.get(sets.NODE, "n0")["status"]
    stage.store.record_status(sets.NODE, "n0", {**status, "conditions": []})
    sets.patch_node(stage, "n1", spec={"unschedulable": True})
    assert stage.controllers.syncs == before


def test_a_node_that_goes_is_still_counted_until_something_else_happens() -> None:
    stage = sets.running()
    stage.store.delete(sets.NODE, "n0")
    stage.run(pod_hands.MOMENT_NS)
    assert sets.status(stage)["desiredNumberScheduled"] == 3
    pod_hands.end(stage, *sets.on_nodes(stage)["n0"])
    assert sets.status(stage)["desiredNumberScheduled"] == 2


def test_a_pod_that_waits_for_a_node_that_is_gone_is_deleted() -> None:
    stage = sets.staged(sets.make_set())
    stage.store.delete(sets.NODE, "n0")
    pod_hands.start(stage, *sets.on_nodes(stage)["n1"])
    assert list(sets.on_nodes(stage)) == ["n1", "n2"]


def test_a_deleted_pod_is_replaced_once_it_has_ended() -> None:
    stage = sets.running(nodes=1)
    (name,) = pod_hands.pods(stage)
    stage.store.delete(pod_hands.POD, name)
    stage.run(pod_hands.MOMENT_NS)
    assert list(pod_hands.pods(stage)) == [name]
    pod_hands.end(stage, name)
    assert len(pod_hands.pods(stage)) == 1
    assert name not in pod_hands.pods(stage)


def test_a_failed_pod_is_replaced_but_not_over_and_over_again() -> None:
    stage = sets.running(nodes=1)
    (first,) = pod_hands.pods(stage)
    pod_hands.finish(stage, first)
    (second,) = pod_hands.pods(stage)
    assert second != first
    text = f"Found failed daemon pod default/{first} on node n0, will try to kill it"
    assert ("FailedDaemonPod", text, 1) in events(stage)
    pod_hands.finish(stage, second)
    assert list(pod_hands.pods(stage)) == [second]
    stage.run("2s")
    (third,) = pod_hands.pods(stage)
    assert third != second
    pod_hands.finish(stage, third)
    stage.run("1s")
    assert list(pod_hands.pods(stage)) == [third]
    stage.run("2s")
    assert third not in pod_hands.pods(stage)


def test_a_pod_that_ended_well_is_replaced_too() -> None:
    stage = sets.running(nodes=1)
    (first,) = pod_hands.pods(stage)
    pod_hands.finish(stage, first, "Succeeded")
    text = f"Found succeeded daemon pod default/{first} on node n0, will try to delete it"
    assert ("SucceededDaemonPod", text, 1) in events(stage)
    assert first not in pod_hands.pods(stage)


def test_of_two_pods_on_a_node_the_older_stays() -> None:
    strangers = [make_pod(name, labels={"app": "agent"}, node_name="n0") for name in ("b", "a")]
    stage = sets.staged(*strangers, sets.make_set(updateStrategy={"type": "OnDelete"}), nodes=1)
    assert pod_hands.terminating(stage) == ["b"]


def test_refusals_are_told_and_few_pods_are_tried() -> None:
    stage = sets.staged(sets.make_set({"priorityClassName": "vip"}), nodes=20)
    told = events(stage)
    refusal = "is forbidden: no PriorityClass with name vip was found"
    assert {reason for reason, _, _ in told} == {"FailedCreate"}
    assert all(refusal in message for _, message, _ in told)
    assert stage.controllers is not None
    assert sum(count for _, _, count in told) == stage.controllers.syncs
    vip = {"kind": "PriorityClass", "metadata": {"name": "vip"}, "value": 1}
    stage.store.create({"apiVersion": "scheduling.k8s.io/v1", **vip})
    stage.run("1s")
    assert len(pod_hands.pods(stage)) == 20


def test_more_nodes_than_one_look_can_serve_are_all_served() -> None:
    stage = sets.staged(sets.make_set(), nodes=600)
    assert len(sets.on_nodes(stage)) == len(pod_hands.pods(stage)) == 600


def test_a_pod_counts_as_available_only_after_its_time() -> None:
    stage = sets.staged(sets.make_set(minReadySeconds=10), nodes=1)
    pod_hands.start(stage, *pod_hands.pods(stage))
    stage.run("8s")
    status = sets.status(stage)
    assert (status["numberReady"], status.get("numberAvailable")) == (1, None)
    assert status["numberUnavailable"] == 1
    stage.run("3s")
    assert sets.status(stage)["numberAvailable"] == 1


def test_a_set_that_is_being_deleted_is_left_alone() -> None:
    made = sets.make_set()
    made["metadata"]["finalizers"] = ["example.com/wait"]
    stage = sets.staged(made)
    stage.store.delete(sets.SET, "agent")
    pod_hands.end(stage, *pod_hands.pods(stage))
    assert not pod_hands.pods(stage)


def test_a_fork_goes_on_as_the_original() -> None:
    stage = sets.running()
    sets.set_image(stage, "app:v2")
    copy = stage.fork()
    ends = []
    for each in (stage, copy):
        pod_hands.work_until_quiet(each)
        ends.append((pod_hands.pods(each), sets.status(each), events(each)))
    assert ends[0] == ends[1]


def test_a_loop_that_starts_late_takes_over_what_is_there() -> None:
    stage = sets.running()
    late = sets.staged(nodes=0)
    late.controllers = None
    late.load(
        obj
        for kind in (sets.NODE, sets.SET, sets.REVISION, pod_hands.POD)
        for obj in stage.store.list(kind).items
    )
    late.add_controllers(loops=[DaemonSetController])
    late.run("1m")
    assert not events(late)
    assert sets.status(late) == sets.status(stage)


def test_under_a_pace_only_nodes_that_have_changed_are_examined_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    examined: list[str] = []
    surplus_on = Management._surplus_on

    def spy(self: Management, node_name: str, missing: list[str]) -> list[Json]:
        examined.append(node_name)
        return surplus_on(self, node_name, missing)

    monkeypatch.setattr(Management, "_surplus_on", spy)
    stage = Stage()
    stage.load([testing.make_node(f"n{number:02}") for number in range(60)])
    stage.add_controllers(Settings(pacing=ControllerPacing(client_qps=10.0, client_burst=5)))
    stage.apply(sets.make_set())
    stage.run("2s")
    there = {name for name, pods in sets.on_nodes(stage).items() if pods}
    # Nodes get their pods in order.
    assert there == {f"n{number:02}" for number in range(len(there))}
    assert 5 < len(there) < 50
    # What changes while it waits is looked at again.
    sets.patch_node(stage, "n59", spec={"taints": [{"key": "a", "effect": "NoSchedule"}]})
    stage.store.delete(sets.NODE, "n58")
    stage.store.create(testing.make_node("n99"))
    stage.run("1m")
    there = {name for name, pods in sets.on_nodes(stage).items() if pods}
    assert there == {f"n{number:02}" for number in (*range(58), 99)}
    assert max(Counter(examined).values()) < 10
