"""What the API does to a MutatingAdmissionPolicy and a ValidatingAdmissionPolicy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.defaulting import match_rules as match_defaults
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.strategy import status
from kubestage.objects.tables import cells
from kubestage.objects.validation import conditions, field, internal_json, match_rules, names
from kubestage.objects.validation.expressions import Expressions
from kubestage.objects.warnings import cluster as cluster_warnings

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_GROUP: Final = "admissionregistration.k8s.io"
_MUTATING_SPEC: Final = "admissionregistration/v1.MutatingAdmissionPolicySpec"
_PATCHES: Final = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
_MOST_ANNOTATIONS: Final = 20
_MOST_EXPRESSION: Final = 5 * 1024
_match_identifier: Final = re.compile("[_a-zA-Z][_a-zA-Z0-9]*").fullmatch
_RESERVED: Final = frozenset(
    {
        "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for",
        "function", "if", "import", "let", "loop", "package", "namespace", "return", "var",
        "void", "while",
    }
)  # fmt: skip


def _default(obj: Json) -> None:
    spec = obj["spec"]
    spec.setdefault("failurePolicy", "Fail")
    match_defaults.complete_resources(spec.get("matchConstraints"))


def _validate_matching(spec: Json) -> list[FieldError]:
    """What both kinds have: how they fail, their parameters, what they match."""
    errors = markers.check(_MUTATING_SPEC, spec, "spec", "failurePolicy")
    if spec.get("paramKind") is not None:
        errors += _validate_param_kind(spec["paramKind"], "spec.paramKind")
    match = spec.get("matchConstraints")
    if match is None:
        return [*errors, field.required("spec.matchConstraints")]
    errors += match_rules.validate_match_resources(match, "spec.matchConstraints")
    if not match.get("resourceRules"):
        errors.append(field.required("spec.matchConstraints.resourceRules"))
    return errors


def _validate_param_kind(kind: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    text, name = kind.get("apiVersion") or "", kind.get("kind") or ""
    at = f"{path}.apiVersion"
    group, _, version = text.rpartition("/")
    if not text:
        errors.append(field.required(at))
    elif text.count("/") > 1:
        errors.append(field.invalid(at, text, f"unexpected GroupVersion string: {text}"))
    else:
        errors += _joined(at, group, names.is_dns1123_subdomain(group) if group else ())
        if version:
            errors += _joined(at, version, names.is_dns1035_label(version))
        else:
            errors.append(field.invalid(at, text, "version must be specified"))
    if not name:
        return [*errors, field.required(f"{path}.kind")]
    problems = names.is_dns1035_label(name.lower())
    if problems:
        detail = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        errors.append(field.invalid(f"{path}.kind", name, detail))
    return errors


def _joined(path: str, value: str, problems: names.Problems) -> list[FieldError]:
    return [field.invalid(path, value, ",".join(problems))] if problems else []


def _expressions(spec: Json) -> Expressions:
    """The expressions of a policy, with the variables that can be compiled at all."""
    listed = spec.get("variables") or []
    usable = [each for each in listed if each.get("name") and each.get("expression")]
    return Expressions(has_params=spec.get("paramKind") is not None, listed=usable)


def _validate_variables(spec: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    compiled, usable = _expressions(spec), 0
    for index, variable in enumerate(spec.get("variables") or ()):
        path, name = f"spec.variables[{index}]", variable.get("name") or ""
        if not name.strip():
            errors.append(field.required(f"{path}.name", "name is not specified"))
        elif not _match_identifier(name) or name in _RESERVED:
            errors.append(field.invalid(f"{path}.name", name, "must be a valid CEL identifier"))
        if not (variable.get("expression") or "").strip():
            errors.append(field.required(f"{path}.expression", "expression is not specified"))
        elif name:
            errors += compiled.variable(usable, f"{path}.expression")
        usable += bool(name and variable.get("expression"))
    return errors


def _validate_mutating(obj: Json) -> list[FieldError]:
    spec = obj.get("spec") or {}
    errors = match_rules.validate_metadata(obj) + _validate_matching(spec)
    errors += match_rules.validate_mutable(spec.get("matchConstraints"), "spec.matchConstraints")
    errors += match_rules.validate_conditions(spec, "spec")
    errors += _validate_variables(spec)
    errors += markers.check(_MUTATING_SPEC, spec, "spec", "mutations")
    for index, mutation in enumerate(spec.get("mutations") or ()):
        errors += _validate_mutation(mutation, f"spec.mutations[{index}]", _expressions(spec))
    return errors + markers.check(_MUTATING_SPEC, spec, "spec", "reinvocationPolicy")


def _validate_mutating_update(new: Json, _: Json) -> list[FieldError]:
    return _validate_mutating(new)


def _validate_mutation(mutation: Json, path: str, compiled: Expressions) -> list[FieldError]:
    errors = markers.check("admissionregistration/v1.Mutation", mutation, path)
    if errors:
        return errors
    kind = mutation["patchType"]
    key = _PATCHES[kind]
    patch = mutation.get(key)
    if patch is None:
        detail = f"must be specified when patchType is {kind}"
        errors.append(field.required(f"{path}.{key}", detail))
    elif not (patch.get("expression") or "").strip():
        errors.append(field.required(f"{path}.{key}.expression"))
    else:
        returns = "Object" if kind == "ApplyConfiguration" else "list(JSONPatch)"
        errors += compiled.mutation(patch["expression"], f"{path}.{key}.expression", returns)
    for other in _PATCHES.values():
        if other != key and mutation.get(other) is not None:
            detail = f"must not be specified when patchType is {kind}"
            errors.append(field.invalid(f"{path}.{other}", f"{{{other}}}", detail))
    return errors


def _validate_validating(obj: Json) -> list[FieldError]:
    spec = obj.get("spec") or {}
    errors = match_rules.validate_metadata(obj) + _validate_matching(spec)
    errors += match_rules.validate_conditions(spec, "spec")
    errors += _validate_variables(spec)
    validations, annotations = spec.get("validations") or [], spec.get("auditAnnotations") or []
    if not validations and not annotations:
        detail = "validations or auditAnnotations must contain at least one item"
        keys = ("validations", "auditAnnotations")
        return errors + [field.required(f"spec.{key}", detail) for key in keys]
    for index, validation in enumerate(validations):
        errors += _validate_validation(validation, f"spec.validations[{index}]", _expressions(spec))
    name = obj["metadata"].get("name") or ""
    return errors + _validate_annotations(name, annotations, _expressions(spec))


def _validate_validating_update(new: Json, _: Json) -> list[FieldError]:
    return _validate_validating(new)


def _validate_validation(validation: Json, path: str, compiled: Expressions) -> list[FieldError]:
    errors: list[FieldError] = []
    expression = validation.get("expression") or ""
    if expression.strip():
        errors += compiled.validation(expression, f"{path}.expression")
    else:
        errors.append(field.required(f"{path}.expression", "expression is not specified"))
    for key in ("messageExpression", "message"):
        text = validation.get(key) or ""
        if text and not text.strip():
            errors.append(field.invalid(f"{path}.{key}", text, "must be non-empty if specified"))
        elif text and key == "messageExpression":
            errors += compiled.message(text, f"{path}.{key}")
        elif key == "message" and ("\n" in text.strip() or "\r" in text.strip()):
            errors.append(field.invalid(f"{path}.{key}", text, "must not contain line breaks"))
    return errors + markers.check("admissionregistration/v1.Validation", validation, path)


def _validate_annotations(
    name: str, annotations: list[Json], compiled: Expressions
) -> list[FieldError]:
    errors: list[FieldError] = []
    path = "spec.auditAnnotations"
    if len(annotations) > _MOST_ANNOTATIONS:
        shown = internal_json.render("[]admissionregistration/v1.AuditAnnotation", annotations)
        detail = f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations"
        errors.append(field.invalid(path, shown, detail))
    seen: set[str] = set()
    for index, annotation in enumerate(annotations):
        at, key = f"{path}[{index}]", annotation.get("key") or ""
        if name:
            full = f"{name}/{key}"
            errors += field.invalids(f"{at}.key", full, names.is_qualified_name(full))
        else:
            detail = "requires metadata.name be non-empty"
            errors.append(field.invalid(f"{at}.key", key, detail))
        expression = (annotation.get("valueExpression") or "").strip()
        detail = "valueExpression is not specified"
        if names.size(expression) > _MOST_EXPRESSION:
            detail = f"must not exceed {_MOST_EXPRESSION} bytes in length"
        if not expression or names.size(expression) > _MOST_EXPRESSION:
            errors.append(field.required(f"{at}.valueExpression", detail))
        else:
            errors += compiled.annotation(expression, f"{at}.valueExpression")
        if key in seen:
            errors.append(field.duplicate(f"{at}.key", key))
        seen.add(key)
    return errors


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    reported = new.get("status") or {}
    errors: list[FieldError] = []
    path = "status.typeChecking.expressionWarnings"
    warnings = (reported.get("typeChecking") or {}).get("expressionWarnings") or ()
    for index, warning in enumerate(warnings):
        errors += [
            field.required(f"{path}[{index}].{key}")
            for key in ("warning", "fieldRef")
            if not (warning.get(key) or "").strip()
        ]
    return errors + conditions.validate_conditions(
        reported.get("conditions") or [], "status.conditions"
    )


def _mutating_cells(obj: Json, now_ns: int) -> list[Cell]:
    return _cells(obj, "mutations", now_ns)


def _validating_cells(obj: Json, now_ns: int) -> list[Cell]:
    return _cells(obj, "validations", now_ns)


def _cells(obj: Json, counted: str, now_ns: int) -> list[Cell]:
    kind = cells.part(obj, "spec").get("paramKind")
    shown = cells.UNSET
    if kind is not None:
        shown = f"{cells.text(kind, 'apiVersion')}/{cells.text(kind, 'kind')}"
    return [cells.name(obj), len(cells.items(obj, "spec", counted)), shown, cells.age(obj, now_ns)]


KINDS: Final = (
    Kind(
        group=_GROUP,
        version="v1",
        kind="MutatingAdmissionPolicy",
        plural="mutatingadmissionpolicies",
        namespaced=False,
        categories=("api-extensions",),
        old_versions=(f"{_GROUP}/v1alpha1", f"{_GROUP}/v1beta1"),
        declared=Behavior(
            default=_default,
            generation_fields=("spec",),
            validate=_validate_mutating,
            validate_update={"": _validate_mutating_update},
            validates_metadata=(CREATE, ""),
            warn=cluster_warnings.static_name,
            cells=_mutating_cells,
            unconditional_update=False,
        ),
    ),
    Kind(
        group=_GROUP,
        version="v1",
        kind="ValidatingAdmissionPolicy",
        plural="validatingadmissionpolicies",
        namespaced=False,
        categories=("api-extensions",),
        subresources=frozenset({"status"}),
        old_versions=(f"{_GROUP}/v1alpha1", f"{_GROUP}/v1beta1"),
        declared=Behavior(
            default=_default,
            prepare_update={"status": status.reset_metadata},
            generation_fields=("spec",),
            validate=_validate_validating,
            validate_update={"": _validate_validating_update, "status": _validate_status},
            validates_metadata=(CREATE, "", "status"),
            warn=cluster_warnings.static_name,
            cells=_validating_cells,
            status_resets_metadata=True,
            unconditional_update=False,
        ),
    ),
)
