"""When pods are tried again, on the virtual clock and for the right reasons only."""

from __future__ import annotations

from kubestage.testing import make_node, make_pod
from tests.scheduler.rehearsals import NODE, POD, Rehearsal


def waiting_for_cpu(*, memory: str | None = None) -> Rehearsal:
    """A cluster of one node on which a pod is short of CPU."""
    run = Rehearsal(make_node("n1", cpu="2"))
    run.add_pod("first", cpu="2")
    run.run(1)
    run.add_pod("second", cpu="2", memory=memory)
    run.run(100)
    assert run.where() == {"unschedulable": ["second"]}
    return run


def attempts_at(run: Rehearsal) -> list[tuple[float, str]]:
    return [(at, result) for at, name, result in run.attempts() if name == "second"]


def test_room_that_is_made_wakes_the_pod_at_once() -> None:
    run = waiting_for_cpu()
    run.store.delete(POD, "first", "default")
    run.run(101)
    assert attempts_at(run) == [(1.0, "unschedulable")]
    finish(run, "first")
    run.run(102)
    assert attempts_at(run)[1:] == [(101.0, "scheduled")]


def finish(run: Rehearsal, name: str) -> None:
    """What a kubelet does when a pod has stopped."""
    gone = {"status": {"phase": "Failed"}}
    run.store.patch(POD, name, gone, "default", subresource="status")


def test_a_node_that_is_too_small_does_not_wake_it() -> None:
    run = waiting_for_cpu()
    run.add_node("small", cpu="1")
    run.run(101)
    assert len(attempts_at(run)) == 1
    run.add_node("large", cpu="2")
    run.run(102)
    assert attempts_at(run)[1:] == [(101.0, "scheduled")]
    assert run.node_of("second") == "large"


def test_a_node_that_grows_wakes_it_and_one_with_a_new_label_does_not() -> None:
    run = waiting_for_cpu()
    run.store.patch(NODE, "n1", {"metadata": {"labels": {"disk": "ssd"}}})
    beat = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
    run.store.patch(NODE, "n1", beat, subresource="status")
    run.run(101)
    assert len(attempts_at(run)) == 1
    allocatable = {"cpu": "4", "memory": "16Gi", "pods": "110"}
    run.store.patch(NODE, "n1", {"status": {"allocatable": allocatable}}, subresource="status")
    run.run(102)
    assert attempts_at(run)[1:] == [(101.0, "scheduled")]


def test_other_pods_that_come_do_not_wake_it() -> None:
    run = waiting_for_cpu()
    run.add_pod("third", memory="1Gi")
    run.run(101)
    assert run.node_of("third") == "n1"
    assert len(attempts_at(run)) == 1


def test_a_pod_that_wants_company_is_woken_by_it_and_by_no_other() -> None:
    term = {
        "labelSelector": {"matchLabels": {"app": "db"}},
        "topologyKey": "kubernetes.io/hostname",
    }
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    node = make_node("n1", labels={"kubernetes.io/hostname": "n1"})
    run = Rehearsal(node)
    run.add_pod("second", affinity=affinity)
    run.run(100)
    run.add_pod("stranger", labels={"app": "web"})
    run.run(101)
    assert len(attempts_at(run)) == 1
    run.add_pod("friend", labels={"app": "db"})
    run.run(102)
    assert attempts_at(run)[1:] == [(101.0, "scheduled")]


def test_a_pod_that_nothing_wakes_is_tried_again_after_five_minutes() -> None:
    run = Rehearsal(make_node("n1", cpu="1"))
    run.add_pod("second", cpu="2")
    run.run(1000)
    # Looks are every 30 s, and a stay must have been longer than 300 s.
    assert [round(at, 6) for at, _ in attempts_at(run)] == [0.0, 330.0, 660.0, 990.0]


def test_a_pod_with_gates_is_never_tried_and_once_they_are_gone_at_once() -> None:
    run = Rehearsal(make_node("n1"))
    gated = make_pod("second")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/quota"}]
    run.store.create(gated)
    run.run(1000)
    assert run.where() == {"gated": ["second"]}
    assert run.attempts() == []
    run.store.patch(POD, "second", {"spec": {"schedulingGates": []}}, "default")
    run.run(1001)
    assert attempts_at(run) == [(1000.0, "scheduled")]


def test_preemption_deletes_nominates_and_then_takes_the_room() -> None:
    run = Rehearsal(make_node("n1", cpu="1"))
    victim = make_pod("victim", cpu="1")
    victim["spec"]["terminationGracePeriodSeconds"] = 30
    run.store.create(victim)
    run.run(1)
    critical = "system-cluster-critical"
    run.add_pod("second", cpu="1", priority_class_name=critical)
    run.run(2)
    assert run.pod("second")["status"]["nominatedNodeName"] == "n1"
    assert "deletionTimestamp" in run.pod("victim")["metadata"]
    target = run.pod("victim")["status"]["conditions"][-1]
    assert (target["type"], target["reason"]) == ("DisruptionTarget", "PreemptionByScheduler")
    uid = run.pod("second")["metadata"]["uid"]
    event = run.events("Preempted")[0]
    assert event["message"] == f"Preempted by pod {uid} on node n1"
    assert event["involvedObject"]["name"] == "victim"
    # Others are not let in ahead of the one to whom the node is promised.
    run.add_pod("third", cpu="1")
    finish(run, "victim")
    run.run(32)
    assert run.node_of("second") == "n1"
    assert run.node_of("third") == ""
    metrics = run.scheduler.metrics
    assert metrics.preemption_attempts.values[()] >= 1
    assert metrics.preemption_victims.distribution().counts[0] == 1


def test_a_promise_that_is_withdrawn_wakes_those_who_had_to_stand_back() -> None:
    run = Rehearsal(make_node("n1", cpu="1"))
    victim = make_pod("victim", cpu="1")
    victim["spec"]["terminationGracePeriodSeconds"] = 30
    run.store.create(victim)
    run.run(1)
    run.add_pod("first", cpu="1", priority_class_name="system-cluster-critical")
    run.run(2)
    finish(run, "victim")
    run.add_pod("second", cpu="1")
    run.store.delete(POD, "first", "default")
    run.run(3)
    assert run.node_of("second") == "n1"


def test_backoff_follows_the_configuration() -> None:
    from tests.scheduler import rehearsals

    stated = rehearsals.configuration(podInitialBackoffSeconds=3, podMaxBackoffSeconds=5)
    run = Rehearsal(configuration=stated)
    run.add_pod("second")
    run.run(30)
    assert [round(at) for at, _ in attempts_at(run)] == [0, 4, 10, 16, 22, 28]
