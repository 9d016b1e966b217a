"""What a PersistentVolumeClaim asks for, and templates of claims inside other objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    resources,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES: Final = ("Block", "Filesystem")
# Upstream shows the path object itself where it means the bad value.
_PATH: Final = field.Rendered("{}")

# Metadata that a template must leave empty, with upstream's odd spelling of one of them.
_FORBIDDEN_METADATA: Final = (
    ("name", "name"),
    ("generateName", "generateName"),
    ("namespace", "namespace"),
    ("selfLink", "selfLink"),
    ("uid", "uID"),
    ("resourceVersion", "resourceVersion"),
    ("generation", "generation"),
    ("creationTimestamp", "creationTimestamp"),
    ("deletionTimestamp", "deletionTimestamp"),
    ("deletionGracePeriodSeconds", "deletionGracePeriodSeconds"),
    ("ownerReferences", "ownerReferences"),
    ("finalizers", "finalizers"),
    ("managedFields", "managedFields"),
)


def validate_claim_template(template: Json, path: str) -> list[FieldError]:
    """A PersistentVolumeClaimTemplate."""
    errors = validate_template_meta(template.get("metadata") or {}, f"{path}.metadata")
    return errors + validate_claim_spec(template.get("spec") or {}, f"{path}.spec")


def validate_template_meta(meta: Json, path: str) -> list[FieldError]:
    """Metadata of which only labels and annotations will be used."""
    errors = metadata.validate_annotations(meta.get("annotations") or {}, f"{path}.annotations")
    errors += label_selectors.validate_labels(meta.get("labels"), f"{path}.labels")
    for key, shown in _FORBIDDEN_METADATA:
        if meta.get(key) not in (None, "", 0):
            errors.append(field.forbidden(f"{path}.{shown}", "cannot be set"))
    return errors


def validate_claim_spec(
    spec: Json,
    path: str,
    *,
    allow_invalid_values: bool = False,
    allow_invalid_api_group: bool = False,
) -> list[FieldError]:
    """A PersistentVolumeClaimSpec; the flags are for updates of claims that broke the rule."""
    errors: list[FieldError] = []
    modes = spec.get("accessModes") or ()
    if not modes:
        detail = "at least 1 access mode is required"
        errors.append(field.required(f"{path}.accessModes", detail))
    errors += label_selectors.validate_label_selector(
        spec.get("selector"), f"{path}.selector", allow_invalid_values=allow_invalid_values
    )
    errors += validate_access_modes(modes, f"{path}.accessModes")
    errors += _validate_storage(spec, f"{path}.resources[storage]")
    errors += _validate_class(spec, "storageClassName", path)
    mode = spec.get("volumeMode")
    if mode is not None and mode not in _VOLUME_MODES:
        shown = internal_json.text(mode)
        errors.append(field.not_supported(f"{path}.volumeMode", shown, _VOLUME_MODES))
    errors += _validate_sources(spec, path, allow_invalid_api_group)
    return errors + _validate_class(spec, "volumeAttributesClassName", path)


def validate_access_modes(modes: Sequence[str], path: str) -> list[FieldError]:
    """The ways in which a volume may be mounted."""
    errors = [
        field.not_supported(path, internal_json.text(mode), _ACCESS_MODES)
        for mode in modes
        if mode not in _ACCESS_MODES
    ]
    known = {mode for mode in modes if mode in _ACCESS_MODES}
    if "ReadWriteOncePod" in known and len(known) > 1:
        detail = "may not use ReadWriteOncePod with other access modes"
        errors.append(field.forbidden(path, detail))
    return errors


def _validate_storage(spec: Json, path: str) -> list[FieldError]:
    requests = (spec.get("resources") or {}).get("requests") or {}
    if "storage" not in requests:
        return [field.required(path)]
    return resources.validate_positive_quantity(requests["storage"], path)


def _validate_class(spec: Json, key: str, path: str) -> list[FieldError]:
    name = spec.get(key) or ""
    return field.invalids(f"{path}.{key}", name, names.is_dns1123_subdomain(name)) if name else []


def _validate_sources(spec: Json, path: str, allow_invalid_api_group: bool) -> list[FieldError]:
    """Where the first contents come from, by the old field or the new one."""
    errors: list[FieldError] = []
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    namespace = (reference or {}).get("namespace") or ""
    if source is not None:
        errors += _validate_source(source, f"{path}.dataSource", allow_invalid_api_group)
    if reference is not None:
        at = f"{path}.dataSourceRef"
        errors += _validate_source(reference, at, allow_invalid_api_group)
        if namespace:
            problems = names.is_dns1123_label(namespace)
            errors += field.invalids(f"{at}.namespace", namespace, problems)
    if source is None or reference is None:
        return errors
    if namespace:
        detail = "may not be specified when dataSourceRef.namespace is specified"
        errors.append(field.invalid(path, _PATH, detail))
    elif any(
        (source.get(key) or None) != (reference.get(key) or None) for key in ("kind", "name")
    ) or source.get("apiGroup") != reference.get("apiGroup"):
        errors.append(field.invalid(path, _PATH, "must match dataSourceRef"))
    return errors


def _validate_source(source: Json, path: str, allow_invalid_api_group: bool) -> list[FieldError]:
    errors = [field.required(f"{path}.{key}") for key in ("name", "kind") if not source.get(key)]
    group, kind = source.get("apiGroup") or "", source.get("kind") or ""
    if not group and kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        errors.append(field.invalid(path, kind, detail))
    if group and not allow_invalid_api_group:
        errors += field.invalids(f"{path}.apiGroup", group, names.is_dns1123_subdomain(group))
    return errors
