"""Rules for API services: groups of the API that another server serves."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_STATES: Final = ("True", "False", "Unknown")
_PRIORITIES: Final = (("groupPriorityMinimum", 20000), ("versionPriority", 1000))


def validate_api_service(obj: dict[str, Any]) -> list[FieldError]:
    """A new API service: its name tells the version and the group."""
    spec = obj.get("spec") or {}
    group, version = spec.get("group") or "", spec.get("version") or ""
    needed = f"{version}.{group}"

    def name_rule(name: str, _: bool) -> names.Problems:
        problems = names.is_valid_path_segment_name(name)
        if problems or name == needed:
            return problems
        return (f'must be `spec.version+"."+spec.group`: {field.quote(needed)}',)

    errors = metadata.validate_object_meta(obj["metadata"], False, name_rule, kube_finalizers=False)
    if not group and version != "v1":
        detail = "only v1 may have an empty group and it better be legacy kube"
        errors.append(field.required("spec.group", detail))
    if group:
        errors += field.invalids("spec.group", group, names.is_dns1123_subdomain(group))
    errors += field.invalids("spec.version", version, names.is_dns1035_label(version))
    for key, limit in _PRIORITIES:
        value = spec.get(key) or 0
        if not 0 < value <= limit:
            detail = f"must be positive and less than {limit}"
            errors.append(field.invalid(f"spec.{key}", value, detail))
    return errors + _validate_service(spec)


def _validate_service(spec: dict[str, Any]) -> list[FieldError]:
    service, is_insecure = spec.get("service"), bool(spec.get("insecureSkipTLSVerify"))
    bundle = base64.b64decode(spec.get("caBundle") or "")
    errors: list[FieldError] = []
    insecure = "spec.insecureSkipTLSVerify"
    if service is None:
        if bundle:
            detail = "local APIServices may not have a caBundle"
            errors.append(field.invalid("spec.caBundle", f"{len(bundle)} bytes", detail))
        if is_insecure:
            detail = "local APIServices may not have insecureSkipTLSVerify"
            errors.append(field.invalid(insecure, True, detail))
        return errors
    errors += [
        field.required(f"spec.service.{key}")
        for key in ("namespace", "name")
        if not service.get(key)
    ]
    if is_insecure and bundle:
        errors.append(field.invalid(insecure, True, "may not be true if caBundle is present"))
    return errors


def validate_api_service_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed API service."""
    errors = metadata.validate_object_meta_update(
        new["metadata"], old["metadata"], kube_finalizers=False
    )
    return errors + validate_api_service(new)


def validate_api_service_status_update(
    new: dict[str, Any], old: dict[str, Any]
) -> list[FieldError]:
    """Whether the other server answers."""
    errors = metadata.validate_object_meta_update(
        new["metadata"], old["metadata"], kube_finalizers=False
    )
    for index, condition in enumerate((new.get("status") or {}).get("conditions") or ()):
        state = condition.get("status") or ""
        if state not in _STATES:
            path = f"status.conditions[{index}].status"
            errors.append(field.not_supported(path, state, _STATES))
    return errors
