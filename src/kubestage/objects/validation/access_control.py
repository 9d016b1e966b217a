"""Rules for roles and their bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, label_selectors, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_GROUP: Final = "rbac.authorization.k8s.io"
_SUBJECTS: Final = ("ServiceAccount", "User", "Group")


def _name(name: str, _: bool) -> names.Problems:
    """A name that fits into a URL, whole or as a prefix."""
    return names.is_valid_path_segment_name(name)


def validate_role(obj: dict[str, Any]) -> list[FieldError]:
    """A new role of a namespace."""
    errors = metadata.validate_object_meta(obj["metadata"], True, _name)
    return errors + _validate_rules(obj, namespaced=True)


def validate_role_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed role."""
    return validate_role(new) + metadata.validate_object_meta_update(
        new["metadata"], old["metadata"]
    )


def validate_cluster_role(obj: dict[str, Any]) -> list[FieldError]:
    """A new role of the cluster."""
    return _validate_cluster_role(obj, allow_invalid_values=False)


def _validate_cluster_role(obj: dict[str, Any], *, allow_invalid_values: bool) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], False, _name)
    errors += _validate_rules(obj, namespaced=False)
    aggregation, path = obj.get("aggregationRule"), "aggregationRule.clusterRoleSelectors"
    if aggregation is None:
        return errors
    selectors = aggregation.get("clusterRoleSelectors") or []
    if not selectors:
        detail = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        errors.append(field.required(path, detail))
    for index, selector in enumerate(selectors):
        errors += label_selectors.validate_label_selector(
            selector, f"{path}[{index}]", allow_invalid_values=allow_invalid_values
        )
    return errors


def validate_cluster_role_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed role of the cluster."""
    before = (old.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
    is_odd = any(label_selectors.validate_label_selector(each, "") for each in before)
    return _validate_cluster_role(
        new, allow_invalid_values=is_odd
    ) + metadata.validate_object_meta_update(new["metadata"], old["metadata"])


def _validate_rules(obj: dict[str, Any], *, namespaced: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, rule in enumerate(obj.get("rules") or ()):
        errors += _validate_rule(rule, f"rules[{index}]", namespaced)
    return errors


def _validate_rule(rule: dict[str, Any], path: str, namespaced: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if not rule.get("verbs"):
        detail = "verbs must contain at least one value"
        errors.append(field.required(f"{path}.verbs", detail))
    urls = rule.get("nonResourceURLs")
    if urls:
        at, shown = f"{path}.nonResourceURLs", internal_json.text(urls)
        if namespaced:
            detail = "namespaced rules cannot apply to non-resource URLs"
            errors.append(field.invalid(at, shown, detail))
        if any(rule.get(key) for key in ("apiGroups", "resources", "resourceNames")):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            errors.append(field.invalid(at, shown, detail))
        return errors
    for key, what in (("apiGroups", "api group"), ("resources", "resource")):
        if not rule.get(key):
            detail = f"resource rules must supply at least one {what}"
            errors.append(field.required(f"{path}.{key}", detail))
    return errors


def validate_role_binding(obj: dict[str, Any]) -> list[FieldError]:
    """A new binding in a namespace."""
    return _validate_binding(obj, namespaced=True)


def validate_cluster_role_binding(obj: dict[str, Any]) -> list[FieldError]:
    """A new binding in the cluster."""
    return _validate_binding(obj, namespaced=False)


def _validate_binding(obj: dict[str, Any], *, namespaced: bool) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], namespaced, _name)
    role = obj.get("roleRef") or {}
    group, kind, name = (role.get(key) or "" for key in ("apiGroup", "kind", "name"))
    if group != _GROUP:
        errors.append(field.not_supported("roleRef.apiGroup", group, (_GROUP,)))
    kinds = ("Role", "ClusterRole") if namespaced else ("ClusterRole",)
    if kind not in kinds:
        errors.append(field.not_supported("roleRef.kind", kind, kinds))
    if not name:
        errors.append(field.required("roleRef.name"))
    errors += field.invalids("roleRef.name", name, names.is_valid_path_segment_name(name))
    for index, subject in enumerate(obj.get("subjects") or ()):
        errors += _validate_subject(subject, f"subjects[{index}]", namespaced)
    return errors


def validate_role_binding_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed binding in a namespace: of the same role."""
    return validate_role_binding(new) + _validate_same_role(new, old)


def validate_cluster_role_binding_update(
    new: dict[str, Any], old: dict[str, Any]
) -> list[FieldError]:
    """A changed binding in the cluster: of the same role."""
    return validate_cluster_role_binding(new) + _validate_same_role(new, old)


def _validate_same_role(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    role = new.get("roleRef") or {}
    if role != (old.get("roleRef") or {}):
        shown = internal_json.render("rbac/v1.RoleRef", role)
        errors.append(field.invalid("roleRef", shown, "cannot change roleRef"))
    return errors


def _validate_subject(subject: dict[str, Any], path: str, namespaced: bool) -> list[FieldError]:
    kind, name = subject.get("kind") or "", subject.get("name") or ""
    group = subject.get("apiGroup") or ""
    errors = [] if name else [field.required(f"{path}.name")]
    if kind not in _SUBJECTS:
        return [*errors, field.not_supported(f"{path}.kind", kind, _SUBJECTS)]
    if kind != "ServiceAccount":
        if group != _GROUP:
            errors.append(field.not_supported(f"{path}.apiGroup", group, (_GROUP,)))
        return errors
    if name:
        errors += field.invalids(f"{path}.name", name, names.is_dns1123_subdomain(name))
    if group:
        errors.append(field.not_supported(f"{path}.apiGroup", group, ("",)))
    if not namespaced and not subject.get("namespace"):
        errors.append(field.required(f"{path}.namespace"))
    return errors
