from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import pod_options, spread
from tests.objects.validation.pod_specs import problems, spec, texts

AT = "spec.topologySpreadConstraints[0]"
VALID = {
    "maxSkew": 1,
    "topologyKey": "zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"a": "b"}},
}


def _problems(
    *, options: pod_options.PodValidationOptions = pod_options.NEW_POD, **fields: Any
) -> list[str]:
    return problems(spec(topologySpreadConstraints=[VALID | fields]), options=options)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, []),
        ({"minDomains": 1, "nodeAffinityPolicy": "Honor", "nodeTaintsPolicy": "Ignore"}, []),
        ({"maxSkew": 0}, [".maxSkew: Invalid value: 0: must be greater than zero"]),
        ({"topologyKey": ""}, [".topologyKey: Required value: can not be empty"]),
        (
            {"whenUnsatisfiable": "Wait"},
            [
                (
                    '.whenUnsatisfiable: Unsupported value: "Wait": supported values: '
                    '"DoNotSchedule", "ScheduleAnyway"'
                )
            ],
        ),
        (
            {"minDomains": 0, "whenUnsatisfiable": "ScheduleAnyway"},
            [
                ".minDomains: Invalid value: 0: must be greater than zero",
                (
                    ".minDomains: Invalid value: 0: can only use minDomains if "
                    "whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"
                ),
            ],
        ),
        (
            {"nodeTaintsPolicy": "Maybe"},
            ['.nodeTaintsPolicy: Unsupported value: "Maybe": supported values: "Honor", "Ignore"'],
        ),
        (
            {"labelSelector": None, "matchLabelKeys": ["a"]},
            [".matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"],
        ),
    ],
)
def test_constraints(fields: dict[str, Any], expected: list[str]) -> None:
    assert _problems(**fields) == [f"{AT}{problem}" for problem in expected]


def test_a_topology_is_constrained_once_for_each_action() -> None:
    other = VALID | {"whenUnsatisfiable": "ScheduleAnyway"}
    given = spec(topologySpreadConstraints=[VALID, other, VALID])
    assert problems(given) == [
        f'{AT}.{{topologyKey, whenUnsatisfiable}}: Duplicate value: "{{zone, DoNotSchedule}}"'
    ]


def test_a_key_stands_in_the_selector_or_is_taken_from_the_pod() -> None:
    own = {"key": "k", "operator": "In", "values": ["v"]}
    taken = {"key": "a", "operator": "In", "values": ["b"]}
    selector = {"matchLabels": {"a": "b"}, "matchExpressions": [own, own, taken]}
    errors = spread.validate_label_keys("t", ["k", "a", "other"], [], selector)
    assert texts(errors) == [
        't[0]: Invalid value: "k": exists in both matchLabelKeys and labelSelector',
        't[1]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
    ]


def test_a_pod_from_before_selectors_were_completed_is_judged_as_before() -> None:
    options = pod_options.PodValidationOptions(old_pod_violates_match_label_keys_validation=True)
    expressions = [{"key": "k", "operator": "Exists"}]
    selector = {"matchLabels": {"a": "b"}, "matchExpressions": expressions}
    detail = "exists in both matchLabelKeys and labelSelector"
    keys = ["a", "k", "other"]
    found = _problems(options=options, labelSelector=selector, matchLabelKeys=keys)
    assert found == [
        f'{AT}.matchLabelKeys[0]: Invalid value: "a": {detail}',
        f'{AT}.matchLabelKeys[1]: Invalid value: "k": {detail}',
    ]
    assert _problems(options=options, labelSelector=None, matchLabelKeys=["a"]) == [
        f"{AT}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"
    ]
    assert _problems(options=options) == []


def test_an_old_pod_may_keep_an_invalid_selector() -> None:
    options = pod_options.PodValidationOptions(
        allow_invalid_topology_spread_constraint_label_selector=True
    )
    selector = {"matchLabels": {"a b": "c"}}
    assert len(_problems(labelSelector=selector)) == 1
    assert _problems(labelSelector=selector, options=options) == []
