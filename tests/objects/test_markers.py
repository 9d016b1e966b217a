"""Mechanical rules of the type table."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import markers, schema
from kubestage.objects.validation import names


def texts(type_name: str, holder: dict[str, Any], *fields: str) -> list[str]:
    return [str(each) for each in markers.check(type_name, holder, "spec", *fields)]


def test_every_marker_is_about_a_field_of_the_type_table() -> None:
    for type_name, fields in markers.types().items():
        assert set(fields) <= schema.struct(type_name).by_json.keys(), type_name
        assert markers.check(type_name, {}, "") is not None


def test_types_are_listed_in_order_and_once() -> None:
    listed = list(markers.types())
    assert listed == sorted(listed)


@pytest.mark.parametrize(
    ("type_name", "holder", "found"),
    [
        ("apps/v1.ReplicaSetSpec", {}, []),
        ("apps/v1.ReplicaSetSpec", {"replicas": 0}, []),
        (
            "apps/v1.ReplicaSetSpec",
            {"replicas": -1},
            ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            "autoscaling/v2.HPAScalingPolicy",
            {"type": "Pods", "value": 1, "periodSeconds": 1801},
            ["spec.periodSeconds: Invalid value: 1801: must be less than or equal to 1800"],
        ),
        (
            "autoscaling/v2.HPAScalingPolicy",
            {},
            [
                'spec.type: Unsupported value: "": supported values: "Percent", "Pods"',
                "spec.value: Invalid value: 0: must be greater than zero",
                "spec.periodSeconds: Invalid value: 0: must be greater than zero",
            ],
        ),
        (
            "autoscaling/v2.HPAScalingRules",
            {"policies": [{"type": "Pods", "value": 0, "periodSeconds": 1}]},
            ["spec.policies[0].value: Invalid value: 0: must be greater than zero"],
        ),
        (
            "autoscaling/v2.HPAScalingRules",
            {"policies": []},
            ["spec.policies: Required value: must specify at least one Policy"],
        ),
        (
            "core/v1.ReplicationControllerSpec",
            {"selector": {}},
            [
                "spec.selector: Required value",
                "spec.replicas: Required value",
                "spec.template: Required value",
            ],
        ),
        (
            "policy/v1.PodDisruptionBudgetSpec",
            {"minAvailable": "101%"},
            ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%'],
        ),
        (
            "policy/v1.PodDisruptionBudgetSpec",
            {"maxUnavailable": -1},
            ["spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            "batch/v1.PodFailurePolicy",
            {"rules": [{}] * 21},
            ["spec.rules: Too many: 21: must have at most 20 items"],
        ),
        (
            "apps/v1.StatefulSetSpec",
            {"podManagementPolicy": "Both"},
            [
                (
                    'spec.podManagementPolicy: Invalid value: "Both": '
                    "must be 'OrderedReady' or 'Parallel'"
                )
            ],
        ),
    ],
)
def test_fields_are_checked_in_the_order_of_their_markers(
    type_name: str, holder: dict[str, Any], found: list[str]
) -> None:
    assert texts(type_name, holder) == found


def test_only_the_named_fields_are_checked_and_in_that_order() -> None:
    holder = {"replicas": -1, "minReadySeconds": -2, "revisionHistoryLimit": -3}
    fields = ("revisionHistoryLimit", "replicas")
    found = texts("apps/v1.DeploymentSpec", holder, *fields)
    assert [each.partition(":")[0] for each in found] == [f"spec.{name}" for name in fields]


def test_text_that_is_too_long_is_not_repeated() -> None:
    found = texts("batch/v1.JobSpec", {"managedBy": "x" * 64}, "managedBy")
    assert found == ["spec.managedBy: Too long: may not be more than 63 bytes"]


def test_a_format_is_a_function_of_names() -> None:
    found = texts("apps/v1.StatefulSetSpec", {"serviceName": "a.b"}, "serviceName")
    problems = names.is_dns1123_label("a.b")
    assert found == [f'spec.serviceName: Invalid value: "a.b": {each}' for each in problems]
    assert texts("apps/v1.StatefulSetSpec", {"serviceName": ""}, "serviceName") == []


def test_a_pointer_may_be_absent_but_not_empty() -> None:
    kind = "scheduling/v1.PriorityClass"
    assert markers.check(kind, {}, "") == []
    assert [str(each) for each in markers.check(kind, {"preemptionPolicy": ""}, "")] == [
        "preemptionPolicy: Required value"
    ]


def test_an_update_keeps_what_is_immutable() -> None:
    kind = "batch/v1.JobSpec"
    new, old = {"completionMode": "Indexed"}, {"completionMode": "NonIndexed"}
    assert [str(each) for each in markers.check_update(kind, new, old, "spec")] == [
        'spec.completionMode: Invalid value: "Indexed": field is immutable'
    ]
    assert markers.check_update(kind, new, old, "spec", "managedBy") == []
