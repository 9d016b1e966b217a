"""Whether the rules of a definition are rules: they compile, and say what they say in a bool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

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
    from kubestage.objects.custom.rule_costs import RuleCosts
    from kubestage.objects.validation.field import FieldError

REASONS: Final = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)
_UNKNOWN: Final = "DYN"


class RulePlace(NamedTuple):
    """Where rules stand: the part of `SchemaPlace` that they depend on."""

    is_root: bool
    uncorrelated: str
    costs: RuleCosts
    times: int | None


def validate(node: Node, path: str, place: RulePlace) -> list[FieldError]:
    """What is wrong with the rules of one schema."""
    errors: list[FieldError] = []
    for index, rule in enumerate(node.rules):
        try:
            errors += _validate(rule, node, f"{path}[{index}]", place)
        except InputError as missing:
            if coded_rules.knows(rule):
                continue
            return [*errors, field.forbidden(f"{path}[{index}].rule", _hint(missing))]
    return errors


def _hint(missing: InputError) -> str:
    return f"rules need the package cel-expr-python; {missing.fix}"


def _validate(rule: Json, node: Node, path: str, place: RulePlace) -> Iterator[FieldError]:
    shown = internal_json.render("apiextensions/v1.ValidationRule", rule)
    optional_old = bool(rule.get("optionalOldSelf"))
    uses_old = False
    try:
        program = cel_programs.Program(
            rule["rule"], node, is_root=place.is_root, optional_old=optional_old
        )
        uses_old = program.uses_old_self
        if program.result in ("BOOL", _UNKNOWN):
            yield from place.costs.rule(program, place.times, f"{path}.rule")
        else:
            yield field.invalid(f"{path}.rule", shown, "cel expression must evaluate to a bool")
    except RuleError as error:
        yield field.invalid(f"{path}.rule", shown, str(error))
    else:
        yield from _wording(rule, node, path, shown, place)
    if uses_old and place.uncorrelated:
        text = (
            "oldSelf cannot be used on the uncorrelatable portion of the schema within "
            f"{place.uncorrelated}"
        )
        yield field.invalid(f"{path}.rule", rule["rule"], text)
    elif not uses_old and rule.get("optionalOldSelf") is not None:
        text = "may not be set if oldSelf is not used in rule"
        yield field.invalid(f"{path}.optionalOldSelf", rule["optionalOldSelf"], text)


def _wording(
    rule: Json, node: Node, path: str, shown: field.Rendered, place: RulePlace
) -> Iterator[FieldError]:
    expression = rule.get("messageExpression")
    if not expression:
        return
    where = f"{path}.messageExpression"
    try:
        program = cel_programs.Program(expression, node, is_root=place.is_root, optional_old=False)
    except RuleError as error:
        yield field.invalid(where, shown, f"messageExpression {error}")
        return
    if program.result in ("STRING", _UNKNOWN):
        yield from place.costs.wording(program, where)
    else:
        yield field.invalid(where, shown, "messageExpression must evaluate to a string")
