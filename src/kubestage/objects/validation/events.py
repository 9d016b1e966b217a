"""Rules for events, which are stricter for those that come by way of ``events.k8s.io``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality
from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_LIMITS: Final = (("reportingInstance", 128), ("action", 128), ("reason", 128))
_NOTE_LIMIT: Final = 1024
_SHORTEST_SERIES: Final = 2
_TYPES: Final = ("Normal", "Warning")
# What does not change, in the order in which the API server looks; the reason is looked at twice.
_KEPT: Final = (
    ("involvedObject", "core/v1.ObjectReference"),
    ("reason", "string"),
    ("message", "string"),
    ("source", "core/v1.EventSource"),
    ("firstTimestamp", "meta/v1.Time"),
    ("lastTimestamp", "meta/v1.Time"),
    ("count", "int32"),
    ("reason", "string"),
    ("type", "string"),
    ("eventTime", "meta/v1.MicroTime"),
    ("action", "string"),
    ("related", "*core/v1.ObjectReference"),
    ("reportingComponent", "string"),
    ("reportingInstance", "string"),
)


def validate_event(obj: dict[str, Any]) -> list[FieldError]:
    """A new event, by the lenient rules of the core group."""
    errors = _validate_event(obj, "reportingComponent")
    return errors or metadata.validate_object_meta(
        obj["metadata"], True, names.path_segment_name, kube_finalizers=False
    )


def validate_event_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """An event that happened again."""
    return _validate_event(new, "reportingComponent")


def validate_new_style(obj: dict[str, Any]) -> list[FieldError]:
    """A new event that came by way of ``events.k8s.io``: nothing of the old fields is set."""
    errors = _validate_event(obj, "reportingController")
    errors += metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    errors += _validate_series(obj)
    if not obj.get("eventTime"):
        errors.append(field.required("eventTime"))
    kind = obj.get("type") or ""
    if kind not in _TYPES:
        errors.append(field.invalid("type", "", f"has invalid value: {kind}"))
    for key in ("firstTimestamp", "lastTimestamp", "count", "source"):
        if obj.get(key):
            errors.append(field.invalid(key, "", "needs to be unset"))
    return errors


def validate_new_style_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """Such an event again: only its series goes on."""
    errors = _validate_event(new, "reportingController")
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if new.get("series") != old.get("series"):
        errors += _validate_series(new)
    for key, shape in _KEPT:
        if equality.semantic_equal(shape, new.get(key), old.get(key)):
            continue
        path = "reportingController" if key == "reportingComponent" else key
        value = new.get(key)
        shown = value or "" if shape == "string" else internal_json.render(shape, value)
        errors.append(field.invalid(path, shown, metadata.IMMUTABLE))
    return errors


def _validate_series(obj: dict[str, Any]) -> list[FieldError]:
    series = obj.get("series")
    errors: list[FieldError] = []
    if series is not None:
        if (series.get("count") or 0) < _SHORTEST_SERIES:
            errors.append(field.invalid("series.count", "", "should be at least 2"))
        if not series.get("lastObservedTime"):
            errors.append(field.required("series.lastObservedTime"))
    return errors


def _validate_event(obj: dict[str, Any], reporter: str) -> list[FieldError]:
    namespace = obj["metadata"].get("namespace") or ""
    involved = (obj.get("involvedObject") or {}).get("namespace") or ""
    path, detail = "involvedObject.namespace", "does not match event.namespace"
    errors: list[FieldError] = []
    if not obj.get("eventTime"):
        if namespace != involved and (involved or namespace != "default"):
            errors.append(field.invalid(path, involved, detail))
    else:
        if not involved and namespace not in ("default", "kube-system"):
            errors.append(field.invalid(path, involved, detail))
        errors += _validate_reporter(obj, reporter)
    return errors + field.invalids("namespace", namespace, names.is_dns1123_subdomain(namespace))


def _validate_reporter(obj: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    controller = obj.get("reportingComponent") or ""
    if not controller:
        errors.append(field.required(path))
    problems = names.is_qualified_name(controller)
    errors += field.invalids(path, controller, problems)
    for key, limit in _LIMITS:
        text = obj.get(key) or ""
        if not text:
            errors.append(field.required(key))
        if names.size(text) > limit:
            errors.append(field.invalid(key, "", f"can have at most {limit} characters"))
    if names.size(obj.get("message") or "") > _NOTE_LIMIT:
        errors.append(field.invalid("message", "", f"can have at most {_NOTE_LIMIT} characters"))
    return errors
