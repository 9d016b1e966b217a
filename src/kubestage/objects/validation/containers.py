"""Containers of a pod: regular, init and ephemeral."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects.validation import (
    container_env,
    container_mounts,
    container_restart,
    field,
    internal_json,
    names,
    probes,
    resources,
    security_context,
    volume_sources,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.objects.validation.container_mounts import Volumes
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_ONLY_SIDECARS: Final = "may not be set for init containers without restartPolicy=Always"
_NOT_EPHEMERAL: Final = "cannot be set for an Ephemeral Container"
# What an ephemeral container must not have, in the order of the API's own type.
_FORBIDDEN_EPHEMERAL: Final = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)


class PodScope(NamedTuple):
    """What the rules for one container need to know of its pod."""

    volumes: Volumes
    claim_names: Collection[str]
    grace_period: int | None
    restart_policy: str
    os_name: str | None
    host_users: bool
    options: PodValidationOptions


def validate_containers(containers: list[Json], path: str, scope: PodScope) -> list[FieldError]:
    """The regular containers, of which there must be one."""
    if not containers:
        return [field.required(path)]
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, container in enumerate(containers):
        at = f"{path}[{index}]"
        errors += _validate_any(container, at, scope)
        name = container.get("name") or ""
        if name in seen:
            errors.append(field.duplicate(f"{at}.name", name))
        seen.add(name)
        errors += _validate_hooks(container, at, scope)
        if "restartPolicy" in container or "restartPolicyRules" in container:
            errors += container_restart.validate_restart_policy(container, at)
    return errors + _validate_host_ports(containers, path)


def validate_init_containers(spec: Json, path: str, scope: PodScope) -> list[FieldError]:
    """The init containers, among them sidecars, which may do what regular containers may."""
    errors: list[FieldError] = []
    seen = {container.get("name") or "" for container in spec.get("containers") or ()}
    for index, container in enumerate(spec["initContainers"]):
        at = f"{path}[{index}]"
        errors += _validate_any(container, at, scope)
        errors += container_restart.validate_init_restart_policy(container, at)
        name = container.get("name") or ""
        if name in seen:
            errors.append(field.duplicate(f"{at}.name", name))
        elif name:
            seen.add(name)
        # They run one by one, so each has the host's ports for itself; upstream counts from 0.
        errors += _validate_host_ports([container], path)
        if container.get("restartPolicy") == "Always":
            errors += _validate_hooks(container, at, scope)
        else:
            errors += _validate_no_hooks(container, at, scope)
    return errors


def _validate_no_hooks(container: Json, path: str, scope: PodScope) -> list[FieldError]:
    """A container that runs to its end is neither probed nor restarted."""
    errors = [
        field.forbidden(f"{path}.{key}", _ONLY_SIDECARS)
        for key in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
        if container.get(key) is not None
    ]
    if scope.options.allow_existing_restart_container_for_non_sidecar_init_container:
        return errors
    detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            at = f"{path}.resizePolicy[{index}].restartPolicy"
            errors.append(field.invalid(at, "RestartContainer", detail))
    return errors


def validate_ephemeral_containers(spec: Json, path: str, scope: PodScope) -> list[FieldError]:
    """The containers that were added to a running pod."""
    errors: list[FieldError] = []
    others = {
        container.get("name") or ""
        for kind in ("containers", "initContainers")
        for container in spec.get(kind) or ()
    }
    seen = set(others)
    for index, container in enumerate(spec["ephemeralContainers"]):
        at = f"{path}[{index}]"
        errors += _validate_any(container, at, scope)
        errors += _validate_image_text(container, at)
        name = container.get("name") or ""
        if name in seen:
            errors.append(field.duplicate(f"{at}.name", name))
        seen.add(name)
        target = container.get("targetContainerName") or ""
        if target and target not in others:
            errors.append(field.not_found(f"{at}.targetContainerName", target))
        errors += _validate_ephemeral_fields(container, at)
    return errors


def _validate_ephemeral_fields(container: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in _FORBIDDEN_EPHEMERAL:
        value = container.get(key)
        if value is None or (key == "resources" and not value):
            continue
        errors.append(field.forbidden(f"{path}.{key}", _NOT_EPHEMERAL))
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        errors += [
            field.forbidden(f"{path}.volumeMounts[{index}].{key}", _NOT_EPHEMERAL)
            for key in ("subPath", "subPathExpr")
            if mount.get(key)
        ]
    return errors


def _validate_image_text(container: Json, path: str) -> list[FieldError]:
    """An image without stray spaces; templates may have them."""
    image = container.get("image") or ""
    if image.strip() == image:
        return []
    detail = "must not have leading or trailing whitespace"
    return [field.invalid(f"{path}.image", image, detail)]


def _validate_any(container: Json, path: str, scope: PodScope) -> list[FieldError]:
    """What holds for every kind of container."""
    errors = _validate_identity(container, path)
    if ports := container.get("ports"):
        errors += _validate_ports(ports, f"{path}.ports")
    if variables := container.get("env"):
        errors += container_env.validate_env(variables, f"{path}.env")
    if sources := container.get("envFrom"):
        errors += container_env.validate_env_from(sources, f"{path}.envFrom")
    if container.get("volumeMounts"):
        at = f"{path}.volumeMounts"
        errors += container_mounts.validate_mounts(container, scope.volumes, at)
    if container.get("volumeDevices"):
        at = f"{path}.volumeDevices"
        errors += container_mounts.validate_devices(container, scope.volumes, at)
    policy = container.get("imagePullPolicy") or ""
    if policy not in volume_sources.PULL_POLICIES:
        errors += volume_sources.validate_pull_policy(policy, f"{path}.imagePullPolicy")
    options = scope.options
    if requirements := container.get("resources"):
        errors += resources.validate_requirements(
            requirements,
            scope.claim_names,
            f"{path}.resources",
            allow_indivisible_huge_pages=options.allow_indivisible_huge_pages_values,
        )
    if policies := container.get("resizePolicy"):
        errors += container_restart.validate_resize_policy(
            policies, scope.restart_policy, f"{path}.resizePolicy"
        )
    if context := container.get("securityContext"):
        errors += security_context.validate_security_context(
            context, scope.host_users, f"{path}.securityContext"
        )
    return errors


def _validate_identity(container: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    name = container.get("name") or ""
    if not name:
        errors.append(field.required(f"{path}.name"))
    elif problems := names.is_dns1123_label(name):
        errors += field.invalids(f"{path}.name", name, problems)
    if not container.get("image"):
        errors.append(field.required(f"{path}.image"))
    policy = container.get("terminationMessagePolicy") or ""
    if policy not in _MESSAGE_POLICIES:
        at = f"{path}.terminationMessagePolicy"
        if policy:
            errors.append(field.not_supported(at, internal_json.text(policy), _MESSAGE_POLICIES))
        else:
            errors.append(field.required(at))
    return errors


def _validate_hooks(container: Json, path: str, scope: PodScope) -> list[FieldError]:
    errors: list[FieldError] = []
    if (lifecycle := container.get("lifecycle")) is not None:
        errors += probes.validate_lifecycle(
            lifecycle, scope.grace_period, scope.os_name, f"{path}.lifecycle"
        )
    if (probe := container.get("livenessProbe")) is not None:
        errors += probes.validate_liveness_probe(probe, f"{path}.livenessProbe")
    if (probe := container.get("readinessProbe")) is not None:
        errors += probes.validate_readiness_probe(probe, f"{path}.readinessProbe")
    if (probe := container.get("startupProbe")) is not None:
        errors += probes.validate_startup_probe(probe, f"{path}.startupProbe")
    return errors


def _validate_ports(ports: list[Json], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, port in enumerate(ports):
        if name := port.get("name"):
            at = f"{path}[{index}].name"
            if problems := names.is_valid_port_name(name):
                errors += field.invalids(at, name, problems)
            elif name in seen:
                errors.append(field.duplicate(at, name))
            else:
                seen.add(name)
        number = port.get("containerPort") or 0
        if number == 0:
            errors.append(field.required(f"{path}[{index}].containerPort"))
        elif problems := names.is_valid_port_num(number):
            errors += field.invalids(f"{path}[{index}].containerPort", number, problems)
        host_port = port.get("hostPort") or 0
        if host_port and (problems := names.is_valid_port_num(host_port)):
            errors += field.invalids(f"{path}[{index}].hostPort", host_port, problems)
        protocol = port.get("protocol") or ""
        if protocol not in _PROTOCOLS:
            at = f"{path}[{index}].protocol"
            if protocol:
                errors.append(field.not_supported(at, internal_json.text(protocol), _PROTOCOLS))
            else:
                errors.append(field.required(at))
    return errors


def _validate_host_ports(containers: list[Json], path: str) -> list[FieldError]:
    """No port of the host twice."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, container in enumerate(containers):
        for position, port in enumerate(container.get("ports") or ()):
            number = port.get("hostPort")
            if not number:
                continue
            text = f"{port.get('protocol') or ''}/{port.get('hostIP') or ''}/{number}"
            if text in seen:
                at = f"{path}[{index}].ports[{position}].hostPort"
                errors.append(field.duplicate(at, text))
            seen.add(text)
    return errors
