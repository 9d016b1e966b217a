"""Tolerations of a pod, and the effects of taints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.golang import integers
from kubestage.objects.validation import field, internal_json, label_selectors, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS: Final = ("Equal", "Exists")
_COMPARISONS: Final = ("Lt", "Gt")
_is_decimal_integer: Final = re.compile("0|-?[1-9][0-9]*").fullmatch
_is_integer: Final = re.compile("[+-]?[0-9]+").fullmatch
_DECIMAL_INTEGER_ERROR: Final = "must be a valid decimal integer in canonical form"
_MATCH_ALL: Final = (
    'operator must be Exists when `key` is empty, which means "match all values and all keys"'
)


def validate_tolerations(
    tolerations: list[Json], path: str, *, allow_comparisons: bool = False
) -> list[FieldError]:
    """The list of tolerations of a pod."""
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        errors += _validate_toleration(toleration, f"{path}[{index}]", allow_comparisons)
    return errors


def _validate_toleration(toleration: Json, path: str, allow_comparisons: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    key, operator = toleration.get("key") or "", toleration.get("operator") or ""
    effect = toleration.get("effect") or ""
    if key:
        errors += label_selectors.validate_label_name(key, f"{path}.key")
    elif operator != "Exists":
        errors.append(field.invalid(f"{path}.operator", internal_json.text(operator), _MATCH_ALL))
    if effect != "NoExecute" and toleration.get("tolerationSeconds") is not None:
        detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        errors.append(field.invalid(f"{path}.effect", internal_json.text(effect), detail))
    value = toleration.get("value") or ""
    errors += _validate_operator(operator, value, path, allow_comparisons)
    if effect:
        errors += validate_taint_effect(effect, f"{path}.effect")
    return errors


def _validate_operator(
    operator: str, value: str, path: str, allow_comparisons: bool
) -> list[FieldError]:
    at = f"{path}.operator"
    if operator in ("Equal", ""):
        problems = names.is_valid_label_value(value)
        return [field.invalid(at, value, ";".join(problems))] if problems else []
    if operator == "Exists":
        if value:
            return [field.invalid(at, value, "value must be empty when `operator` is 'Exists'")]
        return []
    if operator not in _COMPARISONS:
        return [field.not_supported(at, internal_json.text(operator), _OPERATORS)]
    if not allow_comparisons:
        supported = (*_OPERATORS, *_COMPARISONS)
        return [field.not_supported(at, internal_json.text(operator), supported)]
    return field.invalids(f"{path}.value", value, _number_problems(value))


def _number_problems(value: str) -> list[str]:
    problems = []
    if not value:
        problems.append(names.EMPTY)
    elif not _is_decimal_integer(value):
        problems.append(_DECIMAL_INTEGER_ERROR)
    shown = field.quote(value)
    if not _is_integer(value):
        problems.append(f"strconv.ParseInt: parsing {shown}: invalid syntax")
    elif not -(2**63) <= integers.parse(value) < 2**63:
        problems.append(f"strconv.ParseInt: parsing {shown}: value out of range")
    return problems


def validate_taint_effect(effect: str, path: str, *, required: bool = False) -> list[FieldError]:
    """What a taint does to pods that do not tolerate it."""
    if required and not effect:
        return [field.required(path)]
    if effect in _EFFECTS:
        return []
    return [field.not_supported(path, internal_json.text(effect), _EFFECTS)]


def validate_taints(taints: list[Json], path: str) -> list[FieldError]:
    """Taints: well-formed, and unique by key and effect."""
    errors: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        at = f"{path}[{index}]"
        key, effect = taint.get("key") or "", taint.get("effect") or ""
        errors += label_selectors.validate_label_name(key, f"{at}.key")
        value = taint.get("value") or ""
        problems = names.is_valid_label_value(value)
        if problems:
            errors.append(field.invalid(f"{at}.value", value, ";".join(problems)))
        errors += validate_taint_effect(effect, f"{at}.effect", required=True)
        if (key, effect) in seen:
            shown = internal_json.render("core/v1.Taint", taint)
            detail = "taints must be unique by key and effect pair"
            errors.append(field.FieldError(field.ErrorType.DUPLICATE, at, shown, detail))
        seen.add((key, effect))
    return errors
