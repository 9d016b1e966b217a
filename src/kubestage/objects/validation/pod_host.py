"""What a pod shares with its host: ports and namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.validation import container_paths, field

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions


def validate_host_network_ports(
    spec: dict[str, Any], path: str, options: PodValidationOptions
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
    spec: dict[str, Any], path: str, options: PodValidationOptions
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
