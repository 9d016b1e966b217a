from __future__ import annotations

from typing import Any

from kubestage.objects.validation import rules
from kubestage.scheduler import event_recorder
from kubestage.scheduler.event_recorder import NORMAL, WARNING, EventRecorder
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from kubestage.testing import make_namespace, make_pod

Json = dict[str, Any]

EVENT = ("v1", "Event")
MINUTE = 60 * 1_000_000_000


def stage() -> tuple[Store, EventRecorder, Json]:
    store = Store(Clock(), Streams(0))
    return store, EventRecorder(store), store.create(make_pod("web"))


def fail(recorder: EventRecorder, pod: Json, note: str = "no room") -> None:
    recorder.record(pod, WARNING, "FailedScheduling", "Scheduling", note, "default-scheduler")


def events(store: Store) -> list[Json]:
    return list(store.read(EVENT).values())


def test_it_writes_what_the_api_would_have_stored() -> None:
    store, recorder, pod = stage()
    recorder.record(pod, NORMAL, "Scheduled", "Binding", "Successfully assigned", "mine")
    written = events(store)[0]
    assert rules.validate_create(written) == []
    twin = Store(Clock(), Streams(0))
    twin.create(make_pod("web"))
    metadata = {key: written["metadata"][key] for key in ("name", "namespace")}
    created = twin.create({**written, "metadata": metadata})
    assert created == written
    assert written["metadata"]["name"] == f"web.{store.clock.unix_ns:x}"
    assert written["reportingComponent"] == "mine"
    assert written["eventTime"] == "2026-01-01T00:00:00.000000Z"


def test_repetitions_within_six_minutes_are_one_event_that_counts() -> None:
    store, recorder, pod = stage()
    for _ in range(3):
        fail(recorder, pod)
        store.clock.now_ns += 5 * MINUTE
    assert [event["series"]["count"] for event in events(store)] == [3]
    store.clock.now_ns += 5 * MINUTE
    fail(recorder, pod)
    assert len(events(store)) == 2


def test_another_version_of_the_object_begins_another_event() -> None:
    store, recorder, pod = stage()
    fail(recorder, pod)
    fail(recorder, {**pod, "metadata": {**pod["metadata"], "resourceVersion": "99"}})
    names = [event["metadata"]["name"] for event in events(store)]
    assert len(set(names)) == 2


def test_an_event_that_somebody_deleted_is_written_anew() -> None:
    store, recorder, pod = stage()
    fail(recorder, pod)
    store.delete(EVENT, events(store)[0]["metadata"]["name"], "default")
    fail(recorder, pod)
    assert len(events(store)) == 1
    assert "series" not in events(store)[0]


def test_a_namespace_that_is_ending_takes_no_events() -> None:
    store, recorder, _ = stage()
    store.create(make_namespace("shop"))
    guarded = make_pod("web", namespace="shop")
    guarded["metadata"]["finalizers"] = ["example.com/wait"]
    pod = store.create(guarded)
    store.delete(("v1", "Namespace"), "shop")
    fail(recorder, pod)
    assert events(store) == []


def test_subscribers_hear_of_events() -> None:
    store, recorder, pod = stage()
    heard: list[str] = []
    store.subscribe(lambda change: heard.append(change.kind.kind))
    fail(recorder, pod)
    fail(recorder, pod)
    assert heard == ["Event", "Event"]


def test_a_long_note_is_cut_by_bytes() -> None:
    assert event_recorder.shortened("x" * 1024) == "x" * 1024
    assert event_recorder.shortened("x" * 1025) == "x" * 1020 + " ..."
    assert event_recorder.shortened("é" * 600) == "é" * 510 + " ..."
