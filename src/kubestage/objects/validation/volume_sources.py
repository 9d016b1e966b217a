"""Rules for volumes whose content comes from the node, the cluster or the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.validation import downward_api, field, internal_json, local_paths, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_FILE_MODE: Final = "must be a number between 0 and 0777 (octal), both inclusive"
_HOST_PATH_TYPES: Final = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)


def validate_mode(source: Json, key: str, path: str) -> list[FieldError]:
    """Permission bits of files."""
    mode = source.get(key)
    if mode is None or 0 <= mode <= 0o777:
        return []
    return [field.invalid(f"{path}.{key}", mode, _FILE_MODE)]


def validate_pull_policy(policy: str, path: str) -> list[FieldError]:
    """When an image is pulled."""
    if policy in PULL_POLICIES:
        return []
    if not policy:
        return [field.required(path)]
    return [field.not_supported(path, internal_json.text(policy), PULL_POLICIES)]


def validate_empty_dir(source: Json, path: str) -> list[FieldError]:
    """A directory that exists as long as the pod."""
    limit = source.get("sizeLimit")
    if limit is None or quantity.of(limit).sign >= 0:
        return []
    detail = "SizeLimit field must be a valid resource quantity"
    return [field.forbidden(f"{path}.sizeLimit", detail)]


def validate_host_path(source: Json, path: str) -> list[FieldError]:
    """A directory or file of the node."""
    target = source.get("path") or ""
    if not target:
        return [field.required(f"{path}.path")]
    errors = local_paths.validate_no_backsteps(target, f"{path}.path")
    kind = source.get("type")
    if kind is not None and kind not in _HOST_PATH_TYPES:
        shown = internal_json.text(kind)
        errors.append(field.not_supported(f"{path}.type", shown, _HOST_PATH_TYPES))
    return errors


def validate_git_repo(source: Json, path: str) -> list[FieldError]:
    """A checkout."""
    errors = [] if source.get("repository") else [field.required(f"{path}.repository")]
    directory = source.get("directory") or ""
    return errors + local_paths.validate_descending(directory, f"{path}.directory")


def validate_secret(source: Json, path: str) -> list[FieldError]:
    """Files from a Secret."""
    errors = [] if source.get("secretName") else [field.required(f"{path}.secretName")]
    errors += validate_mode(source, "defaultMode", path)
    return errors + _validate_items(source, path)


def validate_config_map(source: Json, path: str) -> list[FieldError]:
    """Files from a ConfigMap."""
    errors = [] if source.get("name") else [field.required(f"{path}.name")]
    errors += validate_mode(source, "defaultMode", path)
    return errors + _validate_items(source, path)


def _validate_items(source: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, item in enumerate(source.get("items") or ()):
        errors += validate_key_to_path(item, f"{path}.items[{index}]")
    return errors


def validate_key_to_path(item: Json, path: str) -> list[FieldError]:
    """Which key becomes which file."""
    errors = [] if item.get("key") else [field.required(f"{path}.key")]
    target = item.get("path") or ""
    if not target:
        errors.append(field.required(f"{path}.path"))
    errors += local_paths.validate_non_reserved(target, f"{path}.path")
    return errors + validate_mode(item, "mode", path)


def validate_downward_api(source: Json, path: str) -> list[FieldError]:
    """Files with fields of the pod."""
    errors = validate_mode(source, "defaultMode", path)
    for item in source.get("items") or ():
        errors += validate_downward_api_file(item, path)
    return errors


def validate_downward_api_file(item: Json, path: str) -> list[FieldError]:
    """One such file; upstream names the volume, not the item."""
    target = item.get("path") or ""
    errors = [] if target else [field.required(f"{path}.path")]
    errors += local_paths.validate_non_reserved(target, f"{path}.path")
    field_ref, resource_ref = item.get("fieldRef"), item.get("resourceFieldRef")
    if field_ref is not None:
        errors += downward_api.validate_field_selector(
            field_ref, downward_api.VOLUME_FIELDS, f"{path}.fieldRef"
        )
        if resource_ref is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            errors.append(field.invalid(path, "resource", detail))
    elif resource_ref is not None:
        at = f"{path}.resourceFieldRef"
        errors += downward_api.validate_resource_selector(resource_ref, at, in_volume=True)
    else:
        detail = "one of fieldRef and resourceFieldRef is required"
        errors.append(field.required(path, detail))
    return errors + validate_mode(item, "mode", path)


def validate_csi(source: Json, path: str) -> list[FieldError]:
    """A volume that a driver provides for the pod."""
    errors = validate_csi_driver_name(source.get("driver") or "", f"{path}.driver")
    secret = source.get("nodePublishSecretRef")
    if secret is not None:
        name = secret.get("name") or ""
        if not name:
            errors.append(field.required(f"{path}.nodePublishSecretRef.name"))
        else:
            errors += field.invalids(f"{path}.name", name, names.is_dns1123_subdomain(name))
    return errors


def validate_csi_driver_name(name: str, path: str) -> list[FieldError]:
    """The name of a storage driver; capitals are allowed."""
    if not name:
        return [field.required(path)]
    errors = [field.too_long(path, 63)] if names.size(name) > 63 else []
    return errors + field.invalids(path, name, names.is_dns1123_subdomain(name.lower()))


def validate_image(source: Json, path: str, *, in_pod: bool) -> list[FieldError]:
    """Files from an image; a template may omit the reference."""
    errors = []
    if in_pod and not source.get("reference"):
        errors.append(field.required(f"{path}.reference"))
    return errors + validate_pull_policy(source.get("pullPolicy") or "", f"{path}.pullPolicy")
