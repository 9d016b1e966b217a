"""Rules for conditions as newer kinds report them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import field, internal_json, label_selectors, names, patterns

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_STATUSES: Final = ("False", "True", "Unknown")
_REASON: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_is_reason: Final = re.compile(_REASON).fullmatch
_REASON_LIMIT: Final = 1024
_MESSAGE_LIMIT: Final = 32 * 1024
_REASON_ERROR: Final = patterns.regex_error(
    "a condition reason must start with alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
    _REASON, "my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB",
)  # fmt: skip


def validate_conditions(conditions: list[Json], path: str) -> list[FieldError]:
    """A list of conditions, each type once."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        at = f"{path}[{index}]"
        kind = condition.get("type") or ""
        if kind in seen:
            errors.append(field.duplicate(f"{at}.type", kind))
        seen.add(kind)
        errors += _validate_condition(condition, at)
    return errors


def _validate_condition(condition: Json, path: str) -> list[FieldError]:
    errors = label_selectors.validate_label_name(condition.get("type") or "", f"{path}.type")
    status = condition.get("status") or ""
    if status not in _STATUSES:
        errors.append(field.not_supported(f"{path}.status", internal_json.text(status), _STATUSES))
    observed = condition.get("observedGeneration") or 0
    if observed < 0:
        detail = "must be greater than or equal to zero"
        errors.append(field.invalid(f"{path}.observedGeneration", observed, detail))
    if not condition.get("lastTransitionTime"):
        errors.append(field.required(f"{path}.lastTransitionTime"))
    reason = condition.get("reason") or ""
    if not reason:
        errors.append(field.required(f"{path}.reason"))
    elif not _is_reason(reason):
        errors.append(field.invalid(f"{path}.reason", reason, _REASON_ERROR))
    if names.size(reason) > _REASON_LIMIT:
        errors.append(field.too_long(f"{path}.reason", _REASON_LIMIT))
    if names.size(condition.get("message") or "") > _MESSAGE_LIMIT:
        errors.append(field.too_long(f"{path}.message", _MESSAGE_LIMIT))
    return errors
