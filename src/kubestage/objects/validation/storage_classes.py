"""Rules for storage classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import (
    field,
    names,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_PARAMETERS_LIMIT: Final = 512
_PARAMETERS_SIZE: Final = 256 * 1024


def validate_provisioner(name: str, path: str) -> list[FieldError]:
    """The driver that a class is for."""
    if not name:
        return [field.required(path)]
    lowered = name.lower()
    return field.invalids(path, lowered, names.is_qualified_name(lowered))


def validate_parameters(parameters: dict[str, str]) -> list[FieldError]:
    """The number of parameters for the driver is limited."""
    if len(parameters) > _PARAMETERS_LIMIT:
        return [field.too_long("parameters", _PARAMETERS_LIMIT)]
    errors = [
        field.invalid("parameters", key, "field can not be empty.") for key in parameters if not key
    ]
    total = sum(names.size(key) + names.size(value) for key, value in parameters.items())
    if total > _PARAMETERS_SIZE:
        errors.append(field.too_long("parameters", _PARAMETERS_SIZE))
    return errors
