"""Rules for labels and label selectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import field, internal_json, names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_LIST_OPERATORS: Final = ("In", "NotIn")
_PRESENCE_OPERATORS: Final = ("Exists", "DoesNotExist")


def validate_label_name(name: str, path: str) -> list[FieldError]:
    """A label key."""
    return [field.invalid(path, name, problem) for problem in names.is_qualified_name(name)]


def validate_labels(labels: Mapping[str, str] | None, path: str) -> list[FieldError]:
    """A set of labels."""
    errors: list[FieldError] = []
    for key, value in (labels or {}).items():
        problems = names.is_qualified_name(key)
        if problems:
            errors += [field.invalid(path, key, problem) for problem in problems]
        problems = names.is_valid_label_value(value)
        if problems:
            errors += [field.invalid(path, value, problem) for problem in problems]
    return errors


def validate_label_selector(
    selector: Json | None, path: str, *, allow_invalid_values: bool = False
) -> list[FieldError]:
    """A LabelSelector; values may be ill-formed where an old object already holds such ones."""
    if not selector:
        return []
    errors = validate_labels(selector.get("matchLabels"), f"{path}.matchLabels")
    for index, requirement in enumerate(selector.get("matchExpressions") or ()):
        errors += validate_requirement(
            requirement,
            f"{path}.matchExpressions[{index}]",
            allow_invalid_values=allow_invalid_values,
        )
    return errors


def validate_requirement(
    requirement: Json, path: str, *, allow_invalid_values: bool = False
) -> list[FieldError]:
    """One match expression of a LabelSelector."""
    errors: list[FieldError] = []
    operator = requirement.get("operator") or ""
    values = requirement.get("values") or []
    if operator in _LIST_OPERATORS:
        if not values:
            errors.append(
                field.required(
                    f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"
                )
            )
    elif operator in _PRESENCE_OPERATORS:
        if values:
            errors.append(
                field.forbidden(
                    f"{path}.values",
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                )
            )
    else:
        errors.append(
            field.invalid(
                f"{path}.operator", internal_json.text(operator), "not a valid selector operator"
            )
        )
    errors += validate_label_name(requirement.get("key") or "", f"{path}.key")
    if not allow_invalid_values:
        for index, value in enumerate(values):
            errors += [
                field.invalid(f"{path}.values[{index}]", value, problem)
                for problem in names.is_valid_label_value(value)
            ]
    return errors


def has_invalid_value(selector: Json | None) -> bool:
    """Whether an expression of the selector holds an ill-formed label value."""
    return any(
        names.is_valid_label_value(value)
        for requirement in (selector or {}).get("matchExpressions") or ()
        for value in requirement.get("values") or ()
    )
