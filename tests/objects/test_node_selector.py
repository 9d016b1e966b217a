"""Node selectors: recorded cases, and what holds for every selector."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import node_selector
from kubestage.objects.labels import SelectorError
from tests.golden import vectors

EXPRESSIONS = st.fixed_dictionaries(
    {
        "key": st.sampled_from(("zone", "disk", "cpu")),
        "operator": st.sampled_from(("In", "NotIn")),
        "values": st.lists(st.sampled_from(("a", "b", "8")), min_size=1, max_size=2),
    }
)
TERMS = st.fixed_dictionaries({"matchExpressions": st.lists(EXPRESSIONS, max_size=2)})
NODE_LABELS = st.dictionaries(
    st.sampled_from(("zone", "disk", "cpu")), st.sampled_from(("a", "b", "8"))
)


def _matches(compiled: Any, nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = []
    for node in nodes:
        try:
            answers.append({"match": compiled.match_node(node)})
        except SelectorError as error:
            answers.append({"match": False, "error": str(error)})
    return answers


def _answer(op: str, given_in: dict[str, Any]) -> Any:
    nodes = given_in["nodes"]
    if op == "preferredSchedulingTerms":
        terms = node_selector.preferred(given_in["terms"])
        return {"scores": [terms.score_node(node) for node in nodes]}
    if op == "requiredNodeAffinity":
        return {"matches": _matches(node_selector.required_of(given_in["podSpec"]), nodes)}
    answer: dict[str, Any] = {}
    try:
        node_selector.parse(given_in["nodeSelector"])
    except SelectorError as error:
        answer["parseError"] = str(error)
    answer["matches"] = _matches(node_selector.lazy(given_in["nodeSelector"]), nodes)
    return answer


@pytest.mark.parametrize("op", ["nodeSelector", "requiredNodeAffinity", "preferredSchedulingTerms"])
def test_recorded_node_selectors_agree_with_the_scheduler(op: str) -> None:
    wrong = []
    entries = vectors.load("selectors", op)
    for entry in entries:
        try:
            answer = {"out": _answer(op, entry["in"])}
        except SelectorError as error:
            answer = {"error": str(error)}
        if answer != {key: entry[key] for key in ("out", "error") if key in entry}:
            wrong.append(entry["id"])
    assert entries
    assert not wrong


@given(st.lists(TERMS, max_size=3), NODE_LABELS)
def test_the_order_of_terms_does_not_matter(
    terms: list[dict[str, Any]], node_labels: dict[str, str]
) -> None:
    answers = {
        node_selector.parse({"nodeSelectorTerms": list(order)}).matches("n", node_labels)
        for order in itertools.permutations(terms)
    }
    assert len(answers) == 1


@given(st.lists(st.tuples(st.integers(1, 100), TERMS), max_size=3), NODE_LABELS)
def test_the_score_is_the_sum_of_single_scores(
    terms: list[tuple[int, dict[str, Any]]], node_labels: dict[str, str]
) -> None:
    items = [{"weight": weight, "preference": term} for weight, term in terms]
    singles = [node_selector.preferred([item]).score("n", node_labels) for item in items]
    assert node_selector.preferred(items).score("n", node_labels) == sum(singles)


def test_a_malformed_term_is_reported_only_when_no_other_matches() -> None:
    wrong = {"matchExpressions": [{"key": "cpu", "operator": "Bogus"}]}
    right = {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}
    selector = node_selector.lazy({"nodeSelectorTerms": [wrong, right]})
    assert selector.matches("n", {"zone": "a"})
    with pytest.raises(SelectorError, match=r'^nodeSelectorTerms\[0\].*"Bogus"'):
        selector.matches("n", {})


def test_errors_name_the_path_they_were_given() -> None:
    wrong = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": []}]}
    with pytest.raises(SelectorError) as caught:
        node_selector.parse({"nodeSelectorTerms": [wrong]}, "spec.affinity")
    where = "spec.affinity.nodeSelectorTerms[0].matchFields[0].values"
    assert str(caught.value) == f"{where}: Invalid value: []: must have one element"


def test_a_pod_without_demands_may_run_anywhere() -> None:
    assert node_selector.required_of({}) is node_selector.ANY_NODE
    assert node_selector.ANY_NODE.empty
    assert node_selector.ANY_NODE.match_node({"metadata": {"name": "n"}})
