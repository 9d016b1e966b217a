"""Reserve, permit, pre-bind and bind: waiting, refusing, failing, and all the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.framework import SUCCESS, Code, Status, error, unschedulable
from kubestage.testing import make_node
from tests.scheduler import rehearsals
from tests.scheduler.rehearsals import POD, SECOND, Rehearsal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import CycleState
    from kubestage.scheduler.handle import Handle


class Probe:
    """Answers as it is told to at each extension point, and writes down that it was asked."""

    name = "Probe"
    answers: ClassVar[dict[str, Status]] = {}
    timeout_ns: ClassVar[int] = 10 * SECOND

    def __init__(self, args: Json, handle: Handle) -> None:
        self.args = args
        self.handle = handle
        self.calls: list[str] = []

    def events_to_register(self) -> Sequence[EventHint]:
        return [EventHint(ClusterEvent(EventResource.POD, ActionType.DELETE), _is_another)]

    def reserve(self, state: CycleState, pod: PodView, node_name: str) -> Status:
        return self._answer("reserve", pod, node_name)

    def unreserve(self, state: CycleState, pod: PodView, node_name: str) -> None:
        self._answer("unreserve", pod, node_name)

    def permit(self, state: CycleState, pod: PodView, node_name: str) -> tuple[Status, int]:
        return self._answer("permit", pod, node_name), self.timeout_ns

    def pre_bind(self, state: CycleState, pod: PodView, node_name: str) -> Status:
        return self._answer("pre_bind", pod, node_name)

    def post_bind(self, state: CycleState, pod: PodView, node_name: str) -> None:
        self._answer("post_bind", pod, node_name)

    def _answer(self, point: str, pod: PodView, node_name: str) -> Status:
        assert pod.node_name == node_name
        self.calls.append(point)
        return self.answers.get(point, SUCCESS)


def _is_another(pod: PodView, old: Json | None, new: Json | None) -> bool:
    return old is not None and old["metadata"]["uid"] != pod.uid


def rehearse(*nodes: Json, **answers: Status) -> tuple[Rehearsal, Probe]:
    probe_class = type("Probe", (Probe,), {"answers": answers})
    stated = rehearsals.configuration(rehearsals.profile(enabled=["Probe"]))
    run = Rehearsal(*nodes, configuration=stated, plugins={"Probe": probe_class})
    probe: Probe = run.scheduler.profiles["default-scheduler"].permit[0].plugin
    return run, probe


WAIT = Status(Code.WAIT)
N1 = make_node("n1", cpu="1")


def test_all_goes_well() -> None:
    run, probe = rehearse(N1)
    run.add_pod("web")
    run.run(1)
    assert probe.calls == ["reserve", "permit", "pre_bind", "post_bind"]
    assert run.node_of("web") == "n1"


@pytest.mark.parametrize("point", ["reserve", "permit"])
def test_a_refusal_before_binding_is_told_as_that_of_one_node(point: str) -> None:
    run, probe = rehearse(N1, **{point: unschedulable("taken", "late")})
    run.add_pod("web", cpu="1")
    run.add_pod("second", cpu="1")
    run.run(1)
    assert run.condition("web")["message"] == "0/1 nodes are available: 1 late, 1 taken."
    assert run.condition("web")["reason"] == "Unschedulable"
    assert probe.calls[-1] == "unreserve"
    # The room is free again: the second pod got as far as the first.
    assert run.condition("second")["message"] == "0/1 nodes are available: 1 late, 1 taken."
    assert run.where() == {"unschedulable": ["web", "second"]}


@pytest.mark.parametrize(
    ("point", "told"),
    [
        ("reserve", 'running Reserve plugin "Probe": broken'),
        ("permit", 'running Permit plugin "Probe": broken'),
        ("pre_bind", 'running PreBind plugin "Probe": broken'),
    ],
)
def test_an_error_is_told_with_its_plugin_and_tried_again_later(point: str, told: str) -> None:
    run, probe = rehearse(N1, **{point: error("broken")})
    run.add_pod("web", cpu="1")
    run.run(1)
    assert run.condition("web")["message"] == told
    assert run.condition("web")["reason"] == "SchedulerError"
    assert probe.calls[-1] == "unreserve"
    assert run.where() == {"backoff": ["web"]}
    run.run(60)
    times = [round(at) for at, _, result in run.attempts() if result == "error"]
    assert times == [0, 2, 5, 10, 19, 30, 41, 52]


def test_a_refusal_to_pre_bind_counts_as_unschedulable_and_yet_is_tried_again() -> None:
    run, _ = rehearse(N1, pre_bind=unschedulable("volume", "busy"))
    run.add_pod("web")
    run.run(1)
    assert run.condition("web")["message"] == "volume, busy"
    assert run.condition("web")["reason"] == "Unschedulable"
    assert run.where() == {"backoff": ["web"]}


def test_a_pod_that_waits_holds_its_node_and_is_bound_when_it_is_allowed() -> None:
    run, probe = rehearse(N1, permit=WAIT)
    web = run.add_pod("web", cpu="1")
    run.run(1)
    run.add_pod("second", cpu="1")
    run.run(5)
    assert run.node_of("web") == ""
    assert run.pod("web")["status"]["nominatedNodeName"] == "n1"
    assert "Insufficient cpu" in run.condition("second")["message"]
    waiting = probe.handle.waiting.get(web["metadata"]["uid"])
    assert waiting is not None
    assert (waiting.node_name, waiting.pending_plugins) == ("n1", ["Probe"])
    waiting.allow("Probe")
    run.run(6)
    assert run.node_of("web") == "n1"
    assert "nominatedNodeName" not in run.pod("web")["status"]
    assert [each[1:] for each in run.attempts()] == [
        ("web", "waiting"),
        ("second", "unschedulable"),
        ("web", "scheduled"),
    ]
    rows = run.scheduler.record.decisions
    assert (rows[0].number, rows[2].number, rows[0].node) == (1, 1, "n1")


def test_a_pod_that_nobody_allows_is_refused_when_its_time_is_up() -> None:
    run, _ = rehearse(N1, permit=WAIT)
    run.add_pod("web", cpu="1")
    run.run(10)
    assert len(run.scheduler.waiting) == 1
    run.run(10.1)
    assert len(run.scheduler.waiting) == 0
    assert run.condition("web")["message"] == (
        "0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin Probe."
    )
    assert run.attempts()[-1] == (10.000000001, "web", "unschedulable")
    assert "nominatedNodeName" not in run.pod("web")["status"]


def test_a_pod_that_is_refused_makes_room_for_others_but_does_not_wake_itself() -> None:
    run, probe = rehearse(N1, permit=WAIT)
    web = run.add_pod("web", cpu="1")
    run.run(1)
    run.add_pod("second", cpu="1")
    run.run(2)
    waiting = probe.handle.waiting.get(web["metadata"]["uid"])
    assert waiting is not None
    assert waiting.reject("Probe", "not today")
    assert not waiting.reject("Probe", "twice")
    run.run(3)
    assert run.condition("web")["message"] == "0/1 nodes are available: 1 not today."
    assert run.where() == {"unschedulable": ["web"]}
    assert [each.pod.name for each in run.scheduler.waiting] == ["second"]


def test_a_waiting_pod_that_must_give_way_is_tried_again_after_a_pause() -> None:
    run, probe = rehearse(N1, permit=WAIT)
    web = run.add_pod("web", cpu="1")
    run.run(1)
    waiting = probe.handle.waiting.get(web["metadata"]["uid"])
    assert waiting is not None
    assert waiting.preempt("DefaultPreemption", "preempted")
    run.run(2)
    assert run.condition("web")["message"] == "waiting on permit for pod: preempted"
    assert run.where() == {"backoff": ["web"]}


def test_a_pod_that_is_deleted_while_it_waits_makes_room() -> None:
    run, probe = rehearse(N1, permit=WAIT)
    run.add_pod("web", cpu="1")
    run.run(1)
    run.add_pod("second", cpu="1")
    run.run(2)
    run.delete_pod("web")
    run.run(3)
    assert probe.calls == ["reserve", "permit", "unreserve", "reserve", "permit"]
    assert [each.pod.name for each in run.scheduler.waiting] == ["second"]
    assert run.where() == {}


def test_a_pod_that_is_deleted_while_it_is_bound_makes_room() -> None:
    class Deleter(Probe):
        def pre_bind(self, state: CycleState, pod: PodView, node_name: str) -> Status:
            self.handle.client.delete_pod(pod)
            return SUCCESS

    stated = rehearsals.configuration(rehearsals.profile(enabled=["Probe"]))
    run = Rehearsal(N1, configuration=stated, plugins={"Probe": Deleter})
    run.add_pod("web", cpu="1")
    run.run(1)
    assert run.attempts()[0][1:] == ("web", "error")
    message = run.events("FailedScheduling")[0]["message"]
    assert message == 'running Bind plugin "DefaultBinder": pods "web" not found'
    assert run.where() == {}
    assert run.scheduler.cache.columns.pod_count.tolist() == [0]


def test_a_pod_whose_node_goes_while_it_waits_is_bound_all_the_same() -> None:
    run, probe = rehearse(N1, permit=WAIT)
    web = run.add_pod("web", cpu="1")
    run.run(1)
    run.store.delete(rehearsals.NODE, "n1")
    waiting = probe.handle.waiting.get(web["metadata"]["uid"])
    assert waiting is not None
    waiting.allow("Probe")
    run.run(2)
    assert run.node_of("web") == "n1"


def test_an_update_of_a_pod_that_waits_does_not_queue_it_a_second_time() -> None:
    run, _ = rehearse(N1, permit=WAIT)
    run.add_pod("web", cpu="1")
    run.run(1)
    run.store.patch(POD, "web", {"metadata": {"labels": {"a": "b"}}}, "default")
    run.run(2)
    assert run.where() == {}
    assert len(run.attempts()) == 1


def test_a_pod_that_is_bound_may_let_others_go() -> None:
    class Chain(Probe):
        def post_bind(self, state: CycleState, pod: PodView, node_name: str) -> None:
            for waiting in self.handle.waiting:
                waiting.allow(self.name)
                return

    chain = type("Chain", (Chain,), {"answers": {"permit": WAIT}})
    stated = rehearsals.configuration(rehearsals.profile(enabled=["Probe"]))
    run = Rehearsal(N1, configuration=stated, plugins={"Probe": chain}, by_itself=False)
    for name in "abc":
        run.add_pod(name)
    run.scheduler.run_until_idle()
    third = list(run.scheduler.waiting)[2]
    third.allow("Probe")
    run.scheduler.run_until_idle()
    assert [run.node_of(name) for name in "abc"] == ["n1", "n1", "n1"]


def test_no_plugin_may_keep_a_pod_waiting_for_more_than_a_quarter_of_an_hour() -> None:
    run, probe = rehearse(N1, permit=WAIT)
    type(probe).timeout_ns = 3600 * SECOND
    run.add_pod("web")
    run.run(901)
    message = run.condition("web")["message"]
    assert "rejected due to timeout after waiting 15m0s at plugin Probe" in message
