from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import Expired
from kubestage.objects.kinds import KindTable
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.log import ADDED, MODIFIED, Change, Log
from kubestage.store.store import Store

KIND = KindTable().get("v1", "ConfigMap")


def change(revision: int, key: str = "ns/a", old: dict[str, Any] | None = None) -> Change:
    assert KIND is not None
    new = {"metadata": {"name": "a", "resourceVersion": str(revision)}}
    return Change(revision, MODIFIED if old else ADDED, KIND, key, new, old)


def filled(count: int, history: int) -> Log:
    log = Log(history, floor=1)
    for revision in range(2, count + 2):
        log.append(change(revision))
    return log


def test_changes_after_a_version_are_found() -> None:
    log = filled(5, history=100)
    position = log.position_after(4)
    assert [each.revision for each in log.since(position)] == [5, 6]


def test_a_version_in_the_future_has_nothing_after_it() -> None:
    log = filled(5, history=100)
    assert log.position_after(99) == log.end


def test_history_keeps_at_least_what_it_promises() -> None:
    log = filled(1_000, history=10)
    newest = log.since(log.position_after(1_001 - 10))
    assert [each.revision for each in newest] == list(range(992, 1_002))


def test_history_keeps_not_much_more() -> None:
    log = filled(1_000, history=100)
    assert log.floor > 1_001 - 130


def test_what_is_forgotten_is_refused_as_expired() -> None:
    log = filled(1_000, history=10)
    with pytest.raises(Expired, match=r"too old resource version: 3 \(\d+\)"):
        log.position_after(3)
    with pytest.raises(Expired):
        log.since(0)


def test_the_floor_itself_can_be_resumed_from() -> None:
    log = filled(1_000, history=10)
    following = log.since(log.position_after(log.floor))
    assert following[0].revision == log.floor + 1


def test_positions_stay_true_when_the_head_is_dropped() -> None:
    log = filled(50, history=10)
    position = log.end
    for revision in range(52, 56):
        log.append(change(revision))
    assert [each.revision for each in log.since(position)] == [52, 53, 54, 55]


def test_the_states_at_a_version_are_those_before_the_first_later_change() -> None:
    log = Log(100, floor=1)
    first = change(2, "ns/a")
    second = change(3, "ns/a", old=first.new)
    third = change(4, "ns/a", old=second.new)
    fresh = change(5, "ns/b")
    for each in (first, second, third, fresh):
        log.append(each)
    assert log.states_at(2) == {"ns/a": first.new, "ns/b": None}
    assert log.states_at(5) == {}


def test_events_are_built_once_for_all_watches() -> None:
    old = change(2).new
    later = change(3, old=old)
    assert later.event is later.event
    assert later.left is later.left
    assert later.left.object["metadata"]["resourceVersion"] == "3"
    assert old["metadata"]["resourceVersion"] == "2"


def test_a_change_shows_what_it_is() -> None:
    assert repr(change(7)) == "Change(7, ADDED, configmaps, ns/a)"


def test_before_a_cluster_began_there_was_nothing() -> None:
    first = 1_790_000_000_000
    store = Store(Clock(), Streams(1), first_revision=first)
    store.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    early = store.list(("v1", "ConfigMap"), resource_version="1", resource_version_match="Exact")
    assert early.items == []
    assert len(store.watch(("v1", "ConfigMap"), resource_version="1").poll()) == 1
    with pytest.raises(Expired):
        store.list(
            ("v1", "ConfigMap"), resource_version=str(first - 5), resource_version_match="Exact"
        )
