"""Rules for controller revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError


def validate_controller_revision(obj: dict[str, Any]) -> list[FieldError]:
    """A new revision: it holds an object."""
    errors = _validate(obj)
    data = obj.get("data")
    if data is None:
        errors.append(field.required("data", "data is mandatory"))
    elif not isinstance(data, dict):
        errors.append(field.required("data", "data must be a valid JSON object"))
    return errors


def validate_controller_revision_update(
    new: dict[str, Any], old: dict[str, Any]
) -> list[FieldError]:
    """A changed revision: what it holds stays."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    errors += _validate(new)
    data = new.get("data")
    if data != old.get("data"):
        errors.append(field.invalid("data", internal_json.text(data), metadata.IMMUTABLE))
    return errors


def _validate(obj: dict[str, Any]) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    number = obj.get("revision") or 0
    if number < 0:
        errors.append(field.invalid("revision", number, names.NOT_NEGATIVE))
    return errors
