"""Rules for the configuration, selectors, taints and tolerations of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import device_selectors
from kubestage.objects.validation import field, internal_json, label_selectors, names
from kubestage.objects.validation.devices import device_names, lists

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

MAX_CONFIGURATIONS: Final = 32
_MAX_SELECTORS: Final = 32
_MAX_EXPRESSION: Final = 10 * 1024
MAX_RAW: Final = 10 * 1024
_OPERATORS: Final = ("Equal", "Exists")
_EFFECTS: Final = ("NoExecute", "NoSchedule", "None")


def validate_selectors(selectors: list[Json] | None, path: str) -> list[FieldError]:
    """Expressions that must all be true for a device."""
    return lists.validate_list(selectors, _MAX_SELECTORS, _validate_selector, path)


def _validate_selector(selector: Json, path: str) -> list[FieldError]:
    if selector.get("cel") is None:
        return [field.required(f"{path}.cel")]
    expression, at = selector["cel"].get("expression") or "", f"{path}.cel.expression"
    if names.size(expression) > _MAX_EXPRESSION:
        return [field.too_long(at, _MAX_EXPRESSION)]
    problem = device_selectors.problem(expression)
    return [] if problem is None else [field.invalid(at, expression, problem)]


def validate_configuration(
    configuration: Json, path: str, *, stored: bool = False
) -> list[FieldError]:
    """Parameters for one driver; stored ones may be longer than new ones."""
    opaque = configuration.get("opaque")
    if opaque is None:
        return [field.required(f"{path}.opaque")]
    at = f"{path}.opaque"
    errors = device_names.validate_driver(opaque.get("driver") or "", f"{at}.driver")
    return errors + validate_raw(opaque.get("parameters"), f"{at}.parameters", stored=stored)


def validate_raw(value: Any, path: str, *, stored: bool = False) -> list[FieldError]:
    """An object of an unknown type."""
    if value is None:
        return [field.required(path)]
    if not stored and len(msgspec.json.encode(value)) > MAX_RAW:
        return [field.too_long(path, MAX_RAW)]
    if not isinstance(value, dict):
        return [field.invalid(path, "<value omitted>", "must be a valid JSON object")]
    return []


def validate_taint(taint: Json, path: str) -> list[FieldError]:
    """A taint of a device."""
    key, value = taint.get("key") or "", taint.get("value") or ""
    errors = label_selectors.validate_label_name(key, f"{path}.key")
    errors += field.invalids(f"{path}.value", value, names.is_valid_label_value(value))
    effect = taint.get("effect") or ""
    if not effect:
        return [*errors, field.required(f"{path}.effect")]
    return errors + _validate_effect(effect, f"{path}.effect")


def validate_tolerations(tolerations: list[Json] | None, path: str) -> list[FieldError]:
    """The tolerations of a request."""
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations or ()):
        errors += _validate_toleration(toleration, f"{path}[{index}]")
    return errors


def _validate_toleration(toleration: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    key, value = toleration.get("key") or "", toleration.get("value") or ""
    operator, effect = toleration.get("operator") or "", toleration.get("effect") or ""
    if key:
        errors += label_selectors.validate_label_name(key, f"{path}.key")
    if operator == "Exists":
        if value:
            detail = "must be empty for operator `Exists`"
            errors.append(field.invalid(f"{path}.value", value, detail))
    elif operator == "Equal":
        errors += field.invalids(f"{path}.value", value, names.is_valid_label_value(value))
    elif not operator:
        errors.append(field.required(f"{path}.operator"))
    else:
        shown = internal_json.text(operator)
        errors.append(field.not_supported(f"{path}.operator", shown, _OPERATORS))
    return errors + (_validate_effect(effect, f"{path}.effect") if effect else [])


def _validate_effect(effect: str, path: str) -> list[FieldError]:
    if effect in _EFFECTS:
        return []
    return [field.not_supported(path, internal_json.text(effect), _EFFECTS)]
