"""Rules for references to objects of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.validation import field, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError


def validate_reference(reference: dict[str, Any], path: str) -> list[FieldError]:
    """A reference to an object of any kind: group, kind and name."""
    errors: list[FieldError] = []
    group = reference.get("apiGroup")
    if group is not None:
        errors += field.invalids(f"{path}.apiGroup", group, names.is_dns1123_subdomain(group))
    for key in ("kind", "name"):
        errors += validate_segment(reference.get(key) or "", f"{path}.{key}")
    return errors


def validate_segment(text: str, path: str) -> list[FieldError]:
    """A text that must be there and fit into a URL path."""
    if not text:
        return [field.required(path)]
    return field.invalids(path, text, names.is_valid_path_segment_name(text))
