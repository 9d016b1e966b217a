"""Rules for persistent volume claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, quantity
from kubestage.objects.validation import (
    claim_spec,
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    resource_names,
    resources,
    spec_diff,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_SPEC: Final = "core/v1.PersistentVolumeClaimSpec"
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_STORAGE: Final = "spec.resources.requests.storage"
_ATTRIBUTES: Final = "spec.volumeAttributesClassName"
_RESIZE_STATUSES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)


def with_both_sources(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec with ``dataSource`` and ``dataSourceRef`` both given where one was."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None and reference is None:
        return {**spec, "dataSourceRef": dict(source)}
    if reference is not None and source is None and not reference.get("namespace"):
        local = {key: reference[key] for key in reference if key != "namespace"}
        return {**spec, "dataSource": local}
    return spec


def validate_claim(obj: dict[str, Any]) -> list[FieldError]:
    """A new claim."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    return errors + claim_spec.validate_claim_spec(obj.get("spec") or {}, "spec")


def validate_claim_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed claim: bound once, grown later, and little else."""
    meta, spec = new["metadata"], new.get("spec") or {}
    before = with_both_sources(old.get("spec") or {})
    errors = metadata.validate_object_meta_update(meta, old["metadata"])
    errors += metadata.validate_object_meta(meta, True, names.name_is_dns_subdomain)
    sources = (before.get("dataSource"), before.get("dataSourceRef"))
    errors += claim_spec.validate_claim_spec(
        spec,
        "spec",
        allow_invalid_values=bool(
            label_selectors.validate_label_selector(before.get("selector"), "")
        ),
        allow_invalid_api_group=any((s or {}).get("apiGroup") is not None for s in sources),
    )
    kept, compared = _masked(new, old, before, errors)
    if not equality.semantic_equal(_SPEC, kept, compared):
        detail = (
            "spec is immutable after creation except resources.requests and "
            "volumeAttributesClassName for bound claims"
        )
        diff = spec_diff.diff(_SPEC, compared, kept)
        errors.append(field.forbidden("spec", f"{detail}\n{diff}"))
    errors += _validate_size(spec, before, old.get("status") or {})
    mode = spec.get("volumeMode")
    errors += metadata.validate_immutable(
        mode, before.get("volumeMode"), "volumeMode", internal_json.text(mode)
    )
    return errors + _validate_attributes(spec, before, old.get("status") or {})


def _masked(
    new: dict[str, Any], old: dict[str, Any], before: dict[str, Any], errors: list[FieldError]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """New and old spec with what may differ made equal."""
    kept, compared = dict(new.get("spec") or {}), dict(before)
    if not before.get("volumeName"):
        compared["volumeName"] = kept.get("volumeName")
    now = new["metadata"].get("annotations") or {}
    annotation = (old["metadata"].get("annotations") or {}).get(_CLASS_ANNOTATION)
    name, old_name = kept.get("storageClassName"), before.get("storageClassName")
    is_upgrade = name is not None and old_name is None
    if (
        is_upgrade
        and annotation is not None
        and name == annotation
        and now.get(_CLASS_ANNOTATION, annotation) == annotation
    ):
        kept["storageClassName"] = None
    else:
        given = now.get(_CLASS_ANNOTATION) or ""
        if given != (annotation or ""):
            path = f"metadata.annotations.{_CLASS_ANNOTATION}"
            errors.append(field.invalid(path, given, metadata.IMMUTABLE))
        if is_upgrade and annotation in (None, name):
            kept["storageClassName"] = old_name
    if (new.get("status") or {}).get("phase") == "Bound":
        requests = (kept.get("resources") or {}).get("requests")
        if requests is not None:
            size = _size(before)
            kept["resources"] = {**kept["resources"], "requests": {**requests, "storage": size}}
        kept["volumeAttributesClassName"] = before.get("volumeAttributesClassName")
    return kept, compared


def _size(spec: dict[str, Any]) -> Any:
    return ((spec.get("resources") or {}).get("requests") or {}).get("storage")


def _validate_size(
    spec: dict[str, Any], old: dict[str, Any], status: dict[str, Any]
) -> list[FieldError]:
    """A claim shrinks only as far as it has not grown yet."""
    size = quantity.of(_size(spec))
    if size >= quantity.of(_size(old)):
        return []
    if size <= quantity.of((status.get("capacity") or {}).get("storage")):
        return [field.forbidden(_STORAGE, "field can not be less than status.capacity")]
    return []


def _validate_attributes(
    spec: dict[str, Any], old: dict[str, Any], status: dict[str, Any]
) -> list[FieldError]:
    name = spec.get("volumeAttributesClassName")
    if name == old.get("volumeAttributesClassName"):
        return []
    if status.get("currentVolumeAttributesClassName") is None or name:
        return []
    what = "nil" if name is None else "empty string"
    detail = (
        f"update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil"
    )
    return [field.forbidden(_ATTRIBUTES, detail)]


def validate_claim_status_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """What was provided for a claim."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if not new["metadata"].get("resourceVersion"):
        errors.append(field.required("resourceVersion"))
    if not (new.get("spec") or {}).get("accessModes"):
        errors.append(field.required("Spec.accessModes"))
    status = new.get("status") or {}
    for name, amount in (status.get("capacity") or {}).items():
        errors += _validate_amount(amount, f"status.capacity[{name}]")
    path = "status.allocatedResourceStatuses"
    for name, state in (status.get("allocatedResourceStatuses") or {}).items():
        errors += _validate_resource_key(name, path)
        if state not in _RESIZE_STATUSES:
            errors.append(field.not_supported(path, internal_json.text(name), _RESIZE_STATUSES))
    path = "status.allocatedResources"
    for name, amount in (status.get("allocatedResources") or {}).items():
        found = _validate_resource_key(name, path)
        errors += found or _validate_amount(amount, f"{path}[{name}]")
    return errors


def _validate_amount(amount: Any, path: str) -> list[FieldError]:
    parsed = quantity.of(amount)
    if parsed.value < 0:
        return [field.invalid(path, parsed.value, "must be a valid resource quantity")]
    return resources.validate_quantity_value("storage", amount, path)


def _validate_resource_key(name: str, path: str) -> list[FieldError]:
    problems = names.is_qualified_name(name)
    if problems:
        return field.invalids(path, name, problems)
    if resource_names.is_native(name) and name != "storage":
        return [field.not_supported(path, name, ("storage",))]
    return []
