from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import affinity, pod_options
from tests.objects.validation.pod_specs import problems, spec

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NODE = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"
POD = f"spec.affinity.podAffinity.{REQUIRED}[0]"


def _node(term: dict[str, Any]) -> dict[str, Any]:
    return spec(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}})


def _pod(**term: Any) -> dict[str, Any]:
    full = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}} | term
    return spec(affinity={"podAffinity": {REQUIRED: [full]}})


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ({"key": "a", "operator": "In", "values": ["b"]}, []),
        (
            {"key": "a", "operator": "NotIn"},
            [".values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
        (
            {"key": "a", "operator": "Exists", "values": ["b"]},
            [
                (
                    ".values: Forbidden: may not be specified when `operator` is 'Exists' or "
                    "'DoesNotExist'"
                )
            ],
        ),
        (
            {"key": "a", "operator": "Gt", "values": ["1", "2"]},
            [
                (
                    ".values: Required value: must be specified single value when `operator` is "
                    "'Lt' or 'Gt'"
                )
            ],
        ),
        (
            {"key": "a", "operator": "like"},
            ['.operator: Invalid value: "like": not a valid selector operator'],
        ),
    ],
)
def test_conditions_on_node_labels(requirement: dict[str, Any], expected: list[str]) -> None:
    path = f"{NODE}[0].matchExpressions[0]"
    found = problems(_node({"matchExpressions": [requirement]}))
    assert found == [f"{path}{problem}" for problem in expected]


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ({"key": "metadata.name", "operator": "In", "values": ["n"]}, []),
        (
            {"key": "metadata.name", "operator": "Exists"},
            ['.operator: Invalid value: "Exists": not a valid selector operator'],
        ),
        (
            {"key": "metadata.uid", "operator": "In", "values": []},
            [
                (
                    ".values: Required value: must be only one value when `operator` is 'In' or "
                    "'NotIn' for node field selector"
                ),
                '.key: Invalid value: "metadata.uid": not a valid field selector key',
            ],
        ),
    ],
)
def test_conditions_on_node_fields(requirement: dict[str, Any], expected: list[str]) -> None:
    path = f"{NODE}[0].matchFields[0]"
    found = problems(_node({"matchFields": [requirement]}))
    assert found == [f"{path}{problem}" for problem in expected]


def test_a_node_is_named_as_an_object() -> None:
    requirement = {"key": "metadata.name", "operator": "In", "values": ["N"]}
    (problem,) = problems(_node({"matchFields": [requirement]}))
    assert problem.startswith(f'{NODE}[0].matchFields[0].values[0]: Invalid value: "N"')


def test_values_are_judged_where_they_are_required_and_ignored_where_they_are_wishes() -> None:
    requirement = {"key": "a", "operator": "In", "values": ["b c"]}
    term = {"matchExpressions": [requirement]}
    (problem,) = problems(_node(term))
    assert problem.startswith(f'{NODE}[0].matchExpressions[0].values[0]: Invalid value: "b c"')
    loose = pod_options.PodValidationOptions(
        allow_invalid_label_value_in_required_node_affinity=True
    )
    assert problems(_node(term), options=loose) == []
    wish = spec(affinity={"nodeAffinity": {PREFERRED: [{"weight": 1, "preference": term}]}})
    assert problems(wish) == []
    assert affinity.has_invalid_required_node_value(_node(term))
    assert not affinity.has_invalid_required_node_value(wish)


@pytest.mark.parametrize(("weight", "valid"), [(1, True), (100, True), (0, False), (101, False)])
def test_weights(weight: int, valid: bool) -> None:
    term = {"topologyKey": "zone", "labelSelector": {}}
    given = spec(
        affinity={
            "nodeAffinity": {PREFERRED: [{"weight": weight, "preference": {}}]},
            "podAntiAffinity": {PREFERRED: [{"weight": weight, "podAffinityTerm": term}]},
        }
    )
    detail = f"Invalid value: {weight}: must be in the range 1-100"
    expected = [
        f"spec.affinity.{kind}.{PREFERRED}[0].weight: {detail}"
        for kind in ("nodeAffinity", "podAntiAffinity")
    ]
    assert problems(given) == ([] if valid else expected)


def test_terms_about_pods_select_with_valid_labels_in_valid_namespaces() -> None:
    expression = {"key": "a", "operator": "In", "values": ["b c"]}
    given = _pod(
        labelSelector={"matchExpressions": [expression]},
        namespaceSelector={"matchExpressions": [expression]},
        namespaces=["A"],
    )
    label, namespace_label, namespace = problems(given)
    assert label.startswith(f"{POD}.labelSelector.matchExpressions[0].values[0]: Invalid value")
    assert namespace_label.startswith(f"{POD}.namespaceSelector.matchExpressions[0].values[0]")
    assert namespace.startswith(f'{POD}.namespace: Invalid value: "A": a lowercase RFC 1123 label')
    loose = pod_options.PodValidationOptions(allow_invalid_label_value_in_selector=True)
    assert len(problems(given, options=loose)) == 1


def test_a_key_matches_or_mismatches() -> None:
    assert problems(_pod(matchLabelKeys=["k", "m"], mismatchLabelKeys=["m"])) == [
        (
            f'{POD}.matchLabelKeys[1]: Invalid value: "m": exists in both matchLabelKeys and '
            "mismatchLabelKeys"
        )
    ]


def test_all_terms_of_a_pod_are_found() -> None:
    given = {
        "affinity": {
            "podAffinity": {REQUIRED: [{"topologyKey": "a"}]},
            "podAntiAffinity": {PREFERRED: [{"podAffinityTerm": {"topologyKey": "b"}}]},
        }
    }
    assert [term["topologyKey"] for term in affinity.pod_terms(given)] == ["a", "b"]
    assert affinity.pod_terms({}) == []
