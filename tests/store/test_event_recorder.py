from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.stage import Stage
from kubestage.store.event_recorder import NORMAL, WARNING, EventRecorder
from kubestage.testing import make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

_EVENT = ("v1", "Event")


def _stage() -> tuple[Stage, Json, EventRecorder]:
    stage = Stage()
    pod = stage.store.create(make_pod("web"))
    return stage, pod, EventRecorder(stage.store, "tester")


def _found(stage: Stage) -> list[Json]:
    return stage.store.list(_EVENT).items


def test_an_event_says_what_happened_to_whom_when_and_who_says_so() -> None:
    stage, pod, recorder = _stage()
    stage.run("5s")
    recorder.event(pod, NORMAL, "Good", "all is well")
    (event,) = _found(stage)
    assert event["metadata"]["name"] == f"web.{stage.clock.unix_ns:x}"
    assert event["involvedObject"] == {
        "kind": "Pod",
        "namespace": "default",
        "name": "web",
        "uid": pod["metadata"]["uid"],
        "apiVersion": "v1",
        "resourceVersion": pod["metadata"]["resourceVersion"],
    }
    assert (event["type"], event["reason"], event["message"]) == ("Normal", "Good", "all is well")
    assert (event["source"], event["count"]) == ({"component": "tester"}, 1)
    assert event["firstTimestamp"] == event["lastTimestamp"] == "2026-01-01T00:00:05Z"
    assert event["reportingComponent"] == "tester"


def test_the_same_again_is_counted() -> None:
    stage, pod, recorder = _stage()
    recorder.event(pod, NORMAL, "Good", "all is well")
    stage.run("1m")
    recorder.event(pod, NORMAL, "Good", "all is well")
    (event,) = _found(stage)
    assert event["count"] == 2
    assert event["firstTimestamp"] == "2026-01-01T00:00:00Z"
    assert event["lastTimestamp"] == "2026-01-01T00:01:00Z"


def test_several_of_one_instant_have_names_of_their_own() -> None:
    stage, pod, recorder = _stage()
    for number in range(3):
        recorder.event(pod, NORMAL, "Good", f"{number}")
    assert len({event["metadata"]["name"] for event in _found(stage)}) == 3


def test_from_the_tenth_message_of_one_reason_on_they_are_combined() -> None:
    stage, pod, recorder = _stage()
    for number in range(12):
        recorder.event(pod, NORMAL, "Good", f"message {number}")
    found = _found(stage)
    assert len(found) == 10
    combined = [event for event in found if event["message"].startswith("(combined")]
    assert [(event["message"], event["count"]) for event in combined] == [
        ("(combined from similar events): message 11", 3)
    ]


def test_after_ten_minutes_without_any_they_are_not_combined_any_more() -> None:
    stage, pod, recorder = _stage()
    for number in range(10):
        recorder.event(pod, NORMAL, "Good", f"message {number}")
    stage.run("11m")
    recorder.event(pod, NORMAL, "Good", "message 0")
    assert [event["count"] for event in _found(stage) if event["message"] == "message 0"] == [2]


def test_beyond_a_burst_about_one_object_they_are_held_back() -> None:
    stage, pod, recorder = _stage()
    for number in range(40):
        recorder.event(pod, WARNING, f"Reason{number}", "text")
    assert len(_found(stage)) == 25
    recorder.event(pod, NORMAL, "Other", "another type has a burst of its own")
    assert len(_found(stage)) == 26
    stage.run("5m")
    recorder.event(pod, WARNING, "Late", "one more every five minutes")
    recorder.event(pod, WARNING, "Later", "and no more than one")
    assert len(_found(stage)) == 27


def test_what_was_held_back_is_counted_all_the_same() -> None:
    stage, pod, recorder = _stage()
    for _ in range(30):
        recorder.event(pod, WARNING, "Bad", "text")
    assert _found(stage)[0]["count"] == 25
    stage.run("5m")
    recorder.event(pod, WARNING, "Bad", "text")
    assert _found(stage)[0]["count"] == 31


def test_an_event_that_is_gone_is_written_anew() -> None:
    stage, pod, recorder = _stage()
    recorder.event(pod, NORMAL, "Good", "text")
    stage.store.delete(_EVENT, _found(stage)[0]["metadata"]["name"], "default")
    recorder.event(pod, NORMAL, "Good", "text")
    assert [event["count"] for event in _found(stage)] == [2]


def test_events_of_what_has_no_namespace_are_in_the_default_one() -> None:
    stage, _, recorder = _stage()
    node = stage.store.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    recorder.event(node, NORMAL, "Good", "text")
    (event,) = _found(stage)
    assert event["metadata"]["namespace"] == "default"
    assert "namespace" not in event["involvedObject"]


def test_nothing_is_written_into_a_namespace_that_is_not_there() -> None:
    stage, pod, recorder = _stage()
    lost = {**pod, "metadata": {**pod["metadata"], "namespace": "nowhere"}}
    recorder.event(lost, NORMAL, "Good", "text")
    assert _found(stage) == []
