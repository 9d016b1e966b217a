"""Rules for how a server shares itself out among its clients: flow schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_MOST_PRECEDENCE: Final = 10000
_DISTINGUISHERS: Final = ("ByNamespace", "ByUser")
_VERBS: Final = (
    "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch",
)  # fmt: skip
_SUBJECTS: Final = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
# In the order in which upstream looks at those that must not be there.
_OTHERS: Final = ("ServiceAccount", "User", "Group")


def validate_flow_schema(obj: dict[str, Any]) -> list[FieldError]:
    """A new flow schema."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    spec = obj.get("spec") or {}
    errors += _validate_precedence(obj["metadata"].get("name") or "", spec)
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type") not in _DISTINGUISHERS:
        shown = internal_json.render("flowcontrol/v1.FlowDistinguisherMethod", method)
        path = "spec.distinguisherMethod.type"
        errors.append(field.not_supported(path, shown, _DISTINGUISHERS))
    level = (spec.get("priorityLevelConfiguration") or {}).get("name") or ""
    path = "spec.priorityLevelConfiguration.name"
    if level:
        errors += field.invalids(path, level, names.is_dns1123_subdomain(level))
    else:
        errors.append(field.required(path, "must reference a priority level"))
    for index, rule in enumerate(spec.get("rules") or ()):
        errors += _validate_rule(rule, f"spec.rules[{index}]")
    return errors + validate_conditions(obj)


def _validate_precedence(name: str, spec: dict[str, Any]) -> list[FieldError]:
    value, path = spec.get("matchingPrecedence") or 0, "spec.matchingPrecedence"
    if value <= 0:
        return [field.invalid(path, value, "must be a positive value")]
    if value > _MOST_PRECEDENCE:
        return [field.invalid(path, value, f"must not be greater than {_MOST_PRECEDENCE}")]
    if value == 1 and name != "exempt":
        detail = "only the schema named 'exempt' may have matchingPrecedence 1"
        return [field.invalid(path, value, detail)]
    return []


def _validate_rule(rule: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    subjects = rule.get("subjects") or []
    if not subjects:
        detail = "subjects must contain at least one value"
        errors.append(field.required(f"{path}.subjects", detail))
    for index, subject in enumerate(subjects):
        errors += _validate_subject(subject, f"{path}.subjects[{index}]")
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        detail = "at least one of resourceRules and nonResourceRules has to be non-empty"
        errors.append(field.required(path, detail))
    for index, each in enumerate(rule.get("resourceRules") or ()):
        errors += _validate_resource_rule(each, f"{path}.resourceRules[{index}]")
    for index, each in enumerate(rule.get("nonResourceRules") or ()):
        errors += _validate_url_rule(each, f"{path}.nonResourceRules[{index}]")
    return errors


def _validate_subject(subject: dict[str, Any], path: str) -> list[FieldError]:
    kind = subject.get("kind") or ""
    if kind not in _SUBJECTS:
        return [field.not_supported(f"{path}.kind", kind, _SUBJECTS)]
    key = _SUBJECTS[kind]
    given = subject.get(key)
    if given is None:
        detail = f"{key} is required when subject kind is '{kind}'"
        errors = [field.required(f"{path}.{key}", detail)]
    else:
        errors = _validate_named(given, f"{path}.{key}", is_account=kind == "ServiceAccount")
    for other in _OTHERS:
        name = _SUBJECTS[other]
        if other != kind and subject.get(name) is not None:
            detail = f"{name} is forbidden when subject kind is not '{other}'"
            errors.append(field.forbidden(f"{path}.{name}", detail))
    return errors


def _validate_named(given: dict[str, Any], path: str, *, is_account: bool) -> list[FieldError]:
    name, namespace = given.get("name") or "", given.get("namespace") or ""
    errors = [] if name else [field.required(f"{path}.name")]
    if not is_account:
        return errors
    if name and name != "*":
        errors += field.invalids(f"{path}.name", name, names.is_dns1123_subdomain(name))
    if not namespace:
        detail = "must specify namespace for service account"
        return [*errors, field.required(f"{path}.namespace", detail)]
    problems = names.is_dns1123_label(namespace)
    return errors + field.invalids(f"{path}.namespace", namespace, problems)


def _validate_verbs(rule: dict[str, Any], path: str) -> list[FieldError]:
    verbs, path = rule.get("verbs") or [], f"{path}.verbs"
    if not verbs:
        return [field.required(path, "verbs must contain at least one value")]
    if "*" in verbs:
        return _validate_alone(verbs, path, "verbs")
    if set(verbs) <= set(_VERBS):
        return []
    return [field.not_supported(path, internal_json.text(verbs), _VERBS)]


def _validate_alone(values: list[str], path: str, what: str) -> list[FieldError]:
    if "*" not in values or len(values) == 1:
        return []
    detail = f"if '*' is present, must not specify other {what}"
    return [field.invalid(path, internal_json.text(values), detail)]


def _validate_resource_rule(rule: dict[str, Any], path: str) -> list[FieldError]:
    errors = _validate_verbs(rule, path)
    for key, what in (("apiGroups", "api group"), ("resources", "resource")):
        values = rule.get(key) or []
        if not values:
            detail = f"resource rules must supply at least one {what}"
            errors.append(field.required(f"{path}.{key}", detail))
        errors += _validate_alone(values, f"{path}.{key}", f"{what}s")
    namespaces, at = rule.get("namespaces") or [], f"{path}.namespaces"
    if not namespaces and not rule.get("clusterScope"):
        detail = "resource rules that are not cluster scoped must supply at least one namespace"
        return [*errors, field.required(at, detail)]
    if "*" in namespaces:
        return errors + _validate_alone(namespaces, at, "namespaces")
    for index, namespace in enumerate(namespaces):
        problems = [
            f"each member of this list must be '*' or a DNS-1123 label; {problem}"
            for problem in names.is_dns1123_label(namespace)
        ]
        errors += field.invalids(f"{at}[{index}]", namespace, problems)
    return errors


def _validate_url_rule(rule: dict[str, Any], path: str) -> list[FieldError]:
    errors = _validate_verbs(rule, path)
    urls, at = rule.get("nonResourceURLs") or [], f"{path}.nonResourceURLs"
    if not urls:
        detail = "nonResourceURLs must contain at least one value"
        return [*errors, field.required(at, detail)]
    if "*" in urls:
        return errors + _validate_alone(urls, at, "non-resource URLs")
    for index, url in enumerate(urls):
        problem = _url_problem(url)
        errors += field.invalids(f"{at}[{index}]", url, (problem,) if problem else ())
    return errors


def _url_problem(url: str) -> str | None:
    if not url:
        return "must not be empty"
    if not url.startswith("/"):
        return "must start with slash"
    if " " in url:
        return "must not contain white-space"
    if "//" in url:
        return "must not contain double slash"
    stars = url.count("*")
    if stars > 1 or (stars == 1 and not url.endswith("/*")):
        return "wildcard can only do suffix matching"
    return None


def validate_flow_schema_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """A changed flow schema."""
    return validate_flow_schema(new)


def validate_status_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """The conditions of a flow schema or a priority level."""
    return validate_conditions(new)


def validate_conditions(obj: dict[str, Any]) -> list[FieldError]:
    """Conditions of a status, each type once."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, condition in enumerate((obj.get("status") or {}).get("conditions") or ()):
        kind, path = condition.get("type") or "", f"status.conditions[{index}].type"
        if kind in seen:
            errors.append(field.duplicate(path, internal_json.text(kind)))
        if not kind:
            errors.append(field.required(path))
        seen.add(kind)
    return errors
