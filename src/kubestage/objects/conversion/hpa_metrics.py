"""Metrics of autoscalers as ``autoscaling/v1`` writes them into annotations: flat, in its order.

Amounts that v1 cannot leave out are zero there.
"""

from __future__ import annotations

from typing import Any, Final

from kubestage.errors import MalformedValue
from kubestage.objects import quantity

_REFERENCE: Final = ("kind", "name", "apiVersion")
_PARTS: Final = ("object", "pods", "resource", "containerResource", "external")


class NotAMetric(MalformedValue):
    """What an annotation holds has not the shape of a metric."""


def spec_to_v1(metric: dict[str, Any]) -> dict[str, Any]:
    """The target of a metric."""
    return _to_v1(metric, "target")


def status_to_v1(metric: dict[str, Any]) -> dict[str, Any]:
    """What is known of a metric."""
    return _to_v1(metric, "current")


def _to_v1(metric: dict[str, Any], which: str) -> dict[str, Any]:
    out: dict[str, Any] = {"type": metric.get("type") or ""}
    for part in _PARTS:
        source = metric.get(part)
        if source is not None:
            out[part] = _part_to_v1(part, source, which)
    return out


def _part_to_v1(part: str, source: dict[str, Any], which: str) -> dict[str, Any]:
    amounts = source.get(which) or {}
    named = source.get("metric") or {}
    name, selector = named.get("name") or "", named.get("selector")
    average, value = _text(amounts.get("averageValue")), _text(amounts.get("value"))
    if part == "object":
        out = {"target": _reference(source.get("describedObject") or {}), "metricName": name}
        out |= {f"{which}Value": value or "0"}
        return out | _present(selector=selector, averageValue=average)
    if part == "pods":
        out = {"metricName": name, f"{which}AverageValue": average or "0"}
        return out | _present(selector=selector)
    if part == "external":
        out = {"metricName": name, **_present(metricSelector=selector)}
        needed = "0" if which == "current" else None
        return out | _present(**{f"{which}Value": value or needed, f"{which}AverageValue": average})
    needed = "0" if which == "current" else None
    utilization = {f"{which}AverageUtilization": amounts.get("averageUtilization")}
    out = {"name": source.get("name") or "", **_present(**utilization)}
    out |= _present(**{f"{which}AverageValue": average or needed})
    return out | ({"container": source.get("container") or ""} if part != "resource" else {})


def _reference(described: dict[str, Any]) -> dict[str, Any]:
    out = {key: described.get(key) or "" for key in _REFERENCE[:2]}
    return out | _present(apiVersion=described.get("apiVersion") or None)


def _present(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _text(amount: Any) -> str | None:
    return None if amount is None else str(quantity.of(amount))


def spec_from_v1(metric: dict[str, Any]) -> dict[str, Any]:
    """The target of a metric, as ``autoscaling/v2`` has it; ValueError if it is none."""
    return _from_v1(metric, "target")


def status_from_v1(metric: dict[str, Any]) -> dict[str, Any]:
    """What is known of a metric, likewise."""
    return _from_v1(metric, "current")


def _from_v1(metric: dict[str, Any], which: str) -> dict[str, Any]:
    out: dict[str, Any] = {"type": metric.get("type") or ""}
    for part in _PARTS:
        if metric.get(part) is not None:
            out[part] = _part_from_v1(part, _object(metric[part]), which)
    return out


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotAMetric("expected an object")
    return value


def _part_from_v1(part: str, source: dict[str, Any], which: str) -> dict[str, Any]:
    value, average = source.get(f"{which}Value"), source.get(f"{which}AverageValue")
    if part == "object":
        average = source.get("averageValue")
        if which == "target" and average is not None and not quantity.of(value).unscaled:
            # It could not be left out.
            value = None
    utilization = source.get(f"{which}AverageUtilization")
    amounts = _present(value=value, averageValue=average, averageUtilization=utilization)
    if which == "target":
        amounts = {"type": _target_type(part, amounts), **amounts}
    if part in ("resource", "containerResource"):
        container = {"container": source.get("container") or ""} if part != "resource" else {}
        return {"name": source.get("name") or "", **container, which: amounts}
    selector = source.get("metricSelector" if part == "external" else "selector")
    named = {"name": source.get("metricName") or "", **_present(selector=selector)}
    out: dict[str, Any] = {"metric": named, which: amounts}
    if part == "object":
        target = _object(source.get("target") or {})
        out["describedObject"] = {key: target[key] for key in _REFERENCE if target.get(key)}
    return out


def _target_type(part: str, amounts: dict[str, Any]) -> str:
    if part in ("resource", "containerResource"):
        return "Utilization" if "averageUtilization" in amounts else "AverageValue"
    if part == "object":
        return "AverageValue" if "averageValue" in amounts else "Value"
    return "Value" if part == "external" and "value" in amounts else "AverageValue"
