"""What a pod shares with its host: ports and namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import container_paths, field, internal_json

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

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


def validate_os(spec: Json, path: str) -> list[FieldError]:
    """``spec.os``, which must be there, and what it excludes."""
    name = spec["os"].get("name") or ""
    if not name:
        return [field.required(f"{path}.os.name")]
    if name not in _SYSTEMS:
        return [field.not_supported(f"{path}.os", internal_json.text(name), _SYSTEMS)]
    if name == "linux":
        return _validate_linux(spec, path)
    return _validate_windows(spec, path)


def _validate_linux(spec: Json, path: str) -> list[FieldError]:
    return [
        field.forbidden(f"{at}.securityContext.windowsOptions", _NOT_FOR_LINUX)
        for holder, at in ((spec, path), *container_paths.with_paths(spec, path))
        if (holder.get("securityContext") or {}).get("windowsOptions") is not None
    ]


def _validate_windows(spec: Json, path: str) -> list[FieldError]:
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


def validate_host_network_ports(
    spec: Json, path: str, options: PodValidationOptions
) -> list[FieldError]:
    """On the host's network a container's port is the host's; templates may leave it open."""
    errors = []
    for index, container in enumerate(spec.get("containers") or ()):
        for position, port in enumerate(container.get("ports") or ()):
            host_port = port.get("hostPort") or 0
            matches = host_port == (port.get("containerPort") or 0)
            if not matches and (host_port or options.resource_is_pod):
                at = f"{path}[{index}].ports[{position}].hostPort"
                detail = "must match `containerPort` when `hostNetwork` is true"
                errors.append(field.invalid(at, host_port, detail))
    return errors


def validate_user_namespace(
    spec: Json, path: str, options: PodValidationOptions
) -> list[FieldError]:
    """A pod with users of its own shares no other namespace with the host."""
    detail = "when `hostUsers` is false"
    errors = []
    if spec.get("hostNetwork") and not options.allow_user_namespaces_host_network_support:
        errors.append(field.forbidden(f"{path}.hostNetwork", detail))
    if spec.get("hostPID"):
        errors.append(field.forbidden(f"{path}.HostPID", detail))
    if spec.get("hostIPC"):
        errors.append(field.forbidden(f"{path}.HostIPC", detail))
    if not options.allow_user_namespaces_with_volume_devices:
        errors += [
            field.forbidden(f"{at}.volumeDevices", detail)
            for container, at in container_paths.with_paths(spec, path)
            if container.get("volumeDevices")
        ]
    return errors
