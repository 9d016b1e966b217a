"""Rules for the metadata that all objects share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, label_selectors, names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

IMMUTABLE: Final = "field is immutable"
ANNOTATIONS_LIMIT: Final = 256 * 1024

_FINALIZERS: Final = ("kubernetes", "orphan", "foregroundDeletion")
_MANAGER_LIMIT: Final = 128
_SUBRESOURCE_LIMIT: Final = 256
# What an update must keep, and what a message shows when it is gone.
_IMMUTABLE_FIELDS: Final[tuple[tuple[str, Any], ...]] = (
    ("name", ""),
    ("namespace", ""),
    ("uid", ""),
    ("creationTimestamp", None),
    ("deletionTimestamp", None),
    ("deletionGracePeriodSeconds", None),
)


def validate_object_meta(
    meta: Json,
    namespaced: bool,
    name_rule: names.NameRule,
    path: str = "metadata",
    *,
    kube_finalizers: bool = True,
) -> list[FieldError]:
    """Metadata of a new object; the built-in kinds also ask for well-known finalizers."""
    errors: list[FieldError] = []
    prefix = meta.get("generateName")
    if prefix:
        errors += field.invalids(f"{path}.generateName", prefix, name_rule(prefix, True))
    name = meta.get("name")
    if not name:
        errors.append(field.required(f"{path}.name", "name or generateName is required"))
    else:
        problems = name_rule(name, False)
        if problems:
            errors += field.invalids(f"{path}.name", name, problems)
    errors += _validate_namespace(meta.get("namespace") or "", namespaced, path)
    generation = meta.get("generation") or 0
    if generation < 0:
        errors.append(field.invalid(f"{path}.generation", generation, names.NOT_NEGATIVE))
    errors += _validate_collections(meta, path, finalizers=True)
    if kube_finalizers:
        errors += validate_kube_finalizers(meta, path)
    return errors


def validate_named_meta(meta: Json, namespaced: bool) -> list[FieldError]:
    """As above, for the few kinds of which only the finished name is validated."""
    named = {key: value for key, value in meta.items() if key != "generateName"}
    return validate_object_meta(named, namespaced, names.long_name)


def _validate_namespace(namespace: str, namespaced: bool, path: str) -> list[FieldError]:
    if not namespaced:
        if not namespace:
            return []
        return [field.forbidden(f"{path}.namespace", "not allowed on this type")]
    if not namespace:
        return [field.required(f"{path}.namespace")]
    problems = names.is_dns1123_label(namespace)
    return field.invalids(f"{path}.namespace", namespace, problems) if problems else []


def _validate_collections(meta: Json, path: str, *, finalizers: bool) -> list[FieldError]:
    """Labels, annotations, owners, finalizers and managed fields, each if there is any."""
    errors: list[FieldError] = []
    labels = meta.get("labels")
    if labels:
        errors += label_selectors.validate_labels(labels, f"{path}.labels")
    annotations = meta.get("annotations")
    if annotations:
        errors += validate_annotations(annotations, f"{path}.annotations")
    owners = meta.get("ownerReferences")
    if owners:
        errors += validate_owner_references(owners, f"{path}.ownerReferences")
    held = meta.get("finalizers")
    if finalizers and held:
        errors += validate_finalizers(held, f"{path}.finalizers")
    managed = meta.get("managedFields")
    if managed:
        errors += validate_managed_fields(managed, f"{path}.managedFields")
    return errors


def validate_object_meta_update(
    new: Json,
    old: Json,
    path: str = "metadata",
    *,
    kube_finalizers: bool = True,
) -> list[FieldError]:
    """Metadata of an object that replaces an older one."""
    errors: list[FieldError] = []
    if old.get("deletionTimestamp"):
        errors += _validate_no_new_finalizers(new, old, f"{path}.finalizers")
    if not new.get("resourceVersion"):
        errors.append(
            field.invalid(f"{path}.resourceVersion", "", "must be specified for an update")
        )
    generation = new.get("generation") or 0
    if generation < (old.get("generation") or 0):
        errors.append(field.invalid(f"{path}.generation", generation, "must not be decremented"))
    for key, absent in _IMMUTABLE_FIELDS:
        value = new.get(key, absent)
        if value != old.get(key, absent):
            shown = value if key.startswith("name") else internal_json.text(value)
            errors.append(field.invalid(f"{path}.{key}", shown, IMMUTABLE))
    errors += _validate_collections(new, path, finalizers=False)
    if kube_finalizers:
        errors += validate_kube_finalizers(new, path)
    return errors


def validate_annotations(annotations: Mapping[str, str], path: str) -> list[FieldError]:
    """Keys of annotations, whatever their case, and the size of all together."""
    errors: list[FieldError] = []
    total = 0
    for key, value in annotations.items():
        problems = names.is_qualified_name(key.lower())
        if problems:
            errors += field.invalids(path, key, problems)
        total += names.size(key) + names.size(value)
    if total > ANNOTATIONS_LIMIT:
        errors.append(field.too_long(path, ANNOTATIONS_LIMIT))
    return errors


def validate_owner_references(owners: Sequence[Json], path: str) -> list[FieldError]:
    """Owners: complete, no events, at most one controller."""
    errors: list[FieldError] = []
    controller = ""
    for owner in owners:
        errors += _validate_owner_reference(owner, path)
        if owner.get("controller"):
            name = f"{owner.get('kind') or ''}/{owner.get('name') or ''}"
            if controller:
                detail = (
                    'Only one reference can have Controller set to true. Found "true" in '
                    f"references for {controller} and {name}"
                )
                shown = internal_json.render("[]meta/v1.OwnerReference", owners)
                errors.append(field.invalid(path, shown, detail))
            else:
                controller = name
    return errors


def _validate_owner_reference(owner: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    api_version, kind = owner.get("apiVersion") or "", owner.get("kind") or ""
    # A text with more than one slash is no version at all.
    version = "" if api_version.count("/") > 1 else api_version.rpartition("/")[2]
    if not version:
        errors.append(field.invalid(f"{path}.apiVersion", api_version, "version must not be empty"))
    if not kind:
        errors.append(field.invalid(f"{path}.kind", kind, "must not be empty"))
    if not owner.get("name"):
        errors.append(field.invalid(f"{path}.name", "", "must not be empty"))
    if not owner.get("uid"):
        errors.append(field.invalid(f"{path}.uid", "", "must not be empty"))
    if api_version in ("v1", "/v1") and kind == "Event":
        shown = internal_json.render("meta/v1.OwnerReference", owner)
        detail = "/v1, Kind=Event is disallowed from being an owner"
        errors.append(field.invalid(path, shown, detail))
    return errors


def validate_finalizers(finalizers: Sequence[str], path: str) -> list[FieldError]:
    """Finalizers: qualified names, and not both ways of treating dependents."""
    errors: list[FieldError] = []
    for finalizer in finalizers:
        errors += field.invalids(path, finalizer, names.is_qualified_name(finalizer))
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        errors.append(field.invalid(path, internal_json.text(finalizers), detail))
    return errors


def validate_kube_finalizers(meta: Json, path: str) -> list[FieldError]:
    """Finalizers without a prefix must be among those that Kubernetes defines."""
    errors: list[FieldError] = []
    for index, finalizer in enumerate(meta.get("finalizers") or ()):
        errors += validate_kube_finalizer(finalizer, f"{path}.finalizers[{index}]")
    return errors


def validate_kube_finalizer(finalizer: str, path: str) -> list[FieldError]:
    """One finalizer: qualified, or one of the well-known names."""
    if "/" in finalizer or finalizer in _FINALIZERS:
        return []
    detail = "name is neither a standard finalizer name nor is it fully qualified"
    return [field.invalid(path, finalizer, detail)]


def _validate_no_new_finalizers(new: Json, old: Json, path: str) -> list[FieldError]:
    added = sorted(set(new.get("finalizers") or ()) - set(old.get("finalizers") or ()))
    if not added:
        return []
    shown = ", ".join(field.quote(finalizer) for finalizer in added)
    detail = (
        "no new finalizers can be added if the object is being deleted, found new finalizers "
        f"[]string{{{shown}}}"
    )
    return [field.forbidden(path, detail)]


def validate_managed_fields(entries: Sequence[Json], path: str) -> list[FieldError]:
    """Records of who manages which fields."""
    errors: list[FieldError] = []
    for index, entry in enumerate(entries):
        at = f"{path}[{index}]"
        operation, kind = entry.get("operation") or "", entry.get("fieldsType") or ""
        if operation not in ("Apply", "Update"):
            detail = "must be `Apply` or `Update`"
            errors.append(field.invalid(f"{at}.operation", internal_json.text(operation), detail))
        if kind and kind != "FieldsV1":
            errors.append(field.invalid(f"{at}.fieldsType", kind, "must be `FieldsV1`"))
        errors += validate_field_manager(entry.get("manager") or "", f"{at}.manager")
        if names.size(entry.get("subresource") or "") > _SUBRESOURCE_LIMIT:
            errors.append(field.too_long(f"{at}.subresource", _SUBRESOURCE_LIMIT))
    return errors


def validate_field_manager(manager: str, path: str) -> list[FieldError]:
    """The name of a manager: short and printable."""
    errors: list[FieldError] = []
    if names.size(manager) > _MANAGER_LIMIT:
        errors.append(field.too_long(path, _MANAGER_LIMIT))
    for index, char in enumerate(manager):
        if not char.isprintable():
            position = names.size(manager[:index])
            detail = f"invalid character U+{ord(char):04X} (at position {position})"
            errors.append(field.invalid(path, manager, detail))
    return errors


def validate_immutable(new: Any, old: Any, path: str, shown: Any = None) -> list[FieldError]:
    """A value that may not change; `shown` is its text if that is not plain JSON."""
    if new == old:
        return []
    return [field.invalid(path, new if shown is None else shown, IMMUTABLE)]
