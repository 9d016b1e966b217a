"""The options of create, update and patch, checked as the API server checks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import field
from kubestage.store import refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

_VALIDATIONS: Final = ("", "Ignore", "Strict", "Warn")
_MANAGER_LENGTH: Final = 128


def check(
    kind: str,
    *,
    dry_run: Sequence[str] = (),
    manager: str = "",
    field_validation: str = "",
    force: bool | None = None,
    is_apply: bool = False,
) -> None:
    """Refuse options that are wrong; `kind` is CreateOptions, UpdateOptions or PatchOptions."""
    problems = []
    if is_apply and not manager:
        problems.append(field.required("fieldManager", "is required for apply patch"))
    if force is not None and not is_apply:
        problems.append(field.forbidden("force", "may not be specified for non-apply patch"))
    problems += _manager_problems(manager) + dry_run_problems(dry_run)
    if field_validation not in _VALIDATIONS:
        problems.append(field.not_supported("fieldValidation", field_validation, _VALIDATIONS))
    if problems:
        raise refusals.bad_options(kind, problems)


def dry_run_problems(values: Sequence[str]) -> list[field.FieldError]:
    """What is wrong with a dryRun parameter: all or nothing is all there is."""
    if all(value == "All" for value in values):
        return []
    return [field.not_supported("dryRun", list(values), ("All",))]


def _manager_problems(manager: str) -> list[field.FieldError]:
    problems = []
    if len(manager.encode()) > _MANAGER_LENGTH:
        problems.append(field.too_long("fieldManager", _MANAGER_LENGTH))
    for at, char in enumerate(manager):
        if not char.isprintable():
            text = f"invalid character U+{ord(char):04X} (at position {at})"
            problems.append(field.invalid("fieldManager", manager, text))
    return problems
