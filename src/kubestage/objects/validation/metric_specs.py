"""Rules for what an autoscaler refers to and measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers, quantity
from kubestage.objects.validation import field, internal_json, names, resource_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_TARGETS: Final = ("Utilization", "Value", "AverageValue")
# Fields in the order in which they are checked, with the type that each is for.
_SOURCES: Final = {
    "object": "Object",
    "external": "External",
    "pods": "Pods",
    "resource": "Resource",
    "containerResource": "ContainerResource",
}
_FIELDS: Final = {kind: name for name, kind in _SOURCES.items()}
_NO_OUTER: Final = (
    "must specify at least one Object or External metric to support scaling to zero replicas"
)


def validate_reference(
    reference: Json, path: str, *, allow_any: bool, allow_no_group: bool
) -> list[FieldError]:
    """A reference to an object; its apiVersion may be let pass, or lack a group."""
    errors: list[FieldError] = []
    for key in ("kind", "name"):
        errors += _segment(reference.get(key) or "", f"{path}.{key}", "")
    problem = None if allow_any else _version_problem(reference, allow_no_group=allow_no_group)
    if problem is not None:
        errors.append(field.invalid(f"{path}.apiVersion", reference.get("apiVersion", ""), problem))
    return errors


def _segment(name: str, path: str, missing: str) -> list[FieldError]:
    """A name that can be part of a URL."""
    if not name:
        return [field.required(path, missing)]
    return field.invalids(path, name, names.path_segment_name(name, False))


def _version_problem(reference: Json, *, allow_no_group: bool) -> str | None:
    version = reference.get("apiVersion") or ""
    if version.count("/") > 1:
        return f"unexpected GroupVersion string: {version}"
    if not allow_no_group and not version.rpartition("/")[0]:
        return "apiVersion must specify API group"
    return None


def refers_wrongly(metric: Json) -> bool:
    """Whether a metric is of an object that cannot be."""
    if metric.get("type") != "Object" or metric.get("object") is None:
        return False
    described = metric["object"].get("describedObject") or {}
    return _version_problem(described, allow_no_group=True) is not None


def validate_metrics(spec: Json, *, allow_any: bool) -> list[FieldError]:
    """All metrics of an autoscaler's spec; `allow_any` lets any apiVersion pass."""
    errors: list[FieldError] = []
    metrics = spec.get("metrics") or ()
    for index, metric in enumerate(metrics):
        errors += _validate_metric(metric, f"spec.metrics[{index}]", allow_any)
    outer = any(metric.get("type") in ("Object", "External") for metric in metrics)
    if spec.get("minReplicas") == 0 and not outer:
        errors.append(field.forbidden("spec.metrics", _NO_OUTER))
    return errors


def _validate_metric(metric: Json, path: str, allow_any: bool) -> list[FieldError]:
    kind = metric.get("type") or ""
    errors: list[FieldError] = []
    unknown = field.not_supported(f"{path}.type", internal_json.text(kind), sorted(_FIELDS))
    if not kind:
        errors.append(field.required(f"{path}.type", "must specify a metric source type"))
    if kind not in _FIELDS:
        errors.append(unknown)
    present = [name for name in _SOURCES if metric.get(name) is not None]
    if present:
        first = present[0]
        errors += _validate_source(first, metric[first], f"{path}.{first}", allow_any)
    expected = _FIELDS.get(kind)
    if expected is None:
        errors.append(unknown)
    elif expected not in present:
        detail = "must populate information for the given metric source"
        errors.append(field.required(f"{path}.{expected}", detail))
    if len(present) != 1:
        detail = "must populate the given metric source only"
        errors += [
            field.forbidden(f"{path}.{name}", detail) for name in present if name != expected
        ]
    return errors


def _validate_source(name: str, source: Json, path: str, allow_any: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if name == "object":
        described = source.get("describedObject") or {}
        errors += validate_reference(
            described, f"{path}.describedObject", allow_any=allow_any, allow_no_group=True
        )
    if name in ("object", "external", "pods"):
        metric = (source.get("metric") or {}).get("name") or ""
        errors += _segment(metric, f"{path}.metric.name", "must specify a metric name")
    else:
        errors += _validate_resource(name, source, path)
    target = source.get("target") or {}
    errors += _validate_target(target, f"{path}.target")
    return errors + _TARGET_RULES[name](target, f"{path}.target")


def _validate_resource(name: str, source: Json, path: str) -> list[FieldError]:
    """The name of a resource, and of the container that uses it."""
    resource = source.get("name") or ""
    errors: list[FieldError] = []
    if not resource:
        errors.append(field.required(f"{path}.name", "must specify a resource name"))
    if name == "resource":
        return errors
    if resource:
        problems = resource_names.container_resource_problems(resource)
        errors += field.invalids(f"{path}.name", resource, problems)
    container = source.get("container") or ""
    if not container:
        return [*errors, field.required(f"{path}.container", "must specify a container")]
    problems = names.is_dns1123_label(container)
    return errors + field.invalids(f"{path}.container", container, problems)


def _validate_target(target: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    kind = target.get("type") or ""
    if not kind:
        errors.append(field.required(f"{path}.type", "must specify a metric target type"))
    if kind not in _TARGETS:
        detail = "must be either Utilization, Value, or AverageValue"
        errors.append(field.invalid(f"{path}.type", internal_json.text(kind), detail))
    for key in ("value", "averageValue"):
        amount = target.get(key)
        if amount is not None and quantity.of(amount).sign != 1:
            shown = str(quantity.of(amount))
            errors.append(field.invalid(f"{path}.{key}", shown, "must be positive"))
    return errors + markers.check("autoscaling/v2.MetricTarget", target, path)


def _value_or_average(target: Json, path: str) -> list[FieldError]:
    if target.get("value") is None and target.get("averageValue") is None:
        detail = "must set either a target value or averageValue"
        return [field.required(f"{path}.averageValue", detail)]
    return []


def _one_of_value_and_average(target: Json, path: str) -> list[FieldError]:
    value, average = target.get("value"), target.get("averageValue")
    if value is None and average is None:
        detail = "must set either a target value for metric or a per-pod target"
        return [field.required(f"{path}.averageValue", detail)]
    if value is not None and average is not None:
        detail = "may not set both a target value for metric and a per-pod target"
        return [field.forbidden(f"{path}.value", detail)]
    return []


def _average(target: Json, path: str) -> list[FieldError]:
    if target.get("averageValue") is None:
        detail = "must specify a positive target averageValue"
        return [field.required(f"{path}.averageValue", detail)]
    return []


def _one_of_utilization_and_average(target: Json, path: str) -> list[FieldError]:
    percent, average = target.get("averageUtilization"), target.get("averageValue")
    if percent is None and average is None:
        detail = "must set either a target raw value or a target utilization"
        return [field.required(f"{path}.averageUtilization", detail)]
    if percent is not None and average is not None:
        detail = "may not set both a target raw value and a target utilization"
        return [field.forbidden(f"{path}.averageValue", detail)]
    return []


_TARGET_RULES: Final[dict[str, Callable[[Json, str], list[FieldError]]]] = {
    "object": _value_or_average,
    "external": _one_of_value_and_average,
    "pods": _average,
    "resource": _one_of_utilization_and_average,
    "containerResource": _one_of_utilization_and_average,
}
