"""Rules for events of the core group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_LIMITS: Final = (("reportingInstance", 128), ("action", 128), ("reason", 128))
_NOTE_LIMIT: Final = 1024


def validate_event(obj: dict[str, Any]) -> list[FieldError]:
    """A new event, by the lenient rules of the core group."""
    errors = _validate_event(obj)
    return errors or metadata.validate_object_meta(
        obj["metadata"], True, names.path_segment_name, kube_finalizers=False
    )


def validate_event_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """An event that happened again."""
    return _validate_event(new)


def _validate_event(obj: dict[str, Any]) -> list[FieldError]:
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
        errors += _validate_reporter(obj)
    return errors + field.invalids("namespace", namespace, names.is_dns1123_subdomain(namespace))


def _validate_reporter(obj: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    controller = obj.get("reportingComponent") or ""
    if not controller:
        errors.append(field.required("reportingComponent"))
    problems = names.is_qualified_name(controller)
    errors += field.invalids("reportingComponent", controller, problems)
    for key, limit in _LIMITS:
        text = obj.get(key) or ""
        if not text:
            errors.append(field.required(key))
        if names.size(text) > limit:
            errors.append(field.invalid(key, "", f"can have at most {limit} characters"))
    if names.size(obj.get("message") or "") > _NOTE_LIMIT:
        errors.append(field.invalid("message", "", f"can have at most {_NOTE_LIMIT} characters"))
    return errors
