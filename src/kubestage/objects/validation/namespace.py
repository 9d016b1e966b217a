"""Rules for namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError


def validate_namespace(namespace: dict[str, Any]) -> list[FieldError]:
    """A new namespace."""
    errors = metadata.validate_object_meta(
        namespace["metadata"], False, names.name_is_dns_label, "metadata"
    )
    for finalizer in _finalizers(namespace):
        errors += _validate_finalizer(finalizer, "spec.finalizers")
    return errors


def validate_namespace_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A namespace that replaces an older one."""
    errors = validate_namespace(new)
    return errors + metadata.validate_object_meta_update(new["metadata"], old["metadata"])


def validate_namespace_status_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A change of status: the phase follows from whether the namespace is being deleted."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    phase = (new.get("status") or {}).get("phase") or ""
    if new["metadata"].get("deletionTimestamp"):
        wanted, when = "Terminating", "is not empty"
    else:
        wanted, when = "Active", "is empty"
    if phase != wanted:
        detail = f"may only be '{wanted}' if `deletionTimestamp` {when}"
        errors.append(field.invalid("status.Phase", internal_json.text(phase), detail))
    return errors


def validate_namespace_finalize_update(
    new: dict[str, Any], old: dict[str, Any]
) -> list[FieldError]:
    """A change of the finalizers that keep a namespace alive."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    for index, finalizer in enumerate(_finalizers(new)):
        errors += _validate_finalizer(finalizer, f"spec.finalizers[{index}]")
    return errors


def _finalizers(namespace: dict[str, Any]) -> list[str]:
    return (namespace.get("spec") or {}).get("finalizers") or []


def _validate_finalizer(finalizer: str, path: str) -> list[FieldError]:
    errors = field.invalids(path, finalizer, names.is_qualified_name(finalizer))
    return errors + metadata.validate_kube_finalizer(finalizer, path)
