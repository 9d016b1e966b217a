from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.event_ttl import EventTTLController
from kubestage.controllers.settings import Settings
from kubestage.objects import gvk
from kubestage.store.event_recorder import NORMAL, EventRecorder
from tests.controllers.stages import events, stage_with
from tests.store.samples import config_map

if TYPE_CHECKING:
    from kubestage.stage import Stage
    from kubestage.store.log import Change


def _stage() -> Stage:
    stage = stage_with(EventTTLController)
    stage.run("1s")
    return stage


def _tell(stage: Stage, recorder: EventRecorder, message: str) -> None:
    recorder.event(config_map("a"), NORMAL, "Told", message)


def test_events_are_forgotten_an_hour_after_they_were_last_written() -> None:
    stage = _stage()
    recorder = EventRecorder(stage.store, "test")
    _tell(stage, recorder, "once")
    _tell(stage, recorder, "again")
    stage.run("30m")
    _tell(stage, recorder, "again")
    stage.run("29m")
    assert [message for _, message, _ in events(stage)] == ["once", "again"]
    stage.run("3m")
    assert [message for _, message, _ in events(stage)] == ["again"]
    stage.run("30m")
    assert events(stage) == []


def test_events_of_a_minute_cost_one_look() -> None:
    stage = _stage()
    recorder = EventRecorder(stage.store, "test")
    for number in range(30):
        recorder.event(config_map(f"c{number}"), NORMAL, "Told", "something")
        stage.run("1s")
    stage.run("2h")
    assert events(stage) == []
    assert stage.controllers is not None
    assert stage.controllers.syncs == 1


def test_how_long_events_are_kept_can_be_set() -> None:
    stage = stage_with(EventTTLController, settings=Settings(event_ttl_ns=60_000_000_000))
    stage.run("1s")
    _tell(stage, EventRecorder(stage.store, "test"), "once")
    stage.run("59s")
    assert events(stage)
    stage.run("10s")
    assert not events(stage)


def test_an_event_that_somebody_deletes_is_no_trouble() -> None:
    stage = _stage()
    _tell(stage, EventRecorder(stage.store, "test"), "once")
    stage.store.delete_collection(("v1", "Event"), "default")
    stage.run("2h")
    assert events(stage) == []


def test_an_event_with_a_finalizer_waits_for_it() -> None:
    stage = _stage()
    _tell(stage, EventRecorder(stage.store, "test"), "once")
    [(key, event)] = stage.store.read(gvk.EVENT).items()
    metadata = {**event["metadata"], "finalizers": ["example.com/wait"]}
    stage.store.record_metadata(gvk.EVENT, key, metadata)
    stage.run("2h")
    [left] = stage.store.read(gvk.EVENT).values()
    assert "deletionTimestamp" in left["metadata"]


def test_an_event_that_expires_is_deleted_as_by_a_request() -> None:
    changes: list[list[tuple[object, ...]]] = [[], []]
    for seen, is_request in zip(changes, (False, True), strict=True):
        stage = _stage()
        _tell(stage, EventRecorder(stage.store, "test"), "once")
        [(key, event)] = stage.store.read(gvk.EVENT).items()

        def see(change: Change, seen: list[tuple[object, ...]] = seen) -> None:
            seen.append((change.revision, change.type, change.key, change.new, change.old))

        stage.store.subscribe(see)
        if is_request:
            stage.store.delete(gvk.EVENT, event["metadata"]["name"], "default")
        else:
            stage.store.expire_events([key], int(event["metadata"]["resourceVersion"]))
    assert changes[0] == changes[1] != []


def test_an_event_that_comes_again_by_its_name_is_kept_for_its_own_hour() -> None:
    stage = _stage()
    _tell(stage, EventRecorder(stage.store, "test"), "once")
    [(key, event)] = stage.store.read(gvk.EVENT).items()
    stage.run("30m")
    namespace, _, name = key.partition("/")
    stage.store.delete(gvk.EVENT, name, namespace)
    stage.store.create({**event, "metadata": {"name": name, "namespace": namespace}})
    stage.run("40m")
    assert list(stage.store.read(gvk.EVENT)) == [key]
    stage.run("30m")
    assert not stage.store.read(gvk.EVENT)
