"""Rules for horizontal pod autoscalers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.validation import rules
from kubestage.testing import make_horizontal_pod_autoscaler
from tests.objects.validation import test_golden

if TYPE_CHECKING:
    from kubestage.aliases import Json


@pytest.mark.parametrize("op", test_golden.OPS)
def test_every_answer_is_that_of_the_real_server(op: str) -> None:
    recorded = test_golden.entries("HorizontalPodAutoscaler", op)
    wrong = [text for entry in recorded if (text := test_golden.difference(entry))]
    assert recorded
    assert not wrong, "\n".join(wrong[:20])


def made(**spec: Any) -> Json:
    obj: Json = make_horizontal_pod_autoscaler()
    obj["metadata"]["resourceVersion"] = "1"
    obj["spec"] |= spec
    return obj


def problems(new: Json, old: Json | None = None) -> list[str]:
    if old is None:
        return [str(each) for each in rules.validate_create(new)]
    return [str(each) for each in rules.validate_update(new, old)]


def external(**target: Any) -> Json:
    source = {"metric": {"name": "lag"}, "target": target}
    return {"type": "External", "external": source}


def test_no_replica_at_all_is_for_those_that_had_none_already() -> None:
    lag = external(type="Value", value="1")
    none = made(minReplicas=0, metrics=[lag])
    assert problems(none) == [
        "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1"
    ]
    assert problems(none, none) == []
    text = "must specify at least one Object or External metric to support scaling to zero replicas"
    assert problems(made(minReplicas=0), none) == [f"spec.metrics: Forbidden: {text}"]
    assert problems(made(minReplicas=-1), none)[0] == (
        "spec.minReplicas: Invalid value: -1: must be greater than or equal to 0"
    )


def test_a_target_without_a_group_is_a_replication_controller_or_was_there_before() -> None:
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "p"}
    wrong = made(scaleTargetRef=reference)
    text = 'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'
    assert problems(wrong) == [text]
    assert problems(wrong, made()) == [text]
    assert problems(wrong, wrong) == []
    assert problems(made(scaleTargetRef={**reference, "kind": "ReplicationController"})) == []


def test_a_target_has_a_kind_a_name_and_a_group() -> None:
    where = "spec.scaleTargetRef"
    assert problems(made(scaleTargetRef={})) == [
        f"{where}.kind: Required value",
        f"{where}.name: Required value",
        f'{where}.apiVersion: Invalid value: "": apiVersion must specify API group',
    ]


def test_a_metric_of_an_object_that_cannot_be_may_stay_if_there_was_one() -> None:
    described = {"apiVersion": "a/b/c", "kind": "Ingress", "name": "x"}
    target = {"type": "Value", "value": "1"}
    source = {"describedObject": described, "metric": {"name": "hits"}, "target": target}
    wrong = made(metrics=[{"type": "Object", "object": source}])
    where = "spec.metrics[0].object.describedObject.apiVersion"
    text = f'{where}: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'
    assert problems(wrong) == [text]
    assert problems(wrong, made()) == [text]
    assert problems(wrong, wrong) == []


def test_a_metric_has_one_source_and_it_is_that_of_its_type() -> None:
    lag = external(type="AverageValue", averageValue="1")
    pods = {"metric": {"name": "qps"}, "target": {"type": "AverageValue", "averageValue": "1"}}
    text = "must populate information for the given metric source"
    assert problems(made(metrics=[{**lag, "type": "Pods"}])) == [
        f"spec.metrics[0].pods: Required value: {text}"
    ]
    assert problems(made(metrics=[{**lag, "pods": pods}])) == [
        "spec.metrics[0].pods: Forbidden: must populate the given metric source only"
    ]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"tolerance": "-1"}, 'tolerance: Invalid value: "-1": must be greater than or equal to 0'),
        (
            {"stabilizationWindowSeconds": 3601},
            "stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
        ),
        (
            {"selectPolicy": "Most"},
            'selectPolicy: Unsupported value: "Most": supported values: "Disabled", "Max", "Min"',
        ),
        ({"policies": []}, "policies: Required value: must specify at least one Policy"),
        (
            {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 1801}]},
            "policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
        ),
    ],
)
def test_behavior_has_bounds(rule: Json, text: str) -> None:
    usual = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 1800}]}
    for way in ("scaleUp", "scaleDown"):
        found = problems(made(behavior={way: {**usual, **rule}}))
        assert found == [f"spec.behavior.{way}.{text}"]


def test_a_status_counts_from_zero() -> None:
    old = made()
    new = {**old, "status": {"currentReplicas": -1, "desiredReplicas": 0}}
    found = rules.validate_update(new, old, "status")
    assert [str(each) for each in found] == [
        "status.currentReplicas: Invalid value: -1: must be greater than or equal to 0"
    ]
