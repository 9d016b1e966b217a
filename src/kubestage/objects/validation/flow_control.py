"""Rules that flow schemas and priority levels share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.validation import field, internal_json

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


def validate_status(new: Json, _: Json) -> list[FieldError]:
    """The conditions of a flow schema or a priority level."""
    return validate_conditions(new)


def validate_conditions(obj: Json) -> list[FieldError]:
    """Conditions of a status, each type once."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, condition in enumerate((obj.get("status") or {}).get("conditions") or ()):
        kind, path = condition.get("type") or "", f"status.conditions[{index}].type"
        if kind in seen:
            errors.append(field.duplicate(path, internal_json.text(kind)))
        if not kind:
            errors.append(field.required(path))
        seen.add(kind)
    return errors
