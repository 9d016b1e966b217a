"""Volumes as a container sees them: mounts and raw block devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, local_paths

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

Volumes = dict[str, dict[str, Any]]
"""The valid volumes of a pod by name."""

_PROPAGATIONS: Final = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE_READ_ONLY: Final = ("Disabled", "Enabled", "IfPossible")


def validate_mounts(container: Json, volumes: Volumes, path: str) -> list[FieldError]:
    """The file systems mounted into a container."""
    errors: list[FieldError] = []
    devices = {
        device.get("name") or "": device.get("devicePath") or ""
        for device in container.get("volumeDevices") or ()
    }
    seen: set[str] = set()
    for index, mount in enumerate(container["volumeMounts"]):
        name, target = mount.get("name") or "", mount.get("mountPath") or ""
        if name not in volumes or not target or target in seen or devices:
            at = f"{path}[{index}]"
            errors += _validate_place(name, target, volumes, seen, at)
            errors += _validate_overlap(name, target, devices, at)
        seen.add(target)
        # A plain mount has no more than these; all others are rare.
        if len(mount) > 2 and not mount.keys() <= {"name", "mountPath", "readOnly"}:
            errors += _validate_manner(mount, container, path, index)
    return errors


def _validate_place(
    name: str, target: str, volumes: Volumes, seen: set[str], path: str
) -> list[FieldError]:
    errors = []
    if not name:
        errors.append(field.required(f"{path}.name"))
    if name not in volumes:
        errors.append(field.not_found(f"{path}.name", name))
    if not target:
        errors.append(field.required(f"{path}.mountPath"))
    if target in seen:
        errors.append(field.invalid(f"{path}.mountPath", target, "must be unique"))
    return errors


def _validate_overlap(
    name: str, target: str, devices: dict[str, str], path: str
) -> list[FieldError]:
    errors = []
    if name in devices:
        detail = "must not already exist in volumeDevices"
        errors.append(field.invalid(f"{path}.name", name, detail))
    if target in devices.values():
        detail = "must not already exist as a path in volumeDevices"
        errors.append(field.invalid(f"{path}.mountPath", target, detail))
    return errors


def _validate_manner(mount: Json, container: Json, path: str, index: int) -> list[FieldError]:
    """Sub-paths, propagation and read-only depth; upstream names the list for most of them."""
    errors: list[FieldError] = []
    sub_path = mount.get("subPath") or ""
    if sub_path:
        errors += local_paths.validate_descending(sub_path, f"{path}.subPath")
    if expression := mount.get("subPathExpr"):
        if sub_path:
            detail = "subPathExpr and subPath are mutually exclusive"
            errors.append(field.invalid(f"{path}[{index}].subPathExpr", expression, detail))
        errors += local_paths.validate_descending(expression, f"{path}.subPathExpr")
    propagation = mount.get("mountPropagation")
    if propagation is not None:
        errors += _validate_propagation(propagation, container, f"{path}.mountPropagation")
    if mount.get("recursiveReadOnly") is not None:
        errors += _validate_recursive_read_only(mount, f"{path}.recursiveReadOnly")
    return errors


def _validate_propagation(propagation: str, container: Json, path: str) -> list[FieldError]:
    if propagation not in _PROPAGATIONS:
        return [field.not_supported(path, internal_json.text(propagation), _PROPAGATIONS)]
    if propagation == "Bidirectional" and not (container.get("securityContext") or {}).get(
        "privileged"
    ):
        detail = "Bidirectional mount propagation is available only to privileged containers"
        return [field.forbidden(path, detail)]
    return []


def _validate_recursive_read_only(mount: Json, path: str) -> list[FieldError]:
    errors = []
    depth = mount["recursiveReadOnly"]
    if depth not in _RECURSIVE_READ_ONLY:
        return [field.not_supported(path, internal_json.text(depth), _RECURSIVE_READ_ONLY)]
    if depth != "Disabled":
        if not mount.get("readOnly"):
            errors.append(field.forbidden(path, "may only be specified when readOnly is true"))
        if mount.get("mountPropagation") not in (None, "None"):
            detail = "may only be specified when mountPropagation is None or not specified"
            errors.append(field.forbidden(path, detail))
    return errors


def validate_devices(container: Json, volumes: Volumes, path: str) -> list[FieldError]:
    """The raw block devices of a container."""
    errors: list[FieldError] = []
    mounts = {
        mount.get("name") or "": mount.get("mountPath") or ""
        for mount in container.get("volumeMounts") or ()
    }
    seen_names: set[str] = set()
    seen_paths: set[str] = set()
    for index, device in enumerate(container["volumeDevices"]):
        name, target = device.get("name") or "", device.get("devicePath") or ""
        at = f"{path}[{index}]"
        errors += _validate_device_name(name, volumes, seen_names, f"{at}.name")
        errors += _validate_device_path(target, seen_paths, f"{at}.devicePath")
        if name in mounts:
            detail = "must not already exist in volumeMounts"
            errors.append(field.invalid(f"{at}.name", name, detail))
        if target in mounts.values():
            detail = "must not already exist as a path in volumeMounts"
            errors.append(field.invalid(f"{at}.devicePath", target, detail))
        if name:
            seen_names.add(name)
    return errors


def _validate_device_name(
    name: str, volumes: Volumes, seen: set[str], path: str
) -> list[FieldError]:
    errors = []
    volume = volumes.get(name)
    if not name:
        errors.append(field.required(path))
    if name in seen:
        errors.append(field.invalid(path, name, "must be unique"))
    if volume is None:
        errors.append(field.not_found(path, name))
    elif volume.get("persistentVolumeClaim") is None and volume.get("ephemeral") is None:
        detail = (
            "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        )
        errors.append(field.invalid(path, name, detail))
    return errors


def _validate_device_path(target: str, seen: set[str], path: str) -> list[FieldError]:
    errors = []
    if not target:
        errors.append(field.required(path))
    if target in seen:
        errors.append(field.invalid(path, target, "must be unique"))
    if local_paths.has_backsteps(target):
        errors.append(field.invalid(path, target, "can not contain backsteps ('..')"))
    else:
        seen.add(target)
    return errors
