from __future__ import annotations

import pickle

import msgspec

from kubestage import Stage
from kubestage.scheduler.record import Record, Recording
from kubestage.testing import make_node, make_pod
from tests.scheduler.rehearsals import Rehearsal


def crowded(level: Recording) -> Rehearsal:
    run = Rehearsal(make_node("n1", cpu="1"), make_node("n2", cpu="3"), recording=level)
    for name in "abc":
        run.add_pod(name, cpu="2")
    return run


def test_nothing_is_kept_unless_asked_for() -> None:
    run = crowded(Recording.NONE)
    run.run(1)
    record = run.scheduler.record
    assert (record.decisions, record.explanations, record.lines()) == ([], {}, b"")


def test_a_decision_is_one_row() -> None:
    run = crowded(Recording.DECISIONS)
    run.run(1)
    record = run.scheduler.record
    first, second, _ = record.decisions
    assert first == (1, 1, "default/a", "default-scheduler", "scheduled", "n2", 2, 1, "")
    assert (second.number, second.result, second.node, second.feasible) == (
        2, "unschedulable", "", 0,
    )  # fmt: skip
    assert second.message == run.condition("b")["message"]
    assert record.explanations == {}


def test_the_rows_are_lines_of_json() -> None:
    run = crowded(Recording.DECISIONS)
    run.run(1)
    lines = run.scheduler.record.lines().splitlines()
    first = msgspec.json.decode(lines[0])
    assert (len(lines), first["pod"], first["at_ns"]) == (3, "default/a", 1)


def test_in_full_every_verdict_is_told() -> None:
    run = crowded(Recording.FULL)
    run.run(1)
    told = run.scheduler.record.explanations
    assert told[1]["filter"]["n1"]["NodeResourcesFit"]["reasons"] == ["Insufficient cpu"]
    assert told[1]["selected"] == "n2"
    assert told[2]["preemption"]["victims"] == []
    assert len(run.scheduler.record.decisions) == 3


def test_one_decision_can_be_explained_by_running_again_from_a_copy() -> None:
    run = crowded(Recording.DECISIONS)
    before = pickle.dumps(run)
    run.run(1)
    again: Rehearsal = pickle.loads(before)
    again.scheduler.record.explain_at(2)
    again.run(1)
    assert list(again.scheduler.record.explanations) == [2]
    told = again.scheduler.record.explanations[2]
    assert told["message"] == run.scheduler.record.decisions[1].message
    in_full = crowded(Recording.FULL)
    in_full.run(1)
    assert told == in_full.scheduler.record.explanations[2]
    assert again.scheduler.record.lines() == run.scheduler.record.lines()


def test_a_record_says_what_it_explains() -> None:
    record = Record(Recording.DECISIONS)
    assert not record.explains(3)
    record.explain_at(3)
    assert record.explains(3)
    assert Record(Recording.FULL).explains(1)


class Heard:
    """A follower that notes whether attempts come with explanations."""

    def __init__(self) -> None:
        self.explained: list[bool] = []

    def attempted(self, decision: object, attempt: object, explained: object) -> None:
        self.explained.append(explained is not None)


def test_followers_get_explanations_only_if_they_ask_for_them() -> None:
    stage = Stage()
    record = stage.add_scheduler(recording="none").record
    stage.apply([make_node("a"), make_node("b")])
    brief, full = Heard(), Heard()
    record.follow(brief, in_full=False)
    stage.apply(make_pod("first", cpu="1m"))
    stage.run("1s")
    record.follow(full)
    stage.apply(make_pod("second", cpu="1m"))
    stage.run("1s")
    record.unfollow(full)
    record.unfollow(brief)
    stage.apply(make_pod("third", cpu="1m"))
    stage.run("1s")
    assert (brief.explained, full.explained) == ([False, False], [True])
    assert record.explanations == {}
