"""Rules for the requests that a webhook or an admission policy matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import field, internal_json, label_selectors, metadata, names
from kubestage.objects.validation.expressions import Expressions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_MUTABLE: Final = ("*", "CONNECT", "CREATE", "UPDATE")
_MOST_CONDITIONS: Final = 64


def validate_metadata(obj: Json) -> list[FieldError]:
    """The metadata of a policy, a binding or a configuration of webhooks."""
    return metadata.validate_object_meta(
        obj["metadata"], False, names.name_is_dns_subdomain, kube_finalizers=False
    )


def validate_rule(rule: Json, path: str) -> list[FieldError]:
    """Operations on resources."""
    operations, at = rule.get("operations") or [], f"{path}.operations"
    errors = [] if operations else [field.required(at)]
    errors += _validate_alone(operations, at, "operations")
    errors += [
        field.not_supported(f"{at}[{index}]", each, _OPERATIONS)
        for index, each in enumerate(operations)
        if each not in _OPERATIONS
    ]
    groups, versions = rule.get("apiGroups") or [], rule.get("apiVersions") or []
    if not groups:
        errors.append(field.required(f"{path}.apiGroups"))
    errors += _validate_alone(groups, f"{path}.apiGroups", "API groups")
    if not versions:
        errors.append(field.required(f"{path}.apiVersions"))
    errors += _validate_alone(versions, f"{path}.apiVersions", "API versions")
    errors += [
        field.required(f"{path}.apiVersions[{index}]")
        for index, version in enumerate(versions)
        if not version
    ]
    errors += _validate_resources(rule.get("resources") or [], f"{path}.resources")
    return errors + markers.check("admissionregistration/v1.Rule", rule, path)


def _validate_alone(values: list[str], path: str, what: str) -> list[FieldError]:
    if len(values) < 2 or "*" not in values:
        return []
    detail = f"if '*' is present, must not specify other {what}"
    return [field.invalid(path, internal_json.text(values), detail)]


def _validate_resources(resources: list[str], path: str) -> list[FieldError]:
    errors = [] if resources else [field.required(path)]
    all_below: set[str] = set()
    of_all: set[str] = set()
    has_plain = False
    for index, text in enumerate(resources):
        at = f"{path}[{index}]"
        if not text:
            errors.append(field.required(at))
            continue
        name, slash, below = text.partition("/")
        if not slash:
            has_plain = text != "*"
            continue
        if name in all_below:
            detail = f"if '{name}/*' is present, must not specify {text}"
            errors.append(field.invalid(at, text, detail))
        if below in of_all:
            detail = f"if '*/{below}' is present, must not specify {text}"
            errors.append(field.invalid(at, text, detail))
        if below == "*":
            all_below.add(name)
        if name == "*":
            of_all.add(below)
    shown = internal_json.text(resources)
    if len(resources) > 1 and "*/*" in resources:
        detail = "if '*/*' is present, must not specify other resources"
        errors.append(field.invalid(path, shown, detail))
    if "*" in resources and has_plain:
        detail = "if '*' is present, must not specify other resources without subresources"
        errors.append(field.invalid(path, shown, detail))
    return errors


def validate_conditions(holder: Json, path: str) -> list[FieldError]:
    """Expressions that must all hold; each has a name of its own."""
    compiled = Expressions(has_params=holder.get("paramKind") is not None)
    conditions, path = holder.get("matchConditions") or [], f"{path}.matchConditions"
    errors: list[FieldError] = []
    if len(conditions) > _MOST_CONDITIONS:
        errors.append(field.too_many(path, len(conditions), _MOST_CONDITIONS))
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        at, name = f"{path}[{index}]", condition.get("name") or ""
        expression = condition.get("expression") or ""
        if expression.strip():
            errors += compiled.condition(expression, f"{at}.expression")
        else:
            errors.append(field.required(f"{at}.expression"))
        if not name:
            errors.append(field.required(f"{at}.name"))
            continue
        errors += field.invalids(f"{at}.name", name, names.is_qualified_name(name))
        if name in seen:
            errors.append(field.duplicate(f"{at}.name", name))
        seen.add(name)
    return errors


def validate_match_resources(match: Json, path: str) -> list[FieldError]:
    """Which objects a policy is for."""
    errors = markers.check("admissionregistration/v1.MatchResources", match, path)
    for key in ("namespaceSelector", "objectSelector"):
        if match.get(key) is None:
            errors.append(field.required(f"{path}.{key}"))
        errors += label_selectors.validate_label_selector(match.get(key), f"{path}.{key}")
    for key in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(match.get(key) or ()):
            at = f"{path}.{key}[{index}]"
            errors += _validate_names(rule.get("resourceNames") or [], f"{at}.resourceNames")
            errors += validate_rule(rule, at)
    return errors


def _validate_names(listed: list[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, name in enumerate(listed):
        at = f"{path}[{index}]"
        errors += field.invalids(at, name, names.is_valid_path_segment_name(name))
        if name in listed[:index]:
            errors.append(field.duplicate(at, name))
    return errors


def validate_mutable(match: Json | None, path: str) -> list[FieldError]:
    """The operations whose objects a policy can change: not a deletion."""
    return [
        field.not_supported(f"{path}.resourceRules.operations", each, _MUTABLE)
        for rule in (match or {}).get("resourceRules") or ()
        for each in rule.get("operations") or ()
        if each not in _MUTABLE
    ]
