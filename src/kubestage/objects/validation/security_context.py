"""Security contexts of containers and pods."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import (
    capabilities,
    field,
    internal_json,
    names,
    profiles,
    windows_options,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_CONTEXT: Final = "core/v1.SecurityContext"
_POD_CONTEXT: Final = "core/v1.PodSecurityContext"

_SYSCTL_SEGMENT: Final = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL: Final = rf"^({_SYSCTL_SEGMENT}[\./])*{_SYSCTL_SEGMENT}$"
_is_sysctl: Final = re.compile(_SYSCTL[1:-1]).fullmatch
_MAX_SYSCTL_BYTES: Final = 253
_IPC_SYSCTLS: Final = frozenset(
    f"kernel.{name}"
    for name in (
        "sem", "shmall", "shmmax", "shmmni", "shm_rmid_forced", "shm", "msgmax", "msgmnb",
        "msgmni", "msg",
    )
)  # fmt: skip
_SWAPPED: Final = str.maketrans("./", "/.")


def validate_security_context(context: Json, host_users: bool, path: str) -> list[FieldError]:
    """The security context of a container."""
    errors: list[FieldError] = []
    if context.get("privileged") and not capabilities.allow_privileged():
        errors.append(field.forbidden(f"{path}.privileged", "disallowed by cluster policy"))
    errors += markers.check(_CONTEXT, context, path, "runAsUser", "runAsGroup", "procMount")
    proc_mount = context.get("procMount")
    if host_users and proc_mount == "Unmasked":
        detail = "`hostUsers` must be false to use `Unmasked`"
        errors.append(field.invalid(f"{path}.procMount", proc_mount, detail))
    if (profile := context.get("seccompProfile")) is not None:
        errors += profiles.validate_seccomp_profile(profile, f"{path}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        errors += _validate_no_escalation(context, path)
    if (options := context.get("windowsOptions")) is not None:
        errors += windows_options.validate_windows_options(options, f"{path}.windowsOptions")
    if (profile := context.get("appArmorProfile")) is not None:
        errors += profiles.validate_apparmor_profile(profile, f"{path}.appArmorProfile")
    return errors


def _validate_no_escalation(context: Json, path: str) -> list[FieldError]:
    """A container without privilege escalation must not be privileged already."""
    rivals = []
    if context.get("privileged"):
        rivals.append("`privileged` to true")
    added = (context.get("capabilities") or {}).get("add") or []
    rivals += ["`capabilities.Add` CAP_SYS_ADMIN"] * added.count("CAP_SYS_ADMIN")
    if not rivals:
        return []
    shown = internal_json.render("core/v1.SecurityContext", context)
    return [
        field.invalid(path, shown, f"cannot set `allowPrivilegeEscalation` to false and {rival}")
        for rival in rivals
    ]


def validate_pod_security_context(
    spec: Json, path: str, options: PodValidationOptions
) -> list[FieldError]:
    """The security context of a pod; the host flags beside it in the spec belong to it."""
    context = spec.get("securityContext") or {}
    ids = ("fsGroup", "runAsUser", "runAsGroup", "supplementalGroups")
    errors = markers.check(_POD_CONTEXT, context, path, *ids)
    if spec.get("hostPID") and spec.get("shareProcessNamespace"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        errors.append(field.invalid(f"{path}.shareProcessNamespace", True, detail))
    if context.get("sysctls"):
        errors += _validate_sysctls(spec, f"{path}.sysctls", options)
    errors += markers.check(_POD_CONTEXT, context, path, "fsGroupChangePolicy")
    if (profile := context.get("seccompProfile")) is not None:
        errors += profiles.validate_seccomp_profile(profile, f"{path}.seccompProfile")
    if (windows := context.get("windowsOptions")) is not None:
        errors += windows_options.validate_windows_options(windows, f"{path}.windowsOptions")
    if (profile := context.get("appArmorProfile")) is not None:
        errors += profiles.validate_apparmor_profile(profile, f"{path}.appArmorProfile")
    errors += markers.check(_POD_CONTEXT, context, path, "supplementalGroupsPolicy")
    if not options.allow_only_recursive_selinux_change_policy:
        return errors + markers.check(_POD_CONTEXT, context, path, "seLinuxChangePolicy")
    policy = context.get("seLinuxChangePolicy")
    if policy not in (None, "Recursive"):
        errors.append(field.not_supported(f"{path}.seLinuxChangePolicy", policy, ("Recursive",)))
    return errors


def _validate_sysctls(spec: Json, path: str, options: PodValidationOptions) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, sysctl in enumerate(spec["securityContext"]["sysctls"]):
        at = f"{path}[{index}].name"
        name = sysctl.get("name") or ""
        if not name:
            errors.append(field.required(at))
        elif names.size(name) > _MAX_SYSCTL_BYTES or not _is_sysctl(name):
            detail = f"must have at most {_MAX_SYSCTL_BYTES} characters and match regex {_SYSCTL}"
            errors.append(field.invalid(at, name, detail))
        elif name in seen:
            errors.append(field.duplicate(at, name))
        if not options.allow_namespaced_sysctls_for_host_net_and_host_ipc:
            errors += _validate_host_sysctl(name, spec, at)
        seen.add(name)
    return errors


def _validate_host_sysctl(name: str, spec: Json, path: str) -> list[FieldError]:
    """A pod that shares a namespace with the host must not change the settings of the host."""
    namespace = _sysctl_namespace(name)
    for flag, owner in (("hostNetwork", "net"), ("hostIPC", "ipc")):
        if namespace == owner and spec.get(flag):
            return [field.invalid(path, name, f"may not be specified when '{flag}' is true")]
    return []


def _sysctl_namespace(name: str) -> str:
    slash, dot = name.find("/"), name.find(".")
    if slash >= 0 and (dot < 0 or slash < dot):
        name = name.translate(_SWAPPED)
    name = name.partition("*")[0]
    if name in _IPC_SYSCTLS or name.startswith("fs.mqueue."):
        return "ipc"
    return "net" if name.startswith("net.") else ""


def has_host_sysctl(spec: Json) -> bool:
    """Whether a sysctl would act on a namespace that the pod shares with the host."""
    context = spec.get("securityContext") or {}
    return any(
        _validate_host_sysctl(sysctl.get("name") or "", spec, "")
        for sysctl in context.get("sysctls") or ()
    )
