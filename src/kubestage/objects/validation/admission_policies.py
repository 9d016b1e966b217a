"""Rules for admission policies and their bindings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import (
    conditions,
    field,
    internal_json,
    label_selectors,
    match_rules,
    metadata,
    names,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_ACTIONS: Final = ("Audit", "Deny", "Warn")
_MUTABLE: Final = ("*", "CONNECT", "CREATE", "UPDATE")
_PATCHES: Final = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
_MOST_ANNOTATIONS: Final = 20
_MOST_EXPRESSION: Final = 5 * 1024
_EXCLUSIVE: Final = "name and selector are mutually exclusive"
_match_identifier: Final = re.compile("[_a-zA-Z][_a-zA-Z0-9]*").fullmatch
_RESERVED: Final = frozenset(
    {
        "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for",
        "function", "if", "import", "let", "loop", "package", "namespace", "return", "var",
        "void", "while",
    }
)  # fmt: skip


def _validate_metadata(obj: dict[str, Any]) -> list[FieldError]:
    return metadata.validate_object_meta(
        obj["metadata"], False, names.name_is_dns_subdomain, kube_finalizers=False
    )


def validate_validating_policy(obj: dict[str, Any]) -> list[FieldError]:
    """A policy that refuses requests."""
    spec = obj.get("spec") or {}
    errors = _validate_metadata(obj) + _validate_matching(spec)
    errors += match_rules.validate_conditions(spec, "spec")
    errors += _validate_variables(spec)
    validations, annotations = spec.get("validations") or [], spec.get("auditAnnotations") or []
    if not validations and not annotations:
        detail = "validations or auditAnnotations must contain at least one item"
        keys = ("validations", "auditAnnotations")
        return errors + [field.required(f"spec.{key}", detail) for key in keys]
    for index, validation in enumerate(validations):
        errors += _validate_validation(validation, f"spec.validations[{index}]")
    return errors + _validate_annotations(obj["metadata"].get("name") or "", annotations)


def validate_validating_policy_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """A changed policy that refuses requests."""
    return validate_validating_policy(new)


def validate_policy_status_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """What is known of a policy's expressions."""
    status = new.get("status") or {}
    errors: list[FieldError] = []
    path = "status.typeChecking.expressionWarnings"
    warnings = (status.get("typeChecking") or {}).get("expressionWarnings") or ()
    for index, warning in enumerate(warnings):
        errors += [
            field.required(f"{path}[{index}].{key}")
            for key in ("warning", "fieldRef")
            if not (warning.get(key) or "").strip()
        ]
    given = status.get("conditions") or []
    return errors + conditions.validate_conditions(given, "status.conditions")


def _validate_matching(spec: dict[str, Any]) -> list[FieldError]:
    """What all policies have: how they fail, their parameters, what they match."""
    errors: list[FieldError] = []
    if spec.get("failurePolicy") is None:
        errors.append(field.required("spec.failurePolicy"))
    errors += match_rules.validate_choice(spec, "spec", "failurePolicy", ("Fail", "Ignore"))
    if spec.get("paramKind") is not None:
        errors += _validate_param_kind(spec["paramKind"], "spec.paramKind")
    match = spec.get("matchConstraints")
    if match is None:
        return [*errors, field.required("spec.matchConstraints")]
    errors += match_rules.validate_match_resources(match, "spec.matchConstraints")
    if not match.get("resourceRules"):
        errors.append(field.required("spec.matchConstraints.resourceRules"))
    return errors


def _validate_param_kind(kind: dict[str, Any], path: str) -> list[FieldError]:
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


def _validate_variables(spec: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, variable in enumerate(spec.get("variables") or ()):
        path, name = f"spec.variables[{index}]", variable.get("name") or ""
        if not name.strip():
            errors.append(field.required(f"{path}.name", "name is not specified"))
        elif not _match_identifier(name) or name in _RESERVED:
            errors.append(field.invalid(f"{path}.name", name, "must be a valid CEL identifier"))
        if not (variable.get("expression") or "").strip():
            errors.append(field.required(f"{path}.expression", "expression is not specified"))
    return errors


def _validate_validation(validation: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not (validation.get("expression") or "").strip():
        errors.append(field.required(f"{path}.expression", "expression is not specified"))
    for key in ("messageExpression", "message"):
        text = validation.get(key) or ""
        if text and not text.strip():
            errors.append(field.invalid(f"{path}.{key}", text, "must be non-empty if specified"))
        elif key == "message" and ("\n" in text.strip() or "\r" in text.strip()):
            errors.append(field.invalid(f"{path}.{key}", text, "must not contain line breaks"))
    return errors + match_rules.validate_choice(validation, path, "reason", _REASONS)


def _validate_annotations(name: str, annotations: list[dict[str, Any]]) -> list[FieldError]:
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
        if key in seen:
            errors.append(field.duplicate(f"{at}.key", key))
        seen.add(key)
    return errors


def validate_mutating_policy(obj: dict[str, Any]) -> list[FieldError]:
    """A policy that changes requests."""
    spec = obj.get("spec") or {}
    errors = _validate_metadata(obj) + _validate_matching(spec)
    errors += _validate_operations(spec.get("matchConstraints"), "spec.matchConstraints")
    errors += match_rules.validate_conditions(spec, "spec")
    errors += _validate_variables(spec)
    mutations = spec.get("mutations") or []
    if not mutations:
        detail = "mutations must contain at least one item"
        errors.append(field.required("spec.mutations", detail))
    for index, mutation in enumerate(mutations):
        errors += _validate_mutation(mutation, f"spec.mutations[{index}]")
    if not spec.get("reinvocationPolicy"):
        return [*errors, field.required("spec.reinvocationPolicy")]
    valid = ("IfNeeded", "Never")
    return errors + match_rules.validate_choice(spec, "spec", "reinvocationPolicy", valid)


def validate_mutating_policy_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """A changed policy that changes requests."""
    return validate_mutating_policy(new)


def _validate_operations(match: dict[str, Any] | None, path: str) -> list[FieldError]:
    """What is deleted cannot be changed."""
    return [
        field.not_supported(f"{path}.resourceRules.operations", each, _MUTABLE)
        for rule in (match or {}).get("resourceRules") or ()
        for each in rule.get("operations") or ()
        if each not in _MUTABLE
    ]


def _validate_mutation(mutation: dict[str, Any], path: str) -> list[FieldError]:
    kind = mutation.get("patchType") or ""
    if not kind:
        return [field.required(f"{path}.patchType")]
    if kind not in _PATCHES:
        return [field.not_supported(f"{path}.patchType", kind, _PATCHES)]
    key = _PATCHES[kind]
    patch = mutation.get(key)
    errors: list[FieldError] = []
    if patch is None:
        detail = f"must be specified when patchType is {kind}"
        errors.append(field.required(f"{path}.{key}", detail))
    elif not (patch.get("expression") or "").strip():
        errors.append(field.required(f"{path}.{key}.expression"))
    for other in _PATCHES.values():
        if other != key and mutation.get(other) is not None:
            detail = f"must not be specified when patchType is {kind}"
            errors.append(field.invalid(f"{path}.{other}", f"{{{other}}}", detail))
    return errors


def validate_validating_binding(obj: dict[str, Any]) -> list[FieldError]:
    """Where a policy that refuses applies, and what it then does."""
    errors = _validate_binding(obj)
    actions, path = (obj.get("spec") or {}).get("validationActions") or [], "spec.validationActions"
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            errors.append(field.not_supported(f"{path}[{index}]", action, _ACTIONS))
        if action in actions[:index]:
            errors.append(field.duplicate(f"{path}[{index}]", internal_json.text(action)))
    if "Deny" in actions and "Warn" in actions:
        detail = (
            "must not contain both Deny and Warn (repeating the same validation failure "
            "information in the API response and headers serves no purpose)"
        )
        errors.append(field.invalid(path, internal_json.text(actions), detail))
    if not actions:
        errors.append(field.required(path, "at least one validation action is required"))
    return errors


def validate_validating_binding_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """As on creation."""
    return validate_validating_binding(new)


def validate_mutating_binding(obj: dict[str, Any]) -> list[FieldError]:
    """Where a policy that changes requests applies."""
    match = (obj.get("spec") or {}).get("matchResources")
    return _validate_binding(obj) + _validate_operations(match, "spec.matchResources")


def validate_mutating_binding_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """As on creation."""
    return validate_mutating_binding(new)


def _validate_binding(obj: dict[str, Any]) -> list[FieldError]:
    errors = _validate_metadata(obj)
    spec = obj.get("spec") or {}
    policy, path = spec.get("policyName") or "", "spec.policyName"
    if policy:
        errors += field.invalids(path, policy, names.is_dns1123_subdomain(policy))
    else:
        errors.append(field.required(path))
    if spec.get("paramRef") is not None:
        errors += _validate_param_ref(spec["paramRef"], "spec.paramRef")
    match = spec.get("matchResources")
    if match is None:
        return errors
    return errors + match_rules.validate_match_resources(match, "spec.matchResources")


def _validate_param_ref(reference: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    name, selector = reference.get("name") or "", reference.get("selector")
    errors += field.invalids(f"{path}.name", name, names.is_valid_path_segment_name(name))
    if name and selector is not None:
        errors.append(field.forbidden(f"{path}.name", _EXCLUSIVE))
    errors += label_selectors.validate_label_selector(selector, f"{path}.selector")
    if name and selector is not None:
        errors.append(field.forbidden(f"{path}.selector", _EXCLUSIVE))
    if not name and selector is None:
        errors.append(field.required(path, "one of name or selector must be specified"))
    if not reference.get("parameterNotFoundAction"):
        return [*errors, field.required(f"{path}.parameterNotFoundAction")]
    valid = ("Deny", "Allow")
    return errors + match_rules.validate_choice(reference, path, "parameterNotFoundAction", valid)
