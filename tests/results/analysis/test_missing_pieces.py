"""A status need not tell everything; what it tells wrongly is named with its place."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.results import analysis
from kubestage.testing import make_pod
from tests.results.analysis.stories import NO_ROOM, Story, rivalry


def _end(story: Story) -> analysis.ClusterState:
    *_, (_, state) = analysis.step_ends(story.status())
    return state


def test_a_pod_of_which_only_a_pod_event_tells_is_known_by_it() -> None:
    story = Story().step(1).node("a", cpu="4").bind("made-by-a-controller", "a", cpu="1")
    story.refuse("another", cpu="2")
    state = _end(story)
    assert state.requested["cpu"] == 1000
    assert set(state.pending) == {"default/another"}


def test_its_creation_is_when_the_event_says() -> None:
    story = Story().step(5).node("a").refuse("web", cpu="1")
    story.timeline["5"][-1]["podUnscheduled"]["createdAt"] = 3
    assert _end(story).pods["default/web"].created == 3


def test_a_deleted_node_takes_its_share_with_it_but_its_pods_stay() -> None:
    story = Story().step(1).node("a", cpu="4").node("b", cpu="4")
    story.pod("web", cpu="1").bind("web", "a").step(2).delete("Node", "a")
    state = _end(story)
    assert (state.allocatable["cpu"], state.requested["cpu"]) == (4000, 0)
    assert state.pods["default/web"].status == "Scheduled"
    assert analysis.table(story.status(), "nodes").column("node")[-3:] == ["b"] * 3


def test_a_node_that_comes_back_finds_the_pods_that_nobody_took_away() -> None:
    story = Story().step(1).node("a", cpu="4").pod("web", cpu="1").bind("web", "a")
    story.delete("Node", "a").node("a", cpu="8")
    state = _end(story)
    assert (state.allocatable["cpu"], state.requested["cpu"]) == (8000, 1000)
    story.delete("Pod", "web")
    assert _end(story).requested["cpu"] == 0


def test_a_node_that_nobody_told_of_has_no_share() -> None:
    story = Story().step(1).node("a", cpu="4").pod("web", cpu="1").bind("web", "elsewhere")
    state = _end(story)
    assert (set(state.nodes), state.requested.get("cpu", 0)) == ({"a"}, 0)
    assert analysis.summary(story.status()).scheduled == 1


@pytest.mark.parametrize("uids", [True, False], ids=["uids", "names alone"])
def test_a_name_that_is_used_again_is_another_pod(uids: bool) -> None:
    story = Story(uids=uids).step(1).node("a", cpu="4").pod("web", cpu="1").bind("web", "a")
    story.step(2).delete("Pod", "web").pod("web", cpu="2").refuse("web")
    rows = [
        (row["status"], row["node"]) for row in analysis.table(story.status(), "pods").records()
    ]
    assert rows == [("Deleted", "a"), ("Pending", None)]
    assert _end(story).requested["cpu"] == 0


def test_a_pod_that_is_made_anew_without_a_word_of_its_end_replaces_the_old_one() -> None:
    story = Story().step(1).node("a", cpu="4").pod("web", cpu="1").bind("web", "a")
    story.step(2).pod("web", cpu="2").bind("web", "a")
    assert _end(story).requested["cpu"] == 2000
    assert analysis.table(story.status(), "pods").column("deletedAt") == [2, None]


def test_a_pod_that_is_created_again_with_its_recorded_uid_is_back() -> None:
    pod = make_pod("web", cpu="1", node_name="a")
    pod["metadata"]["uid"] = "recorded"
    story = Story(uids=False).step(1).node("a", cpu="4").create(pod).delete("Pod", "web")
    assert _end(story).requested["cpu"] == 0
    assert _end(story.create(pod)).requested["cpu"] == 1000
    assert analysis.table(story.status(), "pods").column("status") == ["Deleted", "Scheduled"]


def test_a_late_word_of_a_pod_that_is_gone_does_not_bring_it_back() -> None:
    story = Story().step(1).node("a", cpu="4").pod("web", cpu="1").bind("web", "a")
    story.delete("Pod", "web").finish("web").preempt("web", by="db")
    state = _end(story)
    assert (state.requested["cpu"], dict(state.pods)) == (0, {})
    assert [pod.status for pod in state.history] == ["Deleted"]


def test_kinds_that_are_no_concern_of_ours_are_passed_over() -> None:
    story = Story().step(1).node("a", cpu="4")
    stranger = {"apiVersion": "example.com/v1", "kind": "Node", "metadata": {"name": "a"}}
    story.create(stranger).patch(stranger).delete("Node", "a", "example.com/v1")
    assert _end(story).allocatable["cpu"] == 4000


def test_events_without_their_objects_are_passed_over() -> None:
    story = Story().step(1).node("a", cpu="4")
    for operation, field, told in (
        ("Create", "create", {}),
        ("Patch", "patch", {"operation": {"typeMeta": None}}),
        ("Delete", "delete", {"operation": {}}),
        ("Delete", "delete", {"operation": {"typeMeta": {"kind": "Pod"}}}),
        ("PodScheduled", "podScheduled", {"pod": None}),
        ("PodPreempted", "podPreempted", {}),
        ("Sneezed", "sneezed", {"loudly": True}),
    ):
        story.tell(operation, field, told)
    assert len(list(analysis.walk(story.status()))) == 8
    assert _end(story).allocatable["cpu"] == 4000


def test_what_was_asked_for_stands_in_for_a_missing_result() -> None:
    story = Story().step(1).node("a", cpu="4")
    del story.timeline["1"][0]["create"]["result"]
    assert _end(story).allocatable["cpu"] == 4000


def test_without_attempts_the_condition_tells_why_a_pod_is_pending() -> None:
    story = Story(detail=False).step(1).node("a").pod("web", cpu="99").refuse("web")
    (row,) = analysis.table(story.status(), "pending").records()
    assert (row["message"], row["attempts"]) == (NO_ROOM, None)
    assert analysis.summary(story.status()).attempts is None


def test_a_run_in_which_nothing_happened_has_empty_tables() -> None:
    status: dict[str, Any] = {"scenarioResult": {}}
    assert not list(analysis.walk(status))
    assert analysis.summary(status).steps == 0
    tables = [name for name in analysis.TABLES if name != "summary"]
    assert all(not analysis.table(status, name).rows for name in tables)


@pytest.mark.parametrize("run", [{}, {"status": {}}, {"status": {"phase": "Pending"}}])
def test_a_scenario_that_has_not_run_is_refused(run: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="has no result yet"):
        analysis.summary(run)


@pytest.mark.parametrize(
    ("timeline", "where"),
    [
        ([1], "status.scenarioResult.timeline"),
        ({"first": []}, "status.scenarioResult.timeline"),
        ({"1": {"id": 1}}, "status.scenarioResult.timeline.1"),
        ({"1": ["x"]}, "status.scenarioResult.timeline.1[0]"),
        ({"1": [{}, {"create": 5}]}, "status.scenarioResult.timeline.1[1].create"),
    ],
)
def test_a_timeline_of_another_shape_is_refused_with_its_place(timeline: Any, where: str) -> None:
    with pytest.raises(InputError) as refused:
        list(analysis.walk({"scenarioResult": {"timeline": timeline}}))
    assert refused.value.path == where


@pytest.mark.parametrize("amount", ["much", {}, []])
def test_an_object_that_cannot_be_read_is_refused_with_its_place(amount: Any) -> None:
    story = rivalry()
    broken = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "c"}}
    broken["status"] = {"allocatable": {"cpu": amount}}
    story.step(3).create(broken)
    with pytest.raises(InputError) as refused:
        analysis.summary(story.status())
    assert refused.value.path == f"status.scenarioResult.timeline.3[{len(story.timeline['3']) - 1}]"


def test_a_run_can_be_looked_at_as_of_an_earlier_step() -> None:
    story = rivalry()
    earlier = analysis.until(story.scenario("it"), 1)
    summary = analysis.summary(earlier)
    assert (summary.name, summary.scheduled, summary.preempted, summary.last_step) == (
        "it",
        2,
        0,
        1,
    )
    with pytest.raises(InputError, match="no step 7") as refused:
        analysis.until(story.status(), 7)
    assert refused.value.fix == "it has steps 1 to 3"
