"""Whether the rules of a definition are rules: they compile, and say what they say in a bool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.objects.custom import coded_rules
from kubestage.objects.custom.rule_tree import RuleError
from kubestage.objects.validation import field, internal_json

# NOTE: it needs a library.
with lazy.imports():
    from kubestage.objects.custom import cel_programs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.custom.nodes import Node
    from kubestage.objects.validation.field import FieldError

REASONS: Final = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)
_UNKNOWN: Final = "DYN"


def validate(node: Node, path: str, *, is_root: bool, uncorrelated: str) -> list[FieldError]:
    """What is wrong with the rules of one schema."""
    errors: list[FieldError] = []
    for index, rule in enumerate(node.rules):
        try:
            errors += _validate(rule, node, f"{path}[{index}]", uncorrelated, is_root=is_root)
        except InputError as missing:
            if coded_rules.knows(rule):
                continue
            return [*errors, field.forbidden(f"{path}[{index}].rule", _hint(missing))]
    return errors


def _hint(missing: InputError) -> str:
    return f"rules need the package cel-expr-python; {missing.fix}"


def _validate(
    rule: Json, node: Node, path: str, uncorrelated: str, *, is_root: bool
) -> Iterator[FieldError]:
    shown = internal_json.render("apiextensions/v1.ValidationRule", rule)
    optional_old = bool(rule.get("optionalOldSelf"))
    uses_old = False
    try:
        program = cel_programs.Program(
            rule["rule"], node, is_root=is_root, optional_old=optional_old
        )
        uses_old = program.uses_old_self
        if program.result not in ("BOOL", _UNKNOWN):
            yield field.invalid(f"{path}.rule", shown, "cel expression must evaluate to a bool")
    except RuleError as error:
        yield field.invalid(f"{path}.rule", shown, str(error))
    else:
        yield from _wording(rule, node, path, shown, is_root=is_root)
    if uses_old and uncorrelated:
        text = (
            "oldSelf cannot be used on the uncorrelatable portion of the schema within "
            f"{uncorrelated}"
        )
        yield field.invalid(f"{path}.rule", rule["rule"], text)
    elif not uses_old and rule.get("optionalOldSelf") is not None:
        text = "may not be set if oldSelf is not used in rule"
        yield field.invalid(f"{path}.optionalOldSelf", rule["optionalOldSelf"], text)


def _wording(
    rule: Json, node: Node, path: str, shown: field.Rendered, *, is_root: bool
) -> Iterator[FieldError]:
    expression = rule.get("messageExpression")
    if not expression:
        return
    where = f"{path}.messageExpression"
    try:
        program = cel_programs.Program(expression, node, is_root=is_root, optional_old=False)
    except RuleError as error:
        yield field.invalid(where, shown, f"messageExpression {error}")
        return
    if program.result not in ("STRING", _UNKNOWN):
        yield field.invalid(where, shown, "messageExpression must evaluate to a string")
