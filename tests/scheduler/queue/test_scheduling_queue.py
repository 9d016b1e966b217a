"""The rules by which pods move between the queues."""

from __future__ import annotations

import pytest

from kubestage.errors import SimulationError
from kubestage.scheduler.queue import occasions
from tests.scheduler.queue.queues import (
    NODE_ADD,
    NODE_LABEL,
    SECOND,
    QueueUnderTest,
    node,
    pod,
    raw_pod,
)


def test_the_most_important_pod_is_first_and_equals_go_in_order() -> None:
    test = QueueUnderTest()
    for name, priority in (("a", 1), ("b", 5), ("c", 5), ("d", 0)):
        test.queue.add(pod(name, priority))
    order = [test.queue.pop() for _ in range(4)]
    assert [each.pod.name for each in order if each] == ["b", "c", "a", "d"]
    assert test.queue.pop() is None


def test_a_pod_that_comes_back_goes_behind_its_equals() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.queue.add(pod("b"))
    failed = test.fail("a", "WaitsForNodes")
    test.queue.activate([failed.pod])
    order = [test.queue.pop() for _ in range(2)]
    assert [each.pod.name for each in order if each] == ["b", "a"]


def test_a_rejected_pod_waits_for_an_event() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.fail("a", "WaitsForNodes")
    assert test.where() == {"unschedulable": ["a"]}
    assert test.incoming() == {
        ("active", "UnschedulablePodAdd"): 1,
        ("unschedulable", "ScheduleAttemptFailure"): 1,
    }


def test_an_event_that_helps_moves_it_to_backoff_while_it_must_pause() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.fail("a", "WaitsForNodes")
    test.queue.move_all(NODE_ADD, None, node("small"))
    assert test.where() == {"unschedulable": ["a"]}
    test.queue.move_all(NODE_ADD, None, node("big"))
    assert test.where() == {"backoff": ["a"]}
    assert test.incoming()["backoff", "NodeAdd"] == 1


def test_and_to_the_active_queue_once_the_pause_is_over() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.fail("a", "WaitsForNodes")
    test.at(2)
    test.queue.move_all(NODE_ADD, None, node("big"))
    assert test.where() == {"active": ["a"]}


def test_a_pause_that_is_over_makes_a_pod_active_at_the_exact_second() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.at(0.5)
    test.fail("a", "WaitsForNodes")
    test.queue.move_all(NODE_LABEL, node("n"), node("n"))
    assert test.queue.due_ns == 2 * SECOND
    test.clock.now_ns = 2 * SECOND - 1
    test.queue.flush()
    assert test.where() == {"backoff": ["a"]}
    test.at(2)
    assert test.where() == {"active": ["a"]}
    assert test.incoming()["active", "BackoffComplete"] == 1


def test_an_error_sends_a_pod_straight_to_backoff_where_it_is_not_tried_early() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    failed = test.fail("a")
    assert test.where() == {"backoff": ["a"]}
    assert test.queue.pop() is None
    test.at(2)
    test.fail("a")
    assert failed.consecutive_errors == 2
    assert test.queue.due_ns == 5 * SECOND
    test.at(5)
    test.fail("a", "WaitsForNodes")
    assert (failed.consecutive_errors, failed.unschedulable_count) == (0, 1)


def test_with_nothing_else_to_do_a_rejected_pod_is_tried_before_its_pause_is_over() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.fail("a", "WaitsForNodes")
    test.queue.move_all(NODE_LABEL, node("n"), node("n"))
    test.queue.add(pod("b"))
    order = [test.queue.pop() for _ in range(3)]
    assert [each.pod.name for each in order if each] == ["b", "a"]
    assert test.incoming()["active", "PopFromBackoffQ"] == 1


def test_a_pending_plugin_skips_the_pause() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.fail("a", pending=["WaitsForNodes"])
    test.queue.move_all(NODE_LABEL, node("n"), node("n"))
    assert test.where() == {"active": ["a"]}


def test_an_event_that_came_while_the_pod_was_tried_counts_when_it_is_back() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.queue.add(pod("b"))
    first, second = test.queue.pop(), test.queue.pop()
    assert first is not None
    assert second is not None
    test.queue.move_all(NODE_ADD, None, node("big"))
    test.put_back(first, "WaitsForNodes")
    test.put_back(second, "WaitsForLabels")
    assert test.where() == {"backoff": ["a"], "unschedulable": ["b"]}
    assert len(test.queue.in_flight) == 0


def test_an_event_from_before_the_attempt_does_not() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.queue.move_all(NODE_ADD, None, node("big"))
    test.fail("a", "WaitsForNodes")
    assert test.where() == {"unschedulable": ["a"]}


def test_an_update_of_a_pod_in_flight_is_remembered() -> None:
    test = QueueUnderTest()
    before, after = raw_pod("a"), pod("a", labels={"fresh": "yes"})
    test.queue.add(pod("a"))
    queued = test.queue.pop()
    assert queued is not None
    test.queue.update(before, after)
    assert test.where() == {}
    test.put_back(queued, "WaitsForLabels")
    assert test.where() == {"backoff": ["a"]}


def test_a_gated_pod_is_not_tried_until_its_gates_are_gone() -> None:
    test = QueueUnderTest()
    gates = [{"name": "one"}, {"name": "two"}]
    test.queue.add(pod("a", schedulingGates=gates))
    assert test.where() == {"gated": ["a"]}
    assert test.queue.pop() is None

    one = raw_pod("a", schedulingGates=gates)
    test.queue.update(one, pod("a", schedulingGates=gates[:1]))
    assert test.where() == {"gated": ["a"]}
    test.queue.update(raw_pod("a", schedulingGates=gates[:1]), pod("a"))
    assert test.where() == {"active": ["a"]}
    gone = "UnschedulablePodUpdatePodSchedulingGatesEliminated"
    assert test.incoming()["active", gone] == 1


def test_events_that_its_gate_does_not_wait_for_leave_a_gated_pod_alone() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a", schedulingGates=[{"name": "one"}]))
    test.queue.move_all(NODE_ADD, None, node("big"))
    assert test.where() == {"gated": ["a"]}
    assert test.incoming() == {("unschedulable", "UnschedulablePodAdd"): 1}


def test_a_long_stay_ends_with_a_flush_that_also_asks_gates_again() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("gated", schedulingGates=[{"name": "one"}]))
    test.queue.add(pod("a"))
    test.fail("a", "WaitsForNodes")
    assert test.queue.due_ns == 330 * SECOND
    test.at(330)
    assert test.where() == {"active": ["a"], "gated": ["gated"]}
    assert test.incoming()["active", "UnschedulableTimeout"] == 1
    assert test.incoming()["unschedulable", "UnschedulableTimeout"] == 1
    assert test.queue.due_ns == 660 * SECOND


def test_a_changed_pod_is_changed_in_whichever_queue_it_is() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("active"))
    test.queue.update(raw_pod("active"), pod("active", 7))
    found = test.queue.get("default/active")
    assert found is not None
    assert found.pod.priority == 7

    test.fail("active")
    test.queue.update(raw_pod("active", 7), pod("active", 8))
    assert test.where() == {"backoff": ["active"]}
    assert found.pod.priority == 8


def test_a_change_that_may_help_brings_an_unschedulable_pod_back() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    test.fail("a", "WaitsForLabels")
    test.queue.update(raw_pod("a"), pod("a", 3))
    assert test.where() == {"unschedulable": ["a"]}
    test.queue.update(raw_pod("a", 3), pod("a", 3, labels={"x": "y"}))
    assert test.where() == {"backoff": ["a"]}
    assert test.incoming()["backoff", "UnschedulablePodUpdatePodLabel"] == 1


def test_an_unknown_pod_that_changes_is_taken_up() -> None:
    test = QueueUnderTest()
    test.queue.update(raw_pod("a"), pod("a", 3))
    assert test.where() == {"active": ["a"]}
    assert test.incoming() == {("active", "UnschedulablePodUpdate"): 1}


def test_a_deleted_pod_leaves_every_queue() -> None:
    test = QueueUnderTest()
    for name in ("backoff", "unschedulable"):
        test.queue.add(pod(name))
    test.fail("backoff")
    test.fail("unschedulable", "WaitsForNodes")
    test.queue.add(pod("active"))
    for name in ("active", "backoff", "unschedulable"):
        test.queue.delete(f"default/{name}", f"uid-{name}")
    assert test.where() == {}
    assert len(test.queue) == 0


def test_activation_moves_pods_out_of_backoff_and_the_pool() -> None:
    test = QueueUnderTest()
    for name in ("backoff", "pool"):
        test.queue.add(pod(name))
    test.fail("backoff")
    test.fail("pool", "WaitsForNodes")
    test.queue.activate([pod("pool"), pod("backoff"), pod("stranger")])
    assert test.where() == {"active": ["pool", "backoff"]}
    assert test.incoming()["active", "ForceActivate"] == 2


def test_activation_of_a_pod_in_flight_counts_when_it_is_back() -> None:
    test = QueueUnderTest()
    for name in ("a", "b"):
        test.queue.add(pod(name))
    first, second = test.queue.pop(), test.queue.pop()
    assert first is not None
    assert second is not None
    test.queue.activate([pod("a")])
    test.put_back(first, "WaitsForNodes")
    test.put_back(second, "WaitsForNodes")
    assert test.where() == {"backoff": ["a"], "unschedulable": ["b"]}


def test_a_check_leaves_pods_out_of_a_move() -> None:
    test = QueueUnderTest()
    for name in ("a", "b"):
        test.queue.add(pod(name))
    test.fail("a", "WaitsForNodes")
    test.fail("b", "WaitsForNodes")
    test.queue.move_all(NODE_LABEL, node("n"), node("n"), lambda each: each.name != "a")
    assert test.where() == {"backoff": ["b"], "unschedulable": ["a"]}


def test_a_nomination_in_the_status_counts_from_the_start() -> None:
    nominated = raw_pod("a", status={"nominatedNodeName": "n1"})
    test = QueueUnderTest(nominated)
    test.queue.add(pod("a", status={"nominatedNodeName": "n1"}))
    assert test.nominator.node_of("uid-a") == "n1"
    test.queue.delete("default/a", "uid-a")
    assert test.nominator.node_of("uid-a") == ""


def test_a_promise_survives_an_update_that_does_not_know_of_it() -> None:
    test = QueueUnderTest(raw_pod("a"))
    test.queue.add(pod("a"))
    test.queue.nominations.add(pod("a"), "n2")
    test.queue.update(raw_pod("a"), pod("a", 3))
    assert test.nominator.node_of("uid-a") == "n2"
    test.queue.update(raw_pod("a"), pod("a", 3, status={"nominatedNodeName": "n3"}))
    assert test.nominator.node_of("uid-a") == "n3"
    old = raw_pod("a", status={"nominatedNodeName": "n3"})
    test.queue.update(old, pod("a", 3))
    assert test.nominator.node_of("uid-a") == ""


@pytest.mark.parametrize("gone", [(), (raw_pod("a", nodeName="n1"),)])
def test_a_pod_that_is_gone_or_bound_is_promised_nothing(gone: tuple[dict[str, object]]) -> None:
    test = QueueUnderTest(*gone)
    test.queue.nominations.add(pod("a"), "n2")
    assert test.nominator.node_of("uid-a") == ""


def test_attempts_and_the_first_of_them_are_remembered() -> None:
    test = QueueUnderTest()
    test.at(3)
    test.queue.add(pod("a"))
    test.at(4)
    queued = test.fail("a", "WaitsForNodes")
    test.queue.activate([queued.pod])
    assert test.queue.pop() is queued
    assert (queued.attempts, queued.first_attempt_ns, test.queue.cycle) == (2, 3 * SECOND, 2)


def test_a_pod_that_never_comes_to_rest_ends_the_run() -> None:
    test = QueueUnderTest(max_backoff_seconds=0)
    test.queue.add(pod("a"))
    for _ in range(1000):
        test.fail("a", "WaitsForNodes")
        test.queue.move_all(NODE_LABEL, node("n"), node("n"))
    with pytest.raises(SimulationError, match="default/a is tried over and over again at 0 ns"):
        test.queue.pop()


def test_the_queue_tells_when_there_is_something_to_do() -> None:
    test = QueueUnderTest()
    told: list[str] = []
    test.queue.reports.ready = lambda: told.append("ready")
    test.queue.reports.settled = lambda: told.append("settled")
    test.queue.add(pod("a"))
    test.fail("a", "WaitsForNodes")
    test.queue.move_all(NODE_LABEL, node("n"), node("n"))
    assert told == ["ready", "settled", "ready"]


def test_a_pod_that_is_back_already_is_not_queued_twice() -> None:
    test = QueueUnderTest()
    test.queue.add(pod("a"))
    queued = test.queue.pop()
    assert queued is not None
    test.queue.add(pod("a"))
    test.put_back(queued, "WaitsForNodes")
    assert test.where() == {"active": ["a"]}
    assert len(test.queue.in_flight) == 0
    assert occasions.SCHEDULE_ATTEMPT_FAILURE not in {event for _, event in test.incoming()}


def test_an_event_that_moves_several_pods_is_reported_once() -> None:
    told: list[str] = []
    test = QueueUnderTest()
    for name in ("a", "b", "c"):
        test.queue.add(pod(name))
        test.fail(name, "WaitsForNodes")
    test.queue.reports.ready = lambda: told.append("ready")
    test.queue.reports.settled = lambda: told.append("settled")
    test.queue.move_all(NODE_ADD, None, node("small"))
    assert not told, "nothing has moved"
    test.queue.move_all(NODE_ADD, None, node("big"))
    assert test.where() == {"backoff": ["a", "b", "c"]}
    assert told == ["ready"]
