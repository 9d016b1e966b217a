"""What the API does to a Role, a ClusterRole, a RoleBinding and a ClusterRoleBinding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, label_selectors, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_GROUP: Final = "rbac.authorization.k8s.io"
_SUBJECTS: Final = ("ServiceAccount", "User", "Group")


def _check_name(name: str, _: bool) -> names.Problems:
    """A name that fits into a URL, whole or as a prefix."""
    return names.is_valid_path_segment_name(name)


def _as_update(new: Json, old: Json, errors: list[FieldError]) -> list[FieldError]:
    """The rules for a new object hold for a changed one, too, before those for a change."""
    namespaced = new["kind"] in ("Role", "RoleBinding")
    meta = new["metadata"]
    errors = metadata.validate_object_meta(meta, namespaced, _check_name) + errors
    return errors + metadata.validate_object_meta_update(meta, old["metadata"])


def _validate_role(obj: Json) -> list[FieldError]:
    return _validate_rules(obj, namespaced=True)


def _validate_role_update(new: Json, old: Json) -> list[FieldError]:
    return _as_update(new, old, _validate_role(new))


def _validate_rules(obj: Json, *, namespaced: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, rule in enumerate(obj.get("rules") or ()):
        errors += _validate_rule(rule, f"rules[{index}]", namespaced)
    return errors


def _validate_rule(rule: Json, path: str, namespaced: bool) -> list[FieldError]:
    errors = markers.check("rbac/v1.PolicyRule", rule, path, "verbs")
    urls = rule.get("nonResourceURLs")
    if not urls:
        return errors + markers.check("rbac/v1.PolicyRule", rule, path, "apiGroups", "resources")
    at, shown = f"{path}.nonResourceURLs", internal_json.text(urls)
    if namespaced:
        detail = "namespaced rules cannot apply to non-resource URLs"
        errors.append(field.invalid(at, shown, detail))
    if any(rule.get(key) for key in ("apiGroups", "resources", "resourceNames")):
        detail = "rules cannot apply to both regular resources and non-resource URLs"
        errors.append(field.invalid(at, shown, detail))
    return errors


def _validate_cluster_role(obj: Json, *, allow_invalid_values: bool = False) -> list[FieldError]:
    errors = _validate_rules(obj, namespaced=False)
    aggregation, path = obj.get("aggregationRule"), "aggregationRule"
    if aggregation is None:
        return errors
    errors += markers.check("rbac/v1.AggregationRule", aggregation, path)
    for index, selector in enumerate(aggregation.get("clusterRoleSelectors") or ()):
        errors += label_selectors.validate_label_selector(
            selector,
            f"{path}.clusterRoleSelectors[{index}]",
            allow_invalid_values=allow_invalid_values,
        )
    return errors


def _validate_cluster_role_update(new: Json, old: Json) -> list[FieldError]:
    before = (old.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
    was_invalid = any(label_selectors.validate_label_selector(each, "") for each in before)
    return _as_update(new, old, _validate_cluster_role(new, allow_invalid_values=was_invalid))


def _default_binding(obj: Json) -> None:
    if not obj["roleRef"]["apiGroup"]:
        obj["roleRef"]["apiGroup"] = _GROUP
    for subject in obj.get("subjects", ()):
        if subject["kind"] in ("User", "Group"):
            subject.setdefault("apiGroup", _GROUP)


def _validate_role_binding(obj: Json) -> list[FieldError]:
    return _validate_binding(obj, namespaced=True)


def _validate_cluster_role_binding(obj: Json) -> list[FieldError]:
    return _validate_binding(obj, namespaced=False)


def _validate_binding(obj: Json, *, namespaced: bool) -> list[FieldError]:
    role = obj.get("roleRef") or {}
    kind = role.get("kind") or ""
    errors = markers.check("rbac/v1.RoleRef", role, "roleRef", "apiGroup")
    kinds = ("Role", "ClusterRole") if namespaced else ("ClusterRole",)
    if kind not in kinds:
        errors.append(field.not_supported("roleRef.kind", kind, kinds))
    errors += markers.check("rbac/v1.RoleRef", role, "roleRef", "name")
    for index, subject in enumerate(obj.get("subjects") or ()):
        errors += _validate_subject(subject, f"subjects[{index}]", namespaced)
    return errors


def _validate_subject(subject: Json, path: str, namespaced: bool) -> list[FieldError]:
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


def _validate_binding_update(new: Json, old: Json) -> list[FieldError]:
    """As on creation; the role does not change."""
    namespaced = new["kind"] == "RoleBinding"
    errors = _as_update(new, old, _validate_binding(new, namespaced=namespaced))
    role = new.get("roleRef") or {}
    if role != (old.get("roleRef") or {}):
        shown = internal_json.render("rbac/v1.RoleRef", role)
        errors.append(field.invalid("roleRef", shown, "cannot change roleRef"))
    return errors


def _binding_cells(obj: Json, now_ns: int) -> list[Cell]:
    subjects: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in cells.items(obj, "subjects"):
        kind, name = cells.text(subject, "kind"), cells.text(subject, "name")
        if kind == "ServiceAccount":
            name = f"{cells.text(subject, 'namespace')}/{name}"
        subjects.setdefault(kind, []).append(name)
    role = cells.part(obj, "roleRef")
    return [
        cells.name(obj),
        f"{cells.text(role, 'kind')}/{cells.text(role, 'name')}",
        cells.age(obj, now_ns),
        ", ".join(subjects["User"]),
        ", ".join(subjects["Group"]),
        ", ".join(subjects["ServiceAccount"]),
    ]


def _kind(kind: str, behavior: Behavior) -> Kind:
    return Kind(
        group=_GROUP,
        version="v1",
        kind=kind,
        plural=f"{kind.lower()}s",
        namespaced=not kind.startswith("Cluster"),
        old_versions=(f"{_GROUP}/v1alpha1", f"{_GROUP}/v1beta1"),
        declared=behavior,
    )


_ROLE: Final = Behavior(
    empty_lists=(("rules",),),
    name_rule=_check_name,
    validate=_validate_role,
    validate_update={"": _validate_role_update},
    validates_metadata=("",),
    create_on_update=True,
)
_BINDING: Final = Behavior(
    default=_default_binding,
    name_rule=_check_name,
    validate=_validate_role_binding,
    validate_update={"": _validate_binding_update},
    validates_metadata=("",),
    cells=_binding_cells,
    create_on_update=True,
)
KINDS: Final = (
    _kind("Role", _ROLE),
    _kind(
        "ClusterRole",
        msgspec.structs.replace(
            _ROLE,
            validate=_validate_cluster_role,
            validate_update={"": _validate_cluster_role_update},
        ),
    ),
    _kind("RoleBinding", _BINDING),
    _kind(
        "ClusterRoleBinding",
        msgspec.structs.replace(_BINDING, validate=_validate_cluster_role_binding),
    ),
)
