"""HorizontalPodAutoscalers of ``autoscaling/v1``, which know of CPU alone.

All else travels in annotations, as JSON: what the metrics, the conditions and the behavior of a
later version are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import schema, shape
from kubestage.objects.conversion import hpa_metrics
from kubestage.objects.validation import internal_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

_PREFIX: Final = "autoscaling.alpha.kubernetes.io/"
_METRICS: Final = f"{_PREFIX}metrics"
_CURRENT: Final = f"{_PREFIX}current-metrics"
_CONDITIONS: Final = f"{_PREFIX}conditions"
_BEHAVIOR: Final = f"{_PREFIX}behavior"
_OWN: Final = frozenset(
    {
        _METRICS,
        _CURRENT,
        _CONDITIONS,
        _BEHAVIOR,
        f"{_PREFIX}scale-down-tolerance",
        f"{_PREFIX}scale-up-tolerance",
    }
)
_DEFAULT_UTILIZATION: Final = 80
_SPEC: Final = ("scaleTargetRef", "minReplicas", "maxReplicas")
_STATUS: Final = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")
_CONDITION: Final = ("type", "status", "lastTransitionTime", "reason", "message")
_BEHAVIOR_SHAPE: Final = "*autoscaling/v2.HorizontalPodAutoscalerBehavior"
# The fields of a behavior by their names in lower case, for its annotation has other ones.
_BEHAVIOR_FIELDS: Final = {
    name.lower(): name
    for name in (
        "scaleUp",
        "scaleDown",
        "stabilizationWindowSeconds",
        "selectPolicy",
        "policies",
        "tolerance",
        "type",
        "value",
        "periodSeconds",
    )
}


def to_v2(autoscaler: Json) -> Json:
    """As ``autoscaling/v2`` has it."""
    metadata, spec = autoscaler["metadata"], autoscaler.get("spec") or {}
    annotations = metadata.get("annotations") or {}
    converted_spec = _picked(spec, _SPEC)
    metrics = _read(annotations.get(_METRICS), hpa_metrics.spec_from_v1, "MetricSpec") or []
    utilization = spec.get("targetCPUUtilizationPercentage")
    if utilization is not None:
        metrics.append(_cpu({"type": "Utilization", "averageUtilization": utilization}))
    if not metrics:
        target = {"type": "Utilization", "averageUtilization": _DEFAULT_UTILIZATION}
        metrics.append(_cpu(target))
    converted_spec["metrics"] = metrics
    behavior = _shaped(
        _renamed(_json(annotations.get(_BEHAVIOR))), "HorizontalPodAutoscalerBehavior"
    )
    if behavior:
        converted_spec["behavior"] = behavior
    report = _status_to_v2(autoscaler.get("status") or {}, annotations)
    remaining = {key: value for key, value in annotations.items() if key not in _OWN}
    return {
        **autoscaler,
        "metadata": _annotated(metadata, remaining),
        "spec": converted_spec,
        "status": report,
    }


def _cpu(target: Json) -> Json:
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def _status_to_v2(report: Json, annotations: dict[str, str]) -> Json:
    out = _picked(report, _STATUS)
    utilization = report.get("currentCPUUtilizationPercentage")
    if utilization is not None:
        current = {"averageUtilization": utilization}
        metric = {"type": "Resource", "resource": {"name": "cpu", "current": current}}
        out["currentMetrics"] = [metric]
    for key, annotation, convert, shape_name in (
        ("currentMetrics", _CURRENT, hpa_metrics.status_from_v1, "MetricStatus"),
        ("conditions", _CONDITIONS, _condition_to_v2, "HorizontalPodAutoscalerCondition"),
    ):
        found = _read(annotations.get(annotation), convert, shape_name)
        if found is not None:
            out[key] = found
    return out


def from_v2(autoscaler: Json) -> Json:
    """As ``autoscaling/v1`` has it."""
    metadata, spec = autoscaler["metadata"], autoscaler.get("spec") or {}
    report = autoscaler.get("status") or {}
    annotations = {k: v for k, v in (metadata.get("annotations") or {}).items() if k not in _OWN}
    converted_spec = _picked(spec, _SPEC)
    others = []
    for metric in spec.get("metrics") or ():
        utilization = _cpu_utilization(metric, "target")
        if utilization is None:
            others.append(hpa_metrics.spec_to_v1(metric))
        else:
            converted_spec.setdefault("targetCPUUtilizationPercentage", utilization)
    if others:
        annotations[_METRICS] = internal_json.compact(others)
    current = report.get("currentMetrics") or []
    if current:
        annotations[_CURRENT] = internal_json.compact(
            [hpa_metrics.status_to_v1(each) for each in current]
        )
    if spec.get("behavior") is not None:
        shown = internal_json.tree(_BEHAVIOR_SHAPE, spec["behavior"])
        annotations[_BEHAVIOR] = internal_json.compact(shown)
    if report.get("conditions"):
        conditions = [_condition_to_v1(each) for each in report["conditions"]]
        annotations[_CONDITIONS] = internal_json.compact(conditions)
    out = _picked(report, _STATUS)
    for metric in current:
        utilization = _cpu_utilization(metric, "current")
        if utilization is not None:
            out["currentCPUUtilizationPercentage"] = utilization
    return {
        **autoscaler,
        "metadata": _annotated(metadata, annotations),
        "spec": converted_spec,
        "status": out,
    }


def _cpu_utilization(metric: Json, part: str) -> int | None:
    resource = metric.get("resource")
    if metric.get("type") != "Resource" or resource is None or resource.get("name") != "cpu":
        return None
    utilization: int | None = (resource.get(part) or {}).get("averageUtilization")
    return utilization


def _condition_to_v1(condition: Json) -> Json:
    out = {key: condition.get(key) for key in _CONDITION[:3]}
    return out | {key: condition[key] for key in _CONDITION[3:] if condition.get(key)}


def _picked(holder: Json, keys: tuple[str, ...]) -> Json:
    return {key: holder[key] for key in keys if key in holder}


def _annotated(metadata: Json, annotations: dict[str, str]) -> Json:
    out = {key: value for key, value in metadata.items() if key != "annotations"}
    if annotations:
        out["annotations"] = annotations
    return out


def _json(text: str | None) -> Any:
    """What an annotation holds; None if it is no JSON, which is ignored."""
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _read(text: str | None, convert: Callable[[Json], Json], name: str) -> list[Json] | None:
    """The list that an annotation holds; None if it holds none, which is ignored."""
    found = _json(text)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        return None
    try:
        shaped = [_shaped(convert(each), name) for each in found]
    except ValueError:
        return None
    remaining = [each for each in shaped if each is not None]
    return remaining if len(remaining) == len(shaped) else None


def _shaped(value: Any, name: str) -> Json | None:
    """A value of a type of the later version; None if it is none."""
    if not isinstance(value, dict):
        return None
    try:
        return shape.normalize(value, schema.struct(f"autoscaling/v2.{name}"))
    except InputError:
        return None


def _condition_to_v2(condition: Json) -> Json:
    return _picked(condition, _CONDITION)


def _renamed(value: Any) -> Any:
    """A behavior from its annotation, in which absent fields are null."""
    if isinstance(value, list):
        return [_renamed(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        _BEHAVIOR_FIELDS[key.lower()]: _renamed(each)
        for key, each in value.items()
        if each is not None and key.lower() in _BEHAVIOR_FIELDS
    }
