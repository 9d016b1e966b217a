"""Every moment of a recorded cluster can be looked at again, and a stage can go on from it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from kubestage import Stage
from kubestage.results.history.cluster_history import ClusterHistory, HistoryLimits
from kubestage.testing import make_deployment, make_node
from kubestage.units import SECOND_NS


def lived(limits: HistoryLimits | None = None) -> tuple[Stage, ClusterHistory, dict[int, Any]]:
    """A stage that lived for a minute, its history, and what it held at each ten seconds."""
    stage = Stage()
    stage.add_scheduler(recording="none")
    stage.add_controllers()
    stage.apply([make_node("a"), make_node("b")])
    history = ClusterHistory(stage.store, stage.clock, limits)
    history.start()
    stage.run("1ms")
    stage.apply([make_deployment("web", replicas=3)])
    seen = {}
    for second in range(10, 70, 10):
        stage.run(5 * SECOND_NS)
        if second == 30:
            stage.store.delete(("v1", "Node"), "b")
        stage.run(5 * SECOND_NS)
        seen[stage.clock.unix_ns] = state(stage)
    return stage, history, seen


def state(stage: Stage) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (each.kind.group, each.kind.plural): dict(each.objects)
        for each in stage.store.collections()
        if each.kind.plural != "leases" and each.objects
    }


def recorded(history: ClusterHistory, unix_ns: int) -> dict[tuple[str, str], dict[str, Any]]:
    return {place: there for place, there in history.objects_at(unix_ns).items() if there}


def test_each_moment_is_as_it_was() -> None:
    _, history, seen = lived()
    for unix_ns, there in seen.items():
        assert recorded(history, unix_ns) == there
    assert history.changes
    assert history.forgotten == 0


def test_the_oldest_changes_are_folded_into_the_beginning() -> None:
    _, whole, seen = lived()
    _, history, _ = lived(HistoryLimits(most_changes=20))
    assert len(history.changes) <= 25
    assert history.end == whole.end
    assert history.forgotten > 0
    for unix_ns, there in seen.items():
        if unix_ns >= history.begin_ns:
            assert recorded(history, unix_ns) == there
    assert recorded(history, history.end_ns) == recorded(whole, whole.end_ns)


def test_changes_are_numbered_from_the_first_ever() -> None:
    _, history, _ = lived(HistoryLimits(most_changes=20))
    assert len(list(history.since(0))) == len(history.changes)
    assert [change for _, change in history.since(history.end - 2)] == history.changes[-2:]


def test_a_stage_goes_on_from_a_moment() -> None:
    stage, history, seen = lived()
    moment = sorted(seen)[1]
    again = Stage(past=history.past_at(moment), implicit_namespaces=False)
    assert again.clock.unix_ns == moment
    assert state(again) == seen[moment]
    again.add_scheduler(recording="none")
    again.add_controllers()
    again.run("1m")
    pods = again.store.read(("v1", "Pod")).values()
    assert [pod["status"]["phase"] for pod in pods] == ["Running"] * 3
    assert state(stage) == seen[max(seen)]


def test_a_copy_of_the_stage_does_not_carry_the_past() -> None:
    stage, history, _ = lived()
    with_history = len(pickle.dumps(stage))
    history.close()
    assert with_history - len(pickle.dumps(stage)) < 1000


def test_leases_are_left_out() -> None:
    stage, history, _ = lived()
    assert any(each.kind.plural == "leases" and each.objects for each in stage.store.collections())
    assert ("coordination.k8s.io", "leases") not in history.objects_at(history.end_ns)


@pytest.mark.parametrize("limits", [None, HistoryLimits(most_changes=20)])
def test_a_closed_history_stays_as_it_is(limits: HistoryLimits | None) -> None:
    stage, history, _ = lived(limits)
    history.close()
    before = len(history.changes)
    stage.run("10m")
    assert len(history.changes) == before


def test_what_takes_too_much_memory_is_folded_a_little_at_a_time() -> None:
    stage, history, _ = lived(HistoryLimits(most_bytes=20_000))
    assert history.forgotten > 0
    assert 0 < history.size <= 20_000
    before = len(history.changes)
    large = {"metadata": {"name": "large", "namespace": "default"}, "data": {"a": "x" * 50_000}}
    stage.store.create({"apiVersion": "v1", "kind": "ConfigMap", **large})
    # A state that is current takes nothing; as soon as it is past, it is too much.
    assert len(history.changes) >= before
    stage.store.patch(("v1", "ConfigMap"), "large", {"data": {"a": "y"}})
    assert history.changes == []
    assert history.size == 0
    assert recorded(history, history.end_ns) == state(stage)


def test_folding_does_few_changes_at_once() -> None:
    stage = Stage()
    history = ClusterHistory(stage.store, stage.clock, HistoryLimits(most_changes=5_000))
    history.start()
    body = {"apiVersion": "v1", "kind": "ConfigMap"}
    for number in range(6_000):
        before = history.forgotten
        stage.store.create({**body, "metadata": {"name": f"c{number}", "namespace": "default"}})
        assert history.forgotten - before <= 256
        assert len(history.changes) <= 5_256
    assert history.end == 6_000
    assert recorded(history, history.end_ns) == state(stage)


def test_what_could_not_be_stored_is_taken_back() -> None:
    stage, history, _ = lived(HistoryLimits(most_bytes=1 << 20))
    before, revision = recorded(history, history.end_ns), stage.store.revision
    count, size = len(history.changes), history.size
    stage.apply([make_node("c"), make_deployment("other", replicas=1)])
    stage.run("1s")
    assert len(history.changes) > count
    history.take_back(revision)
    assert (len(history.changes), len(history.times), history.size) == (count, count, size)
    assert recorded(history, history.end_ns) == before


def test_a_calendar_that_is_set_back_begins_the_history_again() -> None:
    stage, history, _ = lived()
    history.note("action", "x", "y")
    stage.environment.restart(history.begin_ns - 10**9)
    stage.apply([make_node("c")])
    assert history.times == sorted(history.times)
    assert history.begin_ns == stage.clock.unix_ns
    assert not history.notes
    assert recorded(history, history.end_ns) == state(stage)


def test_a_moment_can_be_computed_after_its_changes_were_forgotten() -> None:
    stage, history, _ = lived(HistoryLimits(most_changes=20))
    moment, there = history.moment_at(history.end_ns), recorded(history, history.end_ns)
    stage.store.delete(("apps/v1", "Deployment"), "web")
    stage.run("1m")
    stage.apply([make_deployment("more", replicas=9)])
    stage.run("1m")
    assert moment.unix_ns < history.begin_ns
    assert {place: found for place, found in moment.objects().items() if found} == there
