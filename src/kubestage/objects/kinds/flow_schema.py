"""What the API does to a FlowSchema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.strategy import status
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, flow_control, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_PRECEDENCE: Final = 1000
_DISTINGUISHERS: Final = ("ByNamespace", "ByUser")
_VERBS: Final = (
    "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch",
)  # fmt: skip
_SUBJECTS: Final = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
# The order in which upstream checks those that must be absent.
_OTHERS: Final = ("ServiceAccount", "User", "Group")


def _default(obj: Json) -> None:
    spec = obj["spec"]
    spec["matchingPrecedence"] = spec.get("matchingPrecedence") or _PRECEDENCE


def _validate(obj: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    spec = obj.get("spec") or {}
    errors += _validate_precedence(obj["metadata"].get("name") or "", spec)
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type") not in _DISTINGUISHERS:
        shown = internal_json.render("flowcontrol/v1.FlowDistinguisherMethod", method)
        path = "spec.distinguisherMethod.type"
        errors.append(field.not_supported(path, shown, _DISTINGUISHERS))
    errors += markers.check(
        "flowcontrol/v1.PriorityLevelConfigurationReference",
        spec.get("priorityLevelConfiguration") or {},
        "spec.priorityLevelConfiguration",
    )
    for index, rule in enumerate(spec.get("rules") or ()):
        errors += _validate_rule(rule, f"spec.rules[{index}]")
    return errors + flow_control.validate_conditions(obj)


def _validate_precedence(name: str, spec: Json) -> list[FieldError]:
    if spec.get("matchingPrecedence") == 1 and name != "exempt":
        detail = "only the schema named 'exempt' may have matchingPrecedence 1"
        return [field.invalid("spec.matchingPrecedence", 1, detail)]
    return markers.check("flowcontrol/v1.FlowSchemaSpec", spec, "spec")


def _validate_rule(rule: Json, path: str) -> list[FieldError]:
    errors = markers.check("flowcontrol/v1.PolicyRulesWithSubjects", rule, path)
    for index, subject in enumerate(rule.get("subjects") or ()):
        errors += _validate_subject(subject, f"{path}.subjects[{index}]")
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        detail = "at least one of resourceRules and nonResourceRules has to be non-empty"
        errors.append(field.required(path, detail))
    for index, each in enumerate(rule.get("resourceRules") or ()):
        errors += _validate_resource_rule(each, f"{path}.resourceRules[{index}]")
    for index, each in enumerate(rule.get("nonResourceRules") or ()):
        errors += _validate_url_rule(each, f"{path}.nonResourceRules[{index}]")
    return errors


def _validate_subject(subject: Json, path: str) -> list[FieldError]:
    kind = subject.get("kind") or ""
    if kind not in _SUBJECTS:
        return [field.not_supported(f"{path}.kind", kind, _SUBJECTS)]
    key = _SUBJECTS[kind]
    reference = subject.get(key)
    if reference is None:
        detail = f"{key} is required when subject kind is '{kind}'"
        errors = [field.required(f"{path}.{key}", detail)]
    else:
        errors = _validate_named(reference, f"{path}.{key}", is_account=kind == "ServiceAccount")
    for other in _OTHERS:
        name = _SUBJECTS[other]
        if other != kind and subject.get(name) is not None:
            detail = f"{name} is forbidden when subject kind is not '{other}'"
            errors.append(field.forbidden(f"{path}.{name}", detail))
    return errors


def _validate_named(reference: Json, path: str, *, is_account: bool) -> list[FieldError]:
    name, namespace = reference.get("name") or "", reference.get("namespace") or ""
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


def _validate_verbs(rule: Json, path: str) -> list[FieldError]:
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


def _validate_resource_rule(rule: Json, path: str) -> list[FieldError]:
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


def _validate_url_rule(rule: Json, path: str) -> list[FieldError]:
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


def _validate_update(new: Json, _: Json) -> list[FieldError]:
    return _validate(new)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    spec = cells.part(obj, "spec")
    dangling = [
        cells.text(each, "status")
        for each in cells.items(obj, "status", "conditions")
        if cells.text(each, "type") == "Dangling"
    ]
    return [
        cells.name(obj),
        cells.text(spec, "priorityLevelConfiguration", "name"),
        cells.number(spec, "matchingPrecedence"),
        cells.text(spec, "distinguisherMethod", "type") or cells.NONE,
        cells.age(obj, now_ns),
        dangling[0] if dangling else "?",
    ]


KIND: Final = Kind(
    group="flowcontrol.apiserver.k8s.io",
    version="v1",
    kind="FlowSchema",
    plural="flowschemas",
    namespaced=False,
    subresources=frozenset({"status"}),
    old_versions=(
        "flowcontrol.apiserver.k8s.io/v1beta1",
        "flowcontrol.apiserver.k8s.io/v1beta2",
        "flowcontrol.apiserver.k8s.io/v1beta3",
    ),
    declared=Behavior(
        default=_default,
        prepare_update={"status": status.reset_metadata},
        generation_fields=("spec",),
        validate=_validate,
        validate_update={"": _validate_update, "status": flow_control.validate_status},
        validates_metadata=(CREATE, "", "status"),
        cells=_cells,
        status_resets_metadata=True,
    ),
)
