from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from kubestage.objects.validation import rules
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.event_recorder import NORMAL, WARNING, SeriesRecorder
from kubestage.store.store import Store
from kubestage.testing import make_namespace, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

EVENT = ("v1", "Event")
MINUTE = 60 * 1_000_000_000


def stage() -> tuple[Store, SeriesRecorder, Json]:
    store = Store(Clock(), Streams(0))
    return store, SeriesRecorder(store), store.create(make_pod("web"))


def _event() -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "web"},
        "reason": "Seen",
    }


def fail(recorder: SeriesRecorder, pod: Json, note: str = "no room") -> None:
    recorder.event(pod, WARNING, "FailedScheduling", "Scheduling", note, "default-scheduler")


def events(store: Store) -> list[Json]:
    return list(store.read(EVENT).values())


def test_it_writes_what_the_api_would_have_stored() -> None:
    store, recorder, pod = stage()
    recorder.event(pod, NORMAL, "Scheduled", "Binding", "Successfully assigned", "mine")
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


def test_fields_are_in_the_order_in_which_they_are_documented() -> None:
    store, recorder, pod = stage()
    recorder.event(pod, NORMAL, "Scheduled", "Binding", "Successfully assigned", "mine")
    written = events(store)[0]
    assert list(written) == [
        *("apiVersion", "kind", "metadata", "involvedObject", "reason", "message", "source"),
        *("firstTimestamp", "lastTimestamp", "type", "eventTime", "action"),
        *("reportingComponent", "reportingInstance"),
    ]
    assert list(written["metadata"]) == [
        *("name", "namespace", "uid", "creationTimestamp", "resourceVersion")
    ]
    assert list(written["involvedObject"].items()) == [
        ("kind", "Pod"),
        ("namespace", "default"),
        ("name", "web"),
        ("uid", pod["metadata"]["uid"]),
        ("apiVersion", "v1"),
        ("resourceVersion", pod["metadata"]["resourceVersion"]),
    ]


def test_events_of_one_sort_have_nothing_in_common_but_the_sort() -> None:
    store, recorder, pod = stage()
    other = store.create(make_pod("db"))
    recorder.event(pod, NORMAL, "Scheduled", "Binding", "first", "mine")
    store.clock.now_ns += 1_500_000_000
    recorder.event(other, NORMAL, "Scheduled", "Binding", "second", "mine")
    recorder.event(other, NORMAL, "Waiting", "Binding", "third", "yours")
    told = [
        (
            each["involvedObject"]["name"],
            each["message"],
            each["reason"],
            each["reportingInstance"],
            each["metadata"]["creationTimestamp"],
            each["eventTime"],
        )
        for each in events(store)
    ]
    first, second = "2026-01-01T00:00:00", "2026-01-01T00:00:01"
    assert told == [
        ("web", "first", "Scheduled", "mine-kubestage", f"{first}Z", f"{first}.000000Z"),
        ("db", "second", "Scheduled", "mine-kubestage", f"{second}Z", f"{second}.500000Z"),
        ("db", "third", "Waiting", "yours-kubestage", f"{second}Z", f"{second}.500000Z"),
    ]
    assert len({each["metadata"]["uid"] for each in events(store)}) == 3


def test_a_name_that_somebody_took_is_passed_over() -> None:
    store, recorder, pod = stage()
    number = store.clock.unix_ns
    store.create({**_event(), "metadata": {"name": f"web.{number:x}", "namespace": "default"}})
    recorder.event(pod, NORMAL, "Scheduled", "Binding", "note", "mine")
    assert [each["metadata"]["name"] for each in events(store)] == [
        f"web.{number:x}",
        f"web.{number + 1:x}",
    ]


def test_a_copy_goes_on_as_the_original() -> None:
    store, recorder, pod = stage()
    recorder.event(pod, NORMAL, "Scheduled", "Binding", "note", "mine")
    copied_store, copied = pickle.loads(pickle.dumps((store, recorder)))
    for each in (recorder, copied):
        each.event(pod, NORMAL, "Scheduled", "Binding", "another", "mine")
    assert events(copied_store) == events(store)


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
