"""Marks: which changes have one, that several are one, and that they can be read bit by bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.objects import kinds
from kubestage.results.history import mark_rules
from kubestage.results.history.cluster_history import HistoryLimits
from kubestage.results.history.mark_rules import MarkRules
from kubestage.results.history.marks import HistoryMarks
from kubestage.store.log import ADDED, DELETED, MODIFIED, Change
from tests.results.history import lives

if TYPE_CHECKING:
    from kubestage.results.history.marks import HistoryMark

TABLE = kinds.KindTable()


def read(marks: HistoryMarks, after: int | None = None) -> list[HistoryMark]:
    for _ in marks.catch_up():
        pass
    return marks.since(after).merged()


def kept(marks: list[HistoryMark]) -> dict[tuple[int, str], tuple[Any, ...]]:
    return {
        (each.unix_ns, each.kind): (each.subject, each.text, each.severity, each.count)
        for each in marks
    }


@settings(max_examples=25, deadline=None)
@given(
    turns=st.lists(st.lists(st.sampled_from((*lives.STEPS, "note")), max_size=5), max_size=5),
    most=st.sampled_from([None, 30]),
)
def test_marks_that_are_read_bit_by_bit_are_those_of_the_whole(
    turns: list[list[str]], most: int | None
) -> None:
    stage, history = lives.recorded(HistoryLimits(most_changes=most))
    live, found, sequence = HistoryMarks(history), dict[tuple[int, str], Any](), None
    for steps in turns:
        for step in steps:
            if step == "note":
                history.note("action", "pod/x", "did something")
            else:
                lives.live(stage, [step])
        if sequence is not None and sequence < history.forgotten:
            found, sequence = {}, None
        found |= kept(read(live, sequence))
        sequence = live.end
    found |= kept(read(live, sequence if sequence and sequence >= history.forgotten else None))
    if history.forgotten == 0:
        assert found == kept(read(HistoryMarks(history)))
    assert kept(read(live)).items() <= found.items()


def test_a_life_has_its_marks() -> None:
    stage, history = lives.recorded()
    steps = ["deploy", "wait", "wait", "scale", "wait", "roll out", "wait", "wait", "big pod"]
    lives.live(stage, [*steps, "wait", "node", "wait", "drop node", "wait"])
    texts: dict[str, list[str]] = {}
    for each in read(HistoryMarks(history)):
        texts.setdefault(each.kind, []).append(each.text)
    assert texts["rescale"] == ["Deployment default/web scaled from 2 to 3"]
    assert texts["rollout"] == [
        "Deployment default/web: rollout of its pod template",
        "Deployment default/web: rollout complete",
    ]
    assert texts["node-group"] == ["node n10 added", "node a removed"]
    (waits,) = texts["unschedulable"]
    assert waits.startswith("pod default/big8 is unschedulable: 0/2 nodes are available")


def test_many_of_one_kind_at_one_moment_are_one_mark() -> None:
    stage, history = lives.recorded()
    marks = HistoryMarks(history)
    lives.live(stage, ["node"])
    (first,) = read(marks)
    assert (first.subject, first.text, first.count) == ("node/n0", "node n0 added", 1)
    sequence = marks.end
    lives.live(stage, ["pod", "node", "node", "drop node"])
    (grown,) = read(marks, sequence)
    assert (grown.unix_ns, grown.kind, grown.count) == (first.unix_ns, "node-group", 4)
    assert grown.text == "3 nodes added, 1 nodes removed"
    lives.live(stage, ["wait", "wait", "wait", "node"])
    assert [each.text for each in read(marks)] == [grown.text, "node n3 added"]


def test_notes_stand_among_marks_and_are_forgotten_with_changes() -> None:
    stage, history = lives.recorded(HistoryLimits(most_changes=40))
    marks = HistoryMarks(history)
    history.note("action", "deployment/default/web", "kubectl applied Deployment default/web")
    history.note("action", "node/a", "kubectl cordoned Node a")
    history.note("step", "scenario/s", "step 1")
    lives.live(stage, ["wait"])
    (step, action) = sorted(read(marks), key=lambda each: each.kind, reverse=True)
    assert (step.text, step.count) == ("step 1", 1)
    assert action.text == "kubectl applied Deployment default/web; kubectl cordoned Node a"
    assert (action.subject, action.count) == ("deployment/default/web", 2)
    lives.live(stage, ["deploy", *["scale", "wait"] * 8])
    assert history.forgotten
    assert not history.notes
    assert all(each.unix_ns >= history.begin_ns for each in read(marks))


def change(kind: str, old: Any, new: Any, name: str = MODIFIED) -> Change:
    row = next(each for each in TABLE if each.kind == kind)
    defaults = {"metadata": {"name": "x", "namespace": "d"}, "spec": {}, "kind": kind}
    return Change(
        2, name, row, "d/x", {**defaults, **(new or {})}, None if old is None else defaults | old
    )


def ready(status: str) -> Any:
    return {"status": {"conditions": [{"type": "Ready", "status": status}]}}


def container(**more: Any) -> Any:
    return {"status": {"phase": "Running", "containerStatuses": [{"name": "c", **more}]}}


def ended(reason: str, **more: Any) -> Any:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": reason}
    return {"status": {"phase": "Failed", "conditions": [condition], **more}}


WAITING = container(state={"waiting": {"reason": "CrashLoopBackOff"}})
EVENT = {"involvedObject": {"kind": "Job", "namespace": "d", "name": "j"}, "message": "m"}


@pytest.mark.parametrize(
    ("made", "kind", "text", "severity"),
    [
        (change("Node", ready("True"), ready("False")), "failure", "node d/x is not Ready", "bad"),
        (
            change("Pod", {}, ended("PreemptionByScheduler")),
            "preemption",
            "pod d/x preempted",
            "warning",
        ),
        (
            change("Pod", {}, ended("DeletionByTaintManager")),
            "eviction",
            "pod d/x evicted: TaintManagerEviction",
            "warning",
        ),
        (
            change("Pod", container(restartCount=1), container(restartCount=2)),
            "restart",
            "pod d/x: a container restarted",
            "warning",
        ),
        (change("Pod", {}, WAITING), "failure", "pod d/x: container c: CrashLoopBackOff", "bad"),
        (
            change("Pod", {}, container(state={"terminated": {"exitCode": 3}})),
            "failure",
            "pod d/x: container c: Error (exit code 3)",
            "bad",
        ),
        (
            change("Event", None, EVENT | {"type": "Warning", "reason": "Late"}, ADDED),
            "failure",
            "Job d/j: Late: m",
            "warning",
        ),
        (
            change("Event", None, EVENT | {"reason": "EvictedByVPA"}, ADDED),
            "rescale",
            "Job d/j: EvictedByVPA: m",
            "info",
        ),
        (
            change("Scenario", {"status": {"step": 1}}, {"status": {"step": 2}}),
            "step",
            "Scenario d/x: step 2 begins",
            "info",
        ),
        (
            change("StatefulSet", {"spec": {"replicas": 1}}, {"spec": {"replicas": 4}}),
            "rescale",
            "StatefulSet d/x scaled from 1 to 4",
            "info",
        ),
    ],
)
def test_what_is_worth_a_mark(made: Change, kind: str, text: str, severity: str) -> None:
    found = next(iter(MarkRules().of(made)))
    assert (found.kind, found.text, found.severity) == (kind, text, severity)
    assert found.kind in mark_rules.KINDS


@pytest.mark.parametrize(
    "made",
    [
        change("Node", ready("False"), ready("True")),
        change("Pod", WAITING, WAITING | {"metadata": {"name": "x", "labels": {}}}),
        change("Pod", {}, {}, DELETED),
        change("Event", None, EVENT | {"type": "Warning", "reason": "FailedScheduling"}, ADDED),
        change("Event", {}, EVENT | {"type": "Warning", "reason": "Late"}),
        change("Scenario", {"status": {"step": 2}}, {"status": {"step": 2}}),
        change("ConfigMap", {}, {}),
    ],
)
def test_what_is_not(made: Change) -> None:
    assert not list(MarkRules().of(made))


def test_a_node_that_comes_back_has_a_mark_and_a_new_one_has_not() -> None:
    rules = MarkRules()
    assert not list(rules.of(change("Node", ready("False"), ready("True"))))
    assert list(rules.of(change("Node", ready("True"), ready("Unknown"))))
    (found,) = rules.of(change("Node", ready("Unknown"), ready("True")))
    assert (found.text, found.severity) == ("node d/x is Ready again", "info")
