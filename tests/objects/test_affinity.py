"""Pod affinity terms and topology spread constraints."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import affinity, labels

WEB = {"matchLabels": {"app": "web"}}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _required(**term: Any) -> affinity.AffinityTerm:
    stated = {"podAffinity": {REQUIRED: [{"topologyKey": "zone", "labelSelector": WEB, **term}]}}
    (compiled,) = affinity.pod_affinity_of(stated, "own").required
    return compiled


@pytest.mark.parametrize(
    ("stated", "namespace", "namespace_labels", "expected"),
    [
        ({}, "own", {}, True),
        ({}, "other", {}, False),
        ({"namespaces": ["other"]}, "own", {}, False),
        ({"namespaces": ["other"]}, "other", {}, True),
        ({"namespaceSelector": {}}, "anything", {}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, "own", {}, False),
        ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, "own", {"team": "a"}, True),
        (
            {"namespaces": ["other"], "namespaceSelector": {"matchLabels": {"team": "a"}}},
            "other",
            {},
            True,
        ),
    ],
)
def test_a_term_speaks_of_its_namespaces(
    stated: dict[str, Any], namespace: str, namespace_labels: dict[str, str], expected: bool
) -> None:
    term = _required(**stated)
    assert term.matches(namespace, {"app": "web"}, namespace_labels) == expected
    assert not term.matches(namespace, {"app": "db"}, namespace_labels)


def test_a_term_without_a_selector_speaks_of_no_pod() -> None:
    assert not _required(labelSelector=None).matches("own", {"app": "web"}, {})


def test_all_four_lists_are_compiled() -> None:
    term = {"topologyKey": "zone", "labelSelector": WEB}
    side = {REQUIRED: [term], PREFERRED: [{"weight": 7, "podAffinityTerm": term}]}
    compiled = affinity.pod_affinity_of({"podAffinity": side, "podAntiAffinity": side}, "own")
    assert [item.weight for item in (*compiled.required, *compiled.required_anti)] == [0, 0]
    assert [item.weight for item in (*compiled.preferred, *compiled.preferred_anti)] == [7, 7]
    assert compiled.problems == ()


def test_a_malformed_list_is_empty_and_reported() -> None:
    wrong = {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Gt"}]}}
    right = {"topologyKey": "zone", "labelSelector": WEB}
    stated = {"podAffinity": {REQUIRED: [right, wrong]}, "podAntiAffinity": {REQUIRED: [right]}}
    compiled = affinity.pod_affinity_of(stated, "own")
    assert compiled.required == ()
    assert len(compiled.required_anti) == 1
    assert compiled.problems == (
        'requiredAffinityTerms: "Gt" is not a valid label selector operator',
    )


def test_a_pod_without_affinity_shares_one_empty_value() -> None:
    assert affinity.pod_affinity_of(None, "own") is affinity.NO_AFFINITY
    assert affinity.pod_affinity_of({"nodeAffinity": {}}, "own") is affinity.NO_AFFINITY


def test_spread_constraints_have_the_defaults_of_the_scheduler() -> None:
    stated = {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    (constraint,) = affinity.spread_constraints_of([stated])
    assert constraint == affinity.SpreadConstraint(
        2, "zone", affinity.DO_NOT_SCHEDULE, labels.NOTHING, 1, affinity.HONOR, affinity.IGNORE
    )


def test_match_label_keys_narrow_the_selector_to_the_pods_own_values() -> None:
    stated = {"labelSelector": WEB, "matchLabelKeys": ["hash", "missing"]}
    (constraint,) = affinity.spread_constraints_of([stated])
    assert str(constraint.selector_for({"hash": "1"})) == "app=web,hash=1"
    assert constraint.selector_for({}) is constraint.selector


def test_match_label_keys_do_not_widen_a_missing_selector() -> None:
    (constraint,) = affinity.spread_constraints_of([{"matchLabelKeys": ["hash"]}])
    assert constraint.selector_for({"hash": "1"}) is labels.NOTHING


def test_a_malformed_constraint_is_an_error() -> None:
    wrong = {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Bogus"}]}}
    with pytest.raises(labels.SelectorError):
        affinity.spread_constraints_of([wrong])
