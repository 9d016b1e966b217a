"""When preemption is tried, and what is said about it."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventResource
from kubestage.scheduler.diagnosis import Diagnosis
from kubestage.scheduler.framework import EnqueueExtensions, PostFilter, PreEnqueue
from kubestage.scheduler.status import SUCCESS, error, unresolvable, unschedulable
from tests.scheduler.preemption import crowd

LEAVING: dict[str, Any] = {
    "deleted": True,
    "status": {
        "conditions": [
            {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
        ]
    },
}


def test_the_plugin_claims_its_extension_points() -> None:
    plugin = crowd.Crowd().plugin
    assert isinstance(plugin, PostFilter)
    assert isinstance(plugin, PreEnqueue)
    assert isinstance(plugin, EnqueueExtensions)


def test_the_first_of_equal_nodes_is_nominated() -> None:
    crowded = crowd.Crowd(
        crowd.node("two"),
        crowd.node("one"),
        crowd.node("three"),
        crowd.pod("b", "two", 4, start=1),
        crowd.pod("a", "one", 4, start=1),
        crowd.pod("c", "three", 4, start=0),
        crowd.pod("new", cpu=4, priority=10),
    )
    told = crowded.preempt("new")
    assert told["tiedNodes"] == ["one", "two"]
    assert (told["code"], told["nominatedNode"], told["victims"]) == (
        "Success", "one", ["default/a"],
    )  # fmt: skip
    assert "message" not in told
    assert crowded.attempt("new").node_name == "one"


def test_a_pod_whose_policy_is_never_preempts_nobody() -> None:
    crowded = crowd.Crowd(
        crowd.node("full"),
        crowd.pod("weak", "full", 4),
        crowd.pod("new", cpu=4, priority=10, preemptionPolicy="Never"),
    )
    found = crowded.attempt("new")
    message = "preemption: not eligible due to preemptionPolicy=Never."
    assert found.post_filter == (None, unschedulable(message).by("DefaultPreemption"))
    assert found.failure == f"0/1 nodes are available: 1 Insufficient cpu. {message}"


@pytest.mark.parametrize(
    ("there", "eligible"),
    [
        ({"priority": 0, **LEAVING}, False),
        ({"priority": 10, **LEAVING}, True),
        ({"priority": 0, "deleted": True}, True),
        ({"priority": 0}, True),
    ],
)
def test_who_waits_for_victims_to_leave_preempts_nobody_else(
    there: dict[str, Any], eligible: bool
) -> None:
    crowded = crowd.Crowd(
        crowd.node("full"),
        crowd.pod("there", "full", 1, **there),
        crowd.pod("weak", "full", 3),
        crowd.pod("new", cpu=4, priority=10, status={"nominatedNodeName": "full"}),
    )
    found = crowded.attempt("new")
    message = "preemption: not eligible due to a terminating pod on the nominated node."
    assert (message in found.failure) is not eligible


def test_a_nominated_node_that_can_never_do_is_not_waited_for() -> None:
    crowded = crowd.Crowd(
        crowd.node("small", 2),
        crowd.node("full"),
        crowd.pod("leaving", "small", 1, **LEAVING),
        crowd.pod("weak", "full", 4),
        crowd.pod("new", cpu=4, priority=10, status={"nominatedNodeName": "small"}),
    )
    assert crowded.preempt("new")["nominatedNode"] == "full"


def test_a_nominated_node_that_is_gone_is_not_waited_for() -> None:
    crowded = crowd.Crowd(
        crowd.node("full"),
        crowd.pod("weak", "full", 4),
        crowd.pod("new", cpu=4, priority=10, status={"nominatedNodeName": "gone"}),
    )
    assert crowded.preempt("new")["nominatedNode"] == "full"


def test_where_removing_pods_does_not_help_the_nomination_is_cleared() -> None:
    crowded = crowd.Crowd(
        crowd.node("small", 2),
        crowd.node("full"),
        crowd.pod("equal", "full", 3, 10),
        crowd.pod("weak", "full", 1),
        crowd.pod("new", cpu=4, priority=10),
    )
    told = crowded.preempt("new")
    assert told["message"] == (
        "preemption: 0/2 nodes are available: 1 Insufficient cpu, "
        "1 Preemption is not helpful for scheduling."
    )
    assert told["nominatedNode"] == ""
    assert crowded.cluster.written == []


def test_a_pod_that_is_gone_by_now_is_an_error() -> None:
    crowded = crowd.Crowd(crowd.node("full"), crowd.pod("new", cpu=4, priority=10))
    found = crowded.cycle.schedule(
        crowded.profile, crowded.cluster.pod("default/new"), crowded.cache.columns
    )
    crowded.cluster.delete_pod(found.pod)
    answer = crowded.plugin.post_filter(found.state, found.pod, found.diagnosis)
    assert answer == (None, error('preemption: pod "new" not found'))


def test_the_newest_version_of_the_pod_decides() -> None:
    crowded = crowd.Crowd(
        crowd.node("full"), crowd.pod("weak", "full", 4), crowd.pod("new", cpu=4, priority=10)
    )
    found = crowded.cycle.schedule(
        crowded.profile, crowded.cluster.pod("default/new"), crowded.cache.columns
    )
    raw = found.pod.raw
    crowded.cluster.update({**raw, "spec": {**raw["spec"], "preemptionPolicy": "Never"}})
    _, status = crowded.plugin.post_filter(found.state, found.pod, found.diagnosis)
    assert status == unschedulable("preemption: not eligible due to preemptionPolicy=Never.")


def test_without_nodes_there_is_nothing_to_preempt() -> None:
    crowded = crowd.Crowd(crowd.pod("new", priority=10))
    found = crowded.cycle.schedule(
        crowded.profile, crowded.cluster.pod("default/new"), crowded.cache.columns
    )
    answer = crowded.plugin.post_filter(found.state, found.pod, found.diagnosis)
    assert answer == (None, error("preemption: no nodes available"))


def test_a_node_on_which_the_pod_fits_beside_everyone_is_an_error() -> None:
    crowded = crowd.Crowd(
        crowd.node("b"),
        crowd.node("a"),
        crowd.pod("weak", "a", 1),
        crowd.pod("weak-too", "b", 1),
        crowd.pod("new", cpu=1, priority=10),
    )
    found = crowded.cycle.schedule(
        crowded.profile, crowded.cluster.pod("default/new"), crowded.cache.columns
    )
    diagnosis = Diagnosis(crowded.cache.columns, absent=unschedulable("in use elsewhere"))
    answer = crowded.plugin.post_filter(found.state, found.pod, diagnosis)
    problems = [f'expected at least one victim pod on node "{name}"' for name in "ab"]
    assert answer == (None, error(f"preemption: [{', '.join(problems)}]"))


def test_the_plugin_wakes_nobody_up() -> None:
    (hint,) = crowd.Crowd().plugin.events_to_register()
    assert hint.event == ClusterEvent(EventResource.POD, ActionType.DELETE)
    assert hint.hint is not None
    crowded = crowd.Crowd(crowd.pod("new"))
    pod = crowded.cluster.pod("default/new")
    assert hint.hint(pod, {}, None) is False
    assert crowded.plugin.pre_enqueue(pod) == SUCCESS


def test_rejections_that_nothing_resolves_leave_nothing_to_try() -> None:
    crowded = crowd.Crowd(crowd.node("full"), crowd.pod("new", priority=10))
    found = crowded.cycle.schedule(
        crowded.profile, crowded.cluster.pod("default/new"), crowded.cache.columns
    )
    diagnosis = Diagnosis(crowded.cache.columns, absent=unresolvable("no such claim"))
    _, status = crowded.plugin.post_filter(found.state, found.pod, diagnosis)
    assert status == unschedulable(
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )
