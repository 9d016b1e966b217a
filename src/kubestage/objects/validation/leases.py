"""Rules for leases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.validation import field, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError


def validate_lease(obj: dict[str, Any]) -> list[FieldError]:
    """A new lease."""
    errors = metadata.validate_object_meta(
        obj["metadata"], True, names.name_is_dns_subdomain, kube_finalizers=False
    )
    return errors + _validate_lease_spec(obj.get("spec") or {})


def validate_lease_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A renewed lease."""
    errors = metadata.validate_object_meta_update(
        new["metadata"], old["metadata"], kube_finalizers=False
    )
    return errors + _validate_lease_spec(new.get("spec") or {})


def _validate_lease_spec(spec: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if duration is not None and duration <= 0:
        detail = "must be greater than 0"
        errors.append(field.invalid("spec.leaseDurationSeconds", duration, detail))
    if transitions is not None and transitions < 0:
        errors.append(field.invalid("spec.leaseTransitions", transitions, names.NOT_NEGATIVE))
    return errors
