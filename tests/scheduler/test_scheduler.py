"""What becomes of pods: bound, put back, told why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.framework import unschedulable
from kubestage.scheduler.scheduler import Scheduler
from kubestage.sim.streams import Streams
from kubestage.testing import make_node, make_pod
from tests.scheduler import rehearsals
from tests.scheduler.rehearsals import NODE, POD, Rehearsal

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import CycleState, NodeInfo, Status
    from kubestage.scheduler.handle import Handle


def test_a_pod_is_bound_and_everybody_is_told() -> None:
    run = Rehearsal(make_node("n1"))
    run.add_pod("web", cpu="1")
    run.run(1)
    assert run.node_of("web") == "n1"
    assert run.condition("web")["status"] == "True"
    assert run.where() == {}
    event = run.events("Scheduled")[0]
    assert event["message"] == "Successfully assigned default/web to n1"
    assert (event["type"], event["action"]) == ("Normal", "Binding")
    assert event["reportingComponent"] == "default-scheduler"
    assert event["involvedObject"]["uid"] == run.pod("web")["metadata"]["uid"]


@pytest.mark.parametrize("start", range(3, 7))
def test_all_nodes_are_searched_after_others_have_gone(start: int) -> None:
    nodes = (make_node(f"n{number}", cpu=cpu) for number, cpu in enumerate(("4", "1", "1")))
    run = Rehearsal(*nodes, by_itself=False)
    run.scheduler.__dict__["_cycle"].next_start = start
    run.add_pod("web", cpu="2")
    run.scheduler.run_until_idle()
    assert run.node_of("web") == "n0"


def test_without_an_environment_it_works_when_it_is_told_to() -> None:
    run = Rehearsal(make_node("n1"), by_itself=False)
    run.add_pod("a")
    run.add_pod("b", priority_class_name="system-cluster-critical", namespace="kube-system")
    attempt = run.scheduler.schedule_one()
    assert attempt is not None
    assert (attempt.pod.key, attempt.node_name) == ("kube-system/b", "n1")
    assert run.node_of("a") == ""
    assert run.scheduler.run_until_idle() == 1
    assert run.scheduler.schedule_one() is None
    assert run.node_of("a") == "n1"


def test_what_was_there_before_the_scheduler_is_taken_up_in_order() -> None:
    first = Rehearsal(by_itself=False)
    first.add_node("n1", cpu="2")
    first.store.load(make_pod("old", cpu="1", node_name="n1"))
    first.add_pod("b", cpu="1")
    first.add_pod("a", cpu="1")
    second = Scheduler(first.store, None, Streams(0))
    second.run_until_idle()
    assert (first.node_of("b"), first.node_of("a")) == ("n1", "")


def test_a_pod_that_fits_nowhere_is_told_why() -> None:
    run = Rehearsal(make_node("n1", cpu="1"), make_node("n2", cpu="1"))
    run.add_pod("big", cpu="2")
    run.run(1)
    told = (
        "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: "
        "0/2 nodes are available: 2 Preemption is not helpful for scheduling."
    )
    condition = run.condition("big")
    assert condition["message"] == told
    assert (condition["status"], condition["reason"]) == ("False", "Unschedulable")
    assert condition["lastTransitionTime"] == "2026-01-01T00:00:00Z"
    assert condition["observedGeneration"] == 1
    event = run.events("FailedScheduling")[0]
    assert event["message"] == told
    assert (event["type"], event["action"]) == ("Warning", "Scheduling")
    assert run.where() == {"unschedulable": ["big"]}


def test_without_nodes_a_pod_waits_for_one() -> None:
    run = Rehearsal()
    run.add_pod("web")
    run.run(1)
    assert run.condition("web")["message"] == "no nodes available to schedule pods"
    assert run.condition("web")["reason"] == "Unschedulable"
    # Nobody rejected it, so that it pauses instead of waiting for an event.
    assert run.where() == {"backoff": ["web"]}
    run.add_node("n1")
    run.run(2)
    assert run.node_of("web") == "n1"


def test_a_repeated_failure_leaves_the_condition_and_counts_in_one_event() -> None:
    run = Rehearsal(make_node("n1", cpu="1"))
    run.add_pod("big", cpu="2")
    run.run(1)
    version = run.pod("big")["metadata"]["resourceVersion"]
    for second in (10, 20, 30):
        run.scheduler.activate([pod_views.of(run.pod("big"))])
        run.run(second)
    assert run.pod("big")["metadata"]["resourceVersion"] == version
    events = run.events("FailedScheduling")
    assert [event.get("series", {}).get("count") for event in events] == [None, 3]
    assert events[1]["series"]["lastObservedTime"] == "2026-01-01T00:00:20.000000Z"


class Verbose:
    """Refuses every node, at length."""

    name = "Verbose"

    def __init__(self, args: Json, handle: Handle) -> None:
        del args, handle

    def filter_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> Status:
        return unschedulable("no" * 1000)


def test_a_message_that_is_too_long_is_cut_in_the_event_and_not_in_the_condition() -> None:
    stated = rehearsals.configuration(rehearsals.profile(enabled=["Verbose"]))
    run = Rehearsal(make_node("n1"), configuration=stated, plugins={"Verbose": Verbose})
    run.add_pod("web")
    run.run(1)
    note = run.events("FailedScheduling")[0]["message"]
    assert len(note) == 1024
    assert note.endswith("nonon ...")
    assert len(run.condition("web")["message"]) > 2000


def test_a_pod_of_somebody_elses_scheduler_is_let_alone() -> None:
    run = Rehearsal(make_node("n1"))
    run.add_pod("theirs", scheduler_name="other-scheduler")
    run.run(1)
    assert run.node_of("theirs") == ""
    assert run.where() == {}
    run.delete_pod("theirs")


def test_a_pod_that_others_bind_leaves_the_queue_and_takes_up_room() -> None:
    run = Rehearsal(make_node("n1", cpu="1"), by_itself=False)
    run.add_pod("theirs", cpu="1")
    run.add_pod("ours", cpu="1")
    run.store.bind("theirs", "default", "n1")
    assert run.where() == {"active": ["ours"]}
    run.scheduler.run_until_idle()
    assert run.node_of("ours") == ""


def test_a_pod_that_is_deleted_while_it_waits_is_forgotten() -> None:
    run = Rehearsal(make_node("n1", cpu="1"))
    run.add_pod("big", cpu="2")
    run.run(1)
    run.delete_pod("big")
    assert run.where() == {}
    run.run(1000)
    assert len(run.attempts()) == 1


def test_a_pod_that_is_being_deleted_is_not_tried() -> None:
    run = Rehearsal(by_itself=False)
    doomed = make_pod("doomed")
    doomed["metadata"]["finalizers"] = ["example.com/wait"]
    run.store.create(doomed)
    run.delete_pod("doomed")
    assert run.scheduler.schedule_one() is None
    event = run.events("FailedScheduling")[0]
    assert event["message"] == "skip schedule deleting pod: default/doomed"
    assert run.where() == {}


def test_pods_of_a_node_that_is_gone_still_count_when_it_comes_back() -> None:
    run = Rehearsal(make_node("n1", cpu="1"))
    run.add_pod("first", cpu="1")
    run.run(1)
    run.store.delete(NODE, "n1")
    run.add_pod("second", cpu="1")
    run.run(2)
    assert run.condition("second")["message"] == "no nodes available to schedule pods"
    run.add_node("n1", cpu="1")
    run.run(3)
    assert "Insufficient cpu" in run.condition("second")["message"]


def test_a_pod_that_ends_makes_room() -> None:
    run = Rehearsal(make_node("n1", cpu="1"))
    run.add_pod("first", cpu="1")
    run.add_pod("second", cpu="1")
    run.run(1)
    done = {"status": {"phase": "Succeeded"}}
    run.store.patch(POD, "first", done, "default", subresource="status")
    run.run(2)
    assert run.node_of("second") == "n1"


def test_extenders_without_a_way_to_ask_them_are_an_error() -> None:
    extender = {"urlPrefix": "http://localhost:1", "filterVerb": "filter"}
    stated = rehearsals.configuration(extenders=[extender])
    with pytest.raises(InputError, match="no way to ask them"):
        Rehearsal(configuration=stated)


def test_an_extender_may_bind() -> None:
    asked: list[str] = []

    def transport(_config: object, verb: str, body: bytes) -> bytes:
        asked.append(f"{verb} {body.decode()}")
        run.store.bind("web", "default", "n1")
        return b"{}"

    extender = {"urlPrefix": "http://localhost:1", "bindVerb": "bind"}
    stated = rehearsals.configuration(extenders=[extender])
    run = Rehearsal(make_node("n1"), configuration=stated, transport=transport)
    run.add_pod("web")
    run.run(1)
    assert run.node_of("web") == "n1"
    assert asked[0].startswith('bind {"PodName":"web","PodNamespace":"default"')
    assert run.attempts()[0][1:] == ("web", "scheduled")
