from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
from hypothesis import strategies as st

from kubestage.objects import labels
from kubestage.objects.affinity import AffinityTerm
from kubestage.objects.views import node as node_views
from kubestage.scheduler import columns
from kubestage.scheduler.pod_counters import PodCounters, Question
from tests.scheduler.plugins import clusters, crowds

if TYPE_CHECKING:
    import pytest

WEB = AffinityTerm(
    labels.selector_from_set({"app": "web"}), frozenset({"red"}), labels.NOTHING, crowds.ZONE
)
ANY = AffinityTerm(labels.EVERYTHING, frozenset(), labels.EVERYTHING, crowds.ZONE)


def two_zones() -> Any:
    return clusters.columns(
        [clusters.node(name, labels={crowds.ZONE: name[0]}) for name in ("a1", "a2", "b1")]
        + [clusters.node("nowhere")]
    )


def web(name: str, **parts: Any) -> Any:
    return crowds.pod(name, labels={"app": "web"}, **parts)


def test_pods_are_counted_by_value_of_the_label_and_those_without_it_last() -> None:
    over = two_zones()
    for row, name in enumerate(["1", "2", "3", "4"]):
        over.add_pod(row, web(name))
    counter = over.counters.answer(Question((WEB,), crowds.ZONE))
    assert counter.counts.tolist() == [2, 1, 1]
    assert counter.placed == 3


def test_without_a_key_pods_are_counted_by_node() -> None:
    over = two_zones()
    over.add_pod(1, web("1"))
    over.add_pod(1, web("2"))
    assert over.counters.answer(Question((WEB,))).counts.tolist() == [0, 2, 0, 0]


def test_an_answer_follows_pods_that_come_and_go() -> None:
    over = two_zones()
    counter = over.counters.answer(Question((WEB,), crowds.ZONE))
    over.add_pod(0, web("1"))
    over.add_pod(2, web("2"))
    over.add_pod(2, crowds.pod("db", labels={"app": "db"}))
    assert counter.counts.tolist() == [1, 1, 0]
    over.remove_pod(0, "1")
    assert counter.counts.tolist() == [0, 1, 0]
    assert counter.placed == 1


def test_terminating_pods_count_unless_they_are_left_out() -> None:
    over = two_zones()
    over.add_pod(0, web("1", metadata={"deletionTimestamp": "2026-06-01T00:00:00Z"}))
    over.add_pod(0, web("2"))
    assert over.counters.answer(Question((WEB,))).counts[0] == 2
    assert over.counters.answer(Question((WEB,), None, True)).counts[0] == 1


def test_a_node_that_moves_to_another_zone_takes_its_pods_along() -> None:
    over = two_zones()
    over.add_pod(0, web("1"))
    question = Question((WEB,), crowds.ZONE)
    assert over.counters.answer(question).counts.tolist() == [1, 0, 0]
    over.update_node(0, node_views.of(clusters.node("a1", labels={crowds.ZONE: "c"})))
    assert over.counters.answer(question).counts.tolist() == [0, 0, 1, 0]


def test_too_many_answers_are_dropped_and_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_MAX_CELLS", 5)
    over = two_zones()
    over.add_pod(0, web("1"))
    questions = [Question((WEB,)), Question((WEB,), crowds.ZONE), Question((ANY,))]
    for _ in range(2):
        for question in questions:
            over.trim()
            assert over.counters.answer(question).counts[0] == 1
            assert over.cells.used <= 10
    over.add_pod(0, web("2"))
    assert [int(over.counters.answer(question).counts[0]) for question in questions] == [2, 2, 2]


@hypothesis.given(crowds.histories(crowds.SOCIABLE), st.booleans())
def test_an_old_answer_equals_a_new_one(history: Any, without_terminating: bool) -> None:
    questions = [
        Question(terms, key, without_terminating)
        for terms in ((WEB,), (ANY,), (ANY, WEB))
        for key in (None, crowds.ZONE, crowds.HOST)
    ]
    for over, _ in crowds.play(history):
        fresh = PodCounters(over)
        for question in questions:
            known, new = over.counters.answer(question), fresh.answer(question)
            assert known.counts.tolist() == new.counts.tolist()
            assert known.placed == new.placed
