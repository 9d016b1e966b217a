"""Defaults of autoscalers: 80 % of CPU and how fast to follow it; how pods are updated."""

from __future__ import annotations

from typing import Any


def horizontal_pod_autoscaler(obj: dict[str, Any], given: dict[str, Any]) -> None:
    """Complete a HorizontalPodAutoscaler.

    An empty list of scaling policies means "none", a missing one "the usual"; that difference
    is only visible in the object as it was given.
    """
    spec = obj["spec"]
    spec.setdefault("minReplicas", 1)
    if "metrics" not in spec:
        target = {"type": "Utilization", "averageUtilization": 80}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    behavior = spec.get("behavior")
    if behavior is not None:
        asked = given["spec"]["behavior"]
        for name, usual in (("scaleUp", _scale_up()), ("scaleDown", _scale_down())):
            rules = behavior.setdefault(name, {})
            if (asked.get(name) or {}).get("policies") is not None:
                usual.pop("policies")
            for field, value in usual.items():
                rules.setdefault(field, value)


def horizontal_pod_autoscaler_v1(obj: dict[str, Any]) -> None:
    """Complete a HorizontalPodAutoscaler of the first version; what it measures comes later."""
    obj["spec"].setdefault("minReplicas", 1)


def vertical_pod_autoscaler(obj: dict[str, Any]) -> None:
    """Complete a VerticalPodAutoscaler, as its admission webhook does; the rest stays as sent."""
    spec = obj.get("spec")
    if isinstance(spec, dict) and spec.get("updatePolicy") is None:
        spec["updatePolicy"] = {"updateMode": "Recreate"}


def _scale_up() -> dict[str, Any]:
    return {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Max",
        "policies": [_policy("Pods", 4), _policy("Percent", 100)],
    }


def _scale_down() -> dict[str, Any]:
    return {"selectPolicy": "Max", "policies": [_policy("Percent", 100)]}


def _policy(kind: str, value: int) -> dict[str, Any]:
    return {"type": kind, "value": value, "periodSeconds": 15}
