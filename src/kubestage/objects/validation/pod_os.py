"""What a pod may say once it has named its operating system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import container_paths, field, internal_json

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_SYSTEMS: Final = ("linux", "windows")
_NOT_FOR_WINDOWS: Final = "cannot be set for a windows pod"
_NOT_FOR_LINUX: Final = "windows options cannot be set for a linux pod"

# In upstream's order; the flags of the spec stand between the fields of the security context.
_LINUX_POD_FIELDS: Final = (
    "securityContext.appArmorProfile",
    "securityContext.seLinuxOptions",
    "hostUsers",
    "hostPID",
    "hostIPC",
    "securityContext.seccompProfile",
    "securityContext.fsGroup",
    "securityContext.fsGroupChangePolicy",
    "securityContext.sysctls",
    "shareProcessNamespace",
    "securityContext.runAsUser",
    "securityContext.runAsGroup",
    "securityContext.supplementalGroups",
    "securityContext.supplementalGroupsPolicy",
    "securityContext.seLinuxChangePolicy",
)
_LINUX_CONTAINER_FIELDS: Final = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)
# Only a true flag or a filled list counts; elsewhere any value does.
_PLAIN_FIELDS: Final = frozenset({"hostPID", "hostIPC", "sysctls"})


def validate_os(spec: dict[str, Any], path: str) -> list[FieldError]:
    """``spec.os``, which must be there, and what it excludes."""
    name = spec["os"].get("name") or ""
    if not name:
        return [field.required(f"{path}.os.name")]
    if name not in _SYSTEMS:
        return [field.not_supported(f"{path}.os", internal_json.text(name), _SYSTEMS)]
    if name == "linux":
        return _validate_linux(spec, path)
    return _validate_windows(spec, path)


def _validate_linux(spec: dict[str, Any], path: str) -> list[FieldError]:
    return [
        field.forbidden(f"{at}.securityContext.windowsOptions", _NOT_FOR_LINUX)
        for holder, at in ((spec, path), *container_paths.with_paths(spec, path))
        if (holder.get("securityContext") or {}).get("windowsOptions") is not None
    ]


def _validate_windows(spec: dict[str, Any], path: str) -> list[FieldError]:
    errors = []
    context = spec.get("securityContext") or {}
    for name in _LINUX_POD_FIELDS:
        key = name.removeprefix("securityContext.")
        value = (spec if key == name else context).get(key)
        if value if key in _PLAIN_FIELDS else value is not None:
            errors.append(field.forbidden(f"{path}.{name}", _NOT_FOR_WINDOWS))
    for container, at in container_paths.with_paths(spec, path):
        context = container.get("securityContext") or {}
        errors += [
            field.forbidden(f"{at}.securityContext.{key}", _NOT_FOR_WINDOWS)
            for key in _LINUX_CONTAINER_FIELDS
            if context.get(key) is not None
        ]
    return errors
