"""Whether the expressions of a policy fit the types of the objects that it is for.

What does not fit is a warning in the status of the policy: the policy works as it would without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects.admission import programs, schemas, variables
from kubestage.objects.admission.variables import Declarations
from kubestage.objects.custom import cel_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.custom.nodes import Node
    from kubestage.objects.kinds import Kind, KindTable

_MOST_TYPES: Final = 10


class _Checked(NamedTuple):
    """One kind of object that a policy is for, and the kind of its parameters."""

    kind: Kind
    scope: dict[str, Node]
    has_params: bool


def check(policy: Json, kinds: KindTable) -> list[dict[str, str]]:
    """The warnings about the validations of a policy, for its status."""
    spec = policy.get("spec") or {}
    checked = list(_checked(spec, kinds))
    found = []
    for index, validation in enumerate(spec.get("validations") or ()):
        for key in ("expression", "messageExpression"):
            text = validation.get(key)
            problems = [_problem(text, each, spec) for each in checked] if text else []
            shown = "\n".join(each for each in problems if each)
            if shown:
                path = f"spec.validations[{index}].{key}"
                found.append({"fieldRef": path, "warning": shown})
    return found


def _checked(spec: Json, kinds: KindTable) -> Iterator[_Checked]:
    params = spec.get("paramKind")
    row = None
    if params is not None:
        row = kinds.get(params.get("apiVersion") or "", params.get("kind") or "")
    param_node = None if row is None else schemas.node_of(row)
    for kind in _types(spec, kinds):
        node = schemas.node_of(kind)
        if node is None:
            continue
        scope = {"object": node, "oldObject": node}
        if param_node is not None:
            scope["params"] = param_node
        yield _Checked(kind, scope, params is not None)


def _types(spec: Json, kinds: KindTable) -> list[Kind]:
    """The kinds that the rules of a policy name; those that match anything name none."""
    found: dict[tuple[str, str, str], Kind] = {}
    for rule in (spec.get("matchConstraints") or {}).get("resourceRules") or ():
        groups, versions = rule.get("apiGroups") or (), rule.get("apiVersions") or ()
        if any("*" in each for each in (*groups, *versions)):
            continue
        resources = [each for each in rule.get("resources") or () if not {"*", "/"} & set(each)]
        for group in sorted(groups):
            for version in sorted(versions):
                for plural in sorted(resources):
                    row = kinds.by_plural(group, version, plural)
                    if row is not None:
                        found[(group, version, row.kind)] = row
    return [found[key] for key in sorted(found)][:_MOST_TYPES]


def _problem(text: str, checked: _Checked, spec: Json) -> str:
    listed = spec.get("variables") or []
    texts = "\n".join([text, *(each.get("expression") or "" for each in listed)])
    typed = variables.typed(texts, {**checked.scope, **programs.SCOPE})
    declared = Declarations(has_params=checked.has_params, typed=tuple(sorted(typed.items())))
    declared = programs.with_variables(declared, listed)
    try:
        untyped = programs.compiled(text, declared._replace(typed=()))
        problems = cel_tree.problems(untyped.serialize(), checked.scope)
        issues = "\n".join(programs.located(text, each) for each in problems)
        if not issues:
            programs.compiled(text, declared)
    except programs.ExpressionError as error:
        issues = str(error).removeprefix("compilation failed: ")
    kind = checked.kind
    return f"{kind.group}/{kind.version}, Kind={kind.kind}: {issues}\n" if issues else ""
