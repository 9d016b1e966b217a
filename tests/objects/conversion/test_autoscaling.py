from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import conversion, defaulting, kinds

ROW = kinds.KindTable().by_plural("autoscaling", "v1", "horizontalpodautoscalers")
PREFIX = "autoscaling.alpha.kubernetes.io/"
TARGET = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
}


def v1(annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    meta: dict[str, Any] = {"name": "h", "annotations": {"mine": "x", **(annotations or {})}}
    obj = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": meta}
    return {**obj, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 3, **spec}}


def v2(*metrics: dict[str, Any], **parts: Any) -> dict[str, Any]:
    spec = {"scaleTargetRef": TARGET, "maxReplicas": 3, "metrics": list(metrics)}
    spec |= parts.pop("spec", {})
    meta = {"name": "h", "annotations": {"mine": "x"}}
    kind = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"}
    return defaulting.stored({**kind, "metadata": meta, "spec": spec, **parts})


def stored(obj: dict[str, Any]) -> dict[str, Any]:
    assert ROW is not None
    return conversion.to_stored(ROW, obj)


def served(obj: dict[str, Any]) -> dict[str, Any]:
    assert ROW is not None
    return conversion.to_served(ROW, obj)


def test_a_target_of_cpu_is_a_metric() -> None:
    made = stored(v1(targetCPUUtilizationPercentage=50))
    assert made["apiVersion"] == "autoscaling/v2"
    assert made["spec"]["metrics"] == [CPU]
    assert made["spec"]["minReplicas"] == 1
    assert served(made)["spec"] == {
        "scaleTargetRef": TARGET,
        "minReplicas": 1,
        "maxReplicas": 3,
        "targetCPUUtilizationPercentage": 50,
    }


def test_without_any_metric_it_is_80_percent_of_cpu() -> None:
    (metric,) = stored(v1())["spec"]["metrics"]
    assert metric["resource"]["target"]["averageUtilization"] == 80


METRICS = [
    (
        {"type": "Resource", "resource": {"name": "memory", "target": {"averageValue": "1Gi"}}},
        '{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}',
        "AverageValue",
    ),
    (
        {
            "type": "ContainerResource",
            "containerResource": {
                "name": "cpu",
                "container": "c",
                "target": {"averageUtilization": 5},
            },
        },
        (
            '{"type":"ContainerResource","containerResource":{"name":"cpu",'
            '"targetAverageUtilization":5,"container":"c"}}'
        ),
        "Utilization",
    ),
    (
        {
            "type": "Pods",
            "pods": {
                "metric": {"name": "qps", "selector": {"matchLabels": {"a": "b"}}},
                "target": {"averageValue": "5"},
            },
        },
        (
            '{"type":"Pods","pods":{"metricName":"qps","targetAverageValue":"5",'
            '"selector":{"matchLabels":{"a":"b"}}}}'
        ),
        "AverageValue",
    ),
    (
        {
            "type": "Object",
            "object": {
                "describedObject": {"kind": "Service", "name": "s"},
                "metric": {"name": "qps"},
                "target": {"value": "5"},
            },
        },
        (
            '{"type":"Object","object":{"target":{"kind":"Service","name":"s"},"metricName":"qps",'
            '"targetValue":"5"}}'
        ),
        "Value",
    ),
    (
        {
            "type": "Object",
            "object": {
                "describedObject": {"kind": "Service", "name": "s", "apiVersion": "v1"},
                "metric": {"name": "qps"},
                "target": {"averageValue": "5"},
            },
        },
        (
            '{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},'
            '"metricName":"qps","targetValue":"0","averageValue":"5"}}'
        ),
        "AverageValue",
    ),
    (
        {"type": "External", "external": {"metric": {"name": "q"}, "target": {"value": "5"}}},
        '{"type":"External","external":{"metricName":"q","targetValue":"5"}}',
        "Value",
    ),
]


@pytest.mark.parametrize(("metric", "text", "target_type"), METRICS)
def test_other_metrics_travel_in_an_annotation(
    metric: dict[str, Any], text: str, target_type: str
) -> None:
    part = metric["type"][0].lower() + metric["type"][1:]
    full = {**metric, part: {**metric[part]}}
    full[part]["target"] = {"type": target_type, **metric[part]["target"]}
    old = served(v2(full, CPU))
    assert old["metadata"]["annotations"] == {"mine": "x", f"{PREFIX}metrics": f"[{text}]"}
    assert old["spec"]["targetCPUUtilizationPercentage"] == 50
    back = stored(old)
    assert back["spec"]["metrics"] == v2(full, CPU)["spec"]["metrics"]
    assert back["metadata"]["annotations"] == {"mine": "x"}


def test_a_behavior_travels_under_the_names_of_its_working_type() -> None:
    rules = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}
    made = v2(CPU, spec={"behavior": {"scaleUp": {**rules, "stabilizationWindowSeconds": 5}}})
    text = served(made)["metadata"]["annotations"][f"{PREFIX}behavior"]
    assert text == (
        '{"ScaleUp":{"StabilizationWindowSeconds":5,"SelectPolicy":"Max","Policies":[{"Type":"Pods",'
        '"Value":1,"PeriodSeconds":60}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":'
        'null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],'
        '"Tolerance":null}}'
    )
    assert stored(served(made))["spec"]["behavior"] == made["spec"]["behavior"]


def test_a_status_travels_with_its_conditions() -> None:
    status = {
        "currentReplicas": 2,
        "desiredReplicas": 3,
        "currentMetrics": [
            {
                "type": "Resource",
                "resource": {
                    "name": "cpu",
                    "current": {"averageValue": "100m", "averageUtilization": 40},
                },
            },
            {
                "type": "External",
                "external": {"metric": {"name": "q"}, "current": {"averageValue": "3"}},
            },
        ],
        "conditions": [
            {"type": "AbleToScale", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}
        ],
    }
    made = v2(CPU, status=status)
    old = served(made)
    assert old["status"]["currentCPUUtilizationPercentage"] == 40
    annotations = old["metadata"]["annotations"]
    assert annotations[f"{PREFIX}conditions"] == (
        '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2024-01-01T00:00:00Z"}]'
    )
    assert annotations[f"{PREFIX}current-metrics"] == (
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":40,'
        '"currentAverageValue":"100m"}},{"type":"External","external":{"metricName":"q",'
        '"currentValue":"0","currentAverageValue":"3"}}]'
    )
    back = stored(old)["status"]
    assert back["conditions"] == made["status"]["conditions"]
    assert back["currentMetrics"][0] == made["status"]["currentMetrics"][0]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "3",
        "[3]",
        '{"a":1}',
        '[{"type":3}]',
        '[{"type":"Pods","pods":[]}]',
        '[{"type":"Object","object":{"target":3}}]',
        '[{"type":"Object","object":{"targetValue":"x","averageValue":"1"}}]',
        '[{"type":"Pods","pods":{"targetAverageValue":{}},"status":3}]',
        '{"ScaleUp":3}',
    ],
)
def test_annotations_that_are_no_metrics_are_dropped(text: str) -> None:
    names = ("metrics", "current-metrics", "conditions", "behavior")
    made = stored(v1({f"{PREFIX}{name}": text for name in names}))
    assert made["metadata"]["annotations"] == {"mine": "x"}
    assert len(made["spec"]["metrics"]) == 1
    assert "behavior" not in made["spec"]
