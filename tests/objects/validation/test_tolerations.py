from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.validation import pod_options, tolerations
from tests.objects.validation.pod_specs import problems, spec, texts

AT = "spec.tolerations[0]"
NUMERIC = pod_options.PodValidationOptions(allow_taint_toleration_comparison_operators=True)


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({"operator": "Exists"}, []),
        ({"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 1}, []),
        (
            {"value": "x"},
            [
                (
                    '.operator: Invalid value: "": operator must be Exists when `key` is empty, '
                    'which means "match all values and all keys"'
                )
            ],
        ),
        (
            {"key": "a", "operator": "Exists", "value": "b", "effect": "Never"},
            [
                ".operator: Invalid value: \"b\": value must be empty when `operator` is 'Exists'",
                (
                    '.effect: Unsupported value: "Never": supported values: "NoSchedule", '
                    '"PreferNoSchedule", "NoExecute"'
                ),
            ],
        ),
        (
            {"key": "a", "effect": "NoSchedule", "tolerationSeconds": 0},
            [
                (
                    ".effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when "
                    "`tolerationSeconds` is set"
                )
            ],
        ),
        (
            {"key": "a", "operator": "In"},
            ['.operator: Unsupported value: "In": supported values: "Equal", "Exists"'],
        ),
        (
            {"key": "a", "operator": "Lt", "value": "1"},
            ['.operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"'],
        ),
    ],
)
def test_tolerations(toleration: dict[str, Any], expected: list[str]) -> None:
    found = problems(spec(tolerations=[toleration]))
    assert found == [f"{AT}{problem}" for problem in expected]


def test_all_that_is_wrong_with_a_value_is_one_error() -> None:
    (problem,) = problems(spec(tolerations=[{"key": "a", "value": "-" * 64}]))
    assert problem.startswith(
        f'{AT}.operator: Invalid value: "{"-" * 64}": must be no more than 63'
    )
    assert ";a valid label must be an empty string" in problem


CANONICAL = "must be a valid decimal integer in canonical form"


@pytest.mark.parametrize(
    ("value", "details"),
    [
        ("0", []),
        ("-12", []),
        ("", ["must be non-empty", 'strconv.ParseInt: parsing "": invalid syntax']),
        ("007", [CANONICAL]),
        ("+1", [CANONICAL]),
        ("-0", [CANONICAL]),
        ("1x", [CANONICAL, 'strconv.ParseInt: parsing "1x": invalid syntax']),
        (
            "9223372036854775808",
            ['strconv.ParseInt: parsing "9223372036854775808": value out of range'],
        ),
    ],
)
def test_comparisons_need_plain_numbers(value: str, details: list[str]) -> None:
    toleration = {"key": "a", "operator": "Gt", "value": value}
    assert problems(spec(tolerations=[toleration]), options=NUMERIC) == [
        f'{AT}.value: Invalid value: "{value}": {detail}' for detail in details
    ]


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_64_bit_number_can_be_compared_with(number: int) -> None:
    toleration = {"key": "a", "operator": "Lt", "value": str(number)}
    assert tolerations.validate_tolerations([toleration], "t", allow_comparisons=True) == []


def test_a_taint_has_an_effect() -> None:
    assert texts(tolerations.validate_taint_effect("", "e", required=True)) == ["e: Required value"]
    assert tolerations.validate_taint_effect("NoSchedule", "e", required=True) == []
