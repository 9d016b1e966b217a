"""All attempts of a run are kept, and the first ones are explained."""

from __future__ import annotations

import pickle

from kubestage import Stage
from kubestage.results.history.attempt_rows import AttemptRecorder
from kubestage.testing import make_node, make_pod


def recorded(nodes: int) -> AttemptRecorder:
    stage = Stage()
    scheduler = stage.add_scheduler(recording="none")
    recorder = AttemptRecorder(stage.clock, nodes)
    recorder.attach(scheduler.record)
    stage.apply([make_node("a"), make_node("b")])
    stage.apply([make_pod(f"p{number}", cpu="1m") for number in range(10)])
    stage.run("1s")
    recorder.close()
    stage.apply(make_pod("late"))
    stage.run("1s")
    return recorder


def test_all_are_kept_and_the_first_ones_are_explained() -> None:
    recorder = recorded(nodes=50)
    assert [row.decision.pod for row in recorder.rows] == [f"default/p{at}" for at in range(10)]
    explained = [row.explanation is not None for row in recorder.rows]
    # Two nodes and the attempt itself count for 22.
    assert explained == [True] * 3 + [False] * 7
    assert all(row.decision.node for row in recorder.rows)


def test_without_a_budget_nothing_is_explained() -> None:
    recorder = recorded(nodes=0)
    assert len(recorder.rows) == 10
    assert not any(row.packed for row in recorder.rows)


def test_attempts_are_found_by_pod_and_uid() -> None:
    recorder = recorded(nodes=0)
    [row] = recorder.attempts_at("default/p3")
    assert list(recorder.attempts_at("default/p3", row.uid)) == [row]
    assert list(recorder.attempts_at("default/p3", "another")) == []


def test_a_copy_of_a_stage_has_no_attempts() -> None:
    stage = Stage()
    scheduler = stage.add_scheduler(recording="none")
    recorder = AttemptRecorder(stage.clock)
    recorder.attach(scheduler.record)
    copy: Stage = pickle.loads(pickle.dumps(stage))
    copy.apply([make_node("a"), make_pod("p")])
    copy.run("1s")
    assert copy.store.get(("v1", "Pod"), "p", "default")["spec"]["nodeName"] == "a"
    assert recorder.rows == []
