from __future__ import annotations

from typing import Any

import hypothesis

from kubestage.scheduler.stated_terms import Stance, StatedTerms
from tests.scheduler.plugins import clusters, crowds

WEB = crowds.term(crowds.app("web"))
HOSTILE = {"podAntiAffinity": {crowds.REQUIRED: [WEB]}}
FRIENDLY = {
    "podAffinity": {
        crowds.REQUIRED: [WEB],
        crowds.PREFERRED: [{"weight": 3, "podAffinityTerm": WEB}],
    },
    "podAntiAffinity": {crowds.PREFERRED: [{"weight": 4, "podAffinityTerm": WEB}]},
}


def columns() -> Any:
    return clusters.columns([clusters.node("a", labels={crowds.ZONE: "a"}), clusters.node("b")])


def told(terms: StatedTerms, pod: Any, labels: dict[str, str]) -> list[Any]:
    found = [*terms.refusing(pod, labels), *terms.scoring(pod, labels)]
    return sorted(
        (each.stance.value, str(each.term), each.counter.counts.tolist())
        for each in found
        if each.counter.counts.any()
    )


def test_terms_are_found_by_the_pod_they_speak_of() -> None:
    over = columns()
    over.add_pod(0, crowds.pod("1", affinity=HOSTILE))
    web = crowds.pod("new", labels={"app": "web"})
    (found,) = over.stated_terms.refusing(web, {})
    assert found.stance is Stance.REFUSES
    assert found.counter.counts.tolist() == [1, 0]
    assert not list(over.stated_terms.refusing(crowds.pod("new", labels={"app": "db"}), {}))
    assert not list(over.stated_terms.refusing(crowds.pod("new", "blue", {"app": "web"}), {}))


def test_everything_but_required_anti_affinity_bears_on_scores() -> None:
    over = columns()
    over.add_pod(0, crowds.pod("1", affinity=FRIENDLY))
    found = list(over.stated_terms.scoring(crowds.pod("new", labels={"app": "web"}), {}))
    assert [(each.stance, each.term.weight) for each in found] == [
        (Stance.REQUIRES, 0),
        (Stance.LIKES, 3),
        (Stance.DISLIKES, 4),
    ]
    assert not over.stated_terms.refuse_any


def test_terms_go_with_the_last_pod_that_states_them() -> None:
    over = columns()
    assert not over.stated_terms.refuse_any
    for name in ("1", "2"):
        over.add_pod(0, crowds.pod(name, affinity={**FRIENDLY, **HOSTILE}))
    over.remove_pod(0, "1")
    assert over.stated_terms.refuse_any
    assert over.stated_terms.score_any
    over.remove_pod(0, "2")
    assert not over.stated_terms.refuse_any
    assert not over.stated_terms.score_any


@hypothesis.given(crowds.histories(crowds.SOCIABLE))
def test_terms_kept_over_time_equal_those_collected_anew(history: Any) -> None:
    for over, incoming in crowds.play(history):
        kept, fresh = over.stated_terms, StatedTerms(over)
        for namespace_labels in ({}, {"env": "prod"}):
            expected = told(fresh, incoming, namespace_labels)
            assert told(kept, incoming, namespace_labels) == expected
