from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.devices.samples import resource_slice
from tests.objects.validation.judging import problems

POLICY = "spec.devices[0].capacity[memory].requestPolicy"


def found(policy: dict[str, Any], *, shared: bool = True) -> list[str]:
    capacity = {"memory": {"value": "10Gi", "requestPolicy": policy}}
    device = {"name": "d0", "allowMultipleAllocations": shared, "capacity": capacity}
    return problems(resource_slice(device))


def test_only_what_is_shared_has_a_policy() -> None:
    assert found({"default": "1Gi"}) == []
    assert found({"default": "1Gi"}, shared=False) == [
        f"{POLICY}: Forbidden: allowMultipleAllocations must be true"
    ]


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (
            {"validValues": ["1Gi"], "validRange": {"min": "1Gi"}, "default": "1Gi"},
            (
                f"{POLICY}: Forbidden: exactly one policy can be specified, cannot specify "
                '"validValues" and "validRange" at the same time'
            ),
        ),
        (
            {"validValues": ["1Gi"]},
            f"{POLICY}.default: Required value: required when validValues is defined",
        ),
        (
            {"validRange": {"min": "1Gi"}},
            f"{POLICY}.default: Required value: required when validRange is defined",
        ),
        (
            {"validValues": ["2Gi", "1Gi"], "default": "1Gi"},
            (
                f'{POLICY}.validValues[1]: Invalid value: "1Gi": values must be sorted in '
                "ascending order"
            ),
        ),
        (
            {"validValues": ["1Gi", "11Gi"], "default": "1Gi"},
            (
                f'{POLICY}.validValues[1]: Invalid value: "11Gi": option is larger than capacity '
                "value: 10Gi"
            ),
        ),
        (
            {"validValues": ["1Gi", "1024Mi"], "default": "1Gi"},
            f'{POLICY}.validValues[1]: Duplicate value: "1073741824"',
        ),
        (
            {"validValues": ["1Gi"], "default": "2Gi"},
            (
                f'{POLICY}.validValues: Invalid value: "2Gi": default value is not valid according '
                "to the requestPolicy"
            ),
        ),
        (
            {"validRange": {"max": "2Gi"}, "default": "2Gi"},
            f"{POLICY}.validRange.min: Required value: required when validRange is defined",
        ),
        (
            {"validRange": {"min": "2Gi"}, "default": "1Gi"},
            f'{POLICY}.validRange.min: Invalid value: "1Gi": default is less than min: 2Gi',
        ),
        (
            {"validRange": {"min": "1Gi", "max": "2Gi"}, "default": "3Gi"},
            f'{POLICY}.validRange.max: Invalid value: "3Gi": default is more than max: 2Gi',
        ),
        (
            {"validRange": {"min": "1Gi", "step": "2Gi"}, "default": "2Gi"},
            (
                f'{POLICY}.validRange.step: Invalid value: "2Gi": value is not a multiple of a '
                "given step (2Gi) from (1Gi)"
            ),
        ),
        (
            {"validRange": {"min": "1Gi", "step": "10Gi"}, "default": "1Gi"},
            (
                f'{POLICY}.validRange.step: Invalid value: "10Gi": one step 11Gi is larger than '
                "capacity value: 10Gi"
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_policy(policy: dict[str, Any], text: str) -> None:
    assert found(policy) == [text]
