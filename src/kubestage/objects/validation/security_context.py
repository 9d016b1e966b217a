"""Security contexts of containers and pods."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, names, profiles, windows_options

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_PROC_MOUNTS: Final = ("Default", "Unmasked")
_FS_GROUP_POLICIES: Final = ("Always", "OnRootMismatch")
_GROUPS_POLICIES: Final = ("Merge", "Strict")
_SELINUX_POLICIES: Final[tuple[str, ...]] = ("MountOption", "Recursive")

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


def validate_security_context(
    context: dict[str, Any], host_users: bool, allow_privileged: bool, path: str
) -> list[FieldError]:
    """The security context of a container."""
    errors: list[FieldError] = []
    if context.get("privileged") and not allow_privileged:
        errors.append(field.forbidden(f"{path}.privileged", "disallowed by cluster policy"))
    errors += _validate_ids(context, ("runAsUser", "runAsGroup"), path)
    proc_mount = context.get("procMount")
    if proc_mount is not None:
        errors += _validate_proc_mount(proc_mount, host_users, f"{path}.procMount")
    if (profile := context.get("seccompProfile")) is not None:
        errors += profiles.validate_seccomp_profile(profile, f"{path}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        errors += _validate_no_escalation(context, path)
    if (options := context.get("windowsOptions")) is not None:
        errors += windows_options.validate_windows_options(options, f"{path}.windowsOptions")
    if (profile := context.get("appArmorProfile")) is not None:
        errors += profiles.validate_apparmor_profile(profile, f"{path}.appArmorProfile")
    return errors


def _validate_ids(context: dict[str, Any], keys: tuple[str, ...], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in keys:
        number = context.get(key)
        if number is not None:
            errors += field.invalids(f"{path}.{key}", number, names.is_valid_user_id(number))
    return errors


def _validate_proc_mount(proc_mount: str, host_users: bool, path: str) -> list[FieldError]:
    if proc_mount not in _PROC_MOUNTS:
        return [field.not_supported(path, internal_json.text(proc_mount), _PROC_MOUNTS)]
    if host_users and proc_mount == "Unmasked":
        return [field.invalid(path, proc_mount, "`hostUsers` must be false to use `Unmasked`")]
    return []


def _validate_no_escalation(context: dict[str, Any], path: str) -> list[FieldError]:
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
    spec: dict[str, Any], path: str, options: PodValidationOptions
) -> list[FieldError]:
    """The security context of a pod; the host flags beside it in the spec belong to it."""
    context = spec.get("securityContext") or {}
    errors = _validate_ids(context, ("fsGroup", "runAsUser", "runAsGroup"), path)
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        at = f"{path}.supplementalGroups[{index}]"
        errors += field.invalids(at, group, names.is_valid_group_id(group))
    if spec.get("hostPID") and spec.get("shareProcessNamespace"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        errors.append(field.invalid(f"{path}.shareProcessNamespace", True, detail))
    if context.get("sysctls"):
        errors += _validate_sysctls(spec, f"{path}.sysctls", options)
    errors += _validate_choice(context, "fsGroupChangePolicy", _FS_GROUP_POLICIES, path)
    if (profile := context.get("seccompProfile")) is not None:
        errors += profiles.validate_seccomp_profile(profile, f"{path}.seccompProfile")
    if (windows := context.get("windowsOptions")) is not None:
        errors += windows_options.validate_windows_options(windows, f"{path}.windowsOptions")
    if (profile := context.get("appArmorProfile")) is not None:
        errors += profiles.validate_apparmor_profile(profile, f"{path}.appArmorProfile")
    errors += _validate_choice(context, "supplementalGroupsPolicy", _GROUPS_POLICIES, path)
    policies = _SELINUX_POLICIES
    if options.allow_only_recursive_selinux_change_policy:
        policies = ("Recursive",)
    return errors + _validate_choice(context, "seLinuxChangePolicy", policies, path)


def _validate_choice(
    context: dict[str, Any], key: str, supported: tuple[str, ...], path: str
) -> list[FieldError]:
    value = context.get(key)
    if value is None or value in supported:
        return []
    return [field.not_supported(f"{path}.{key}", internal_json.text(value), supported)]


def _validate_sysctls(
    spec: dict[str, Any], path: str, options: PodValidationOptions
) -> list[FieldError]:
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


def _validate_host_sysctl(name: str, spec: dict[str, Any], path: str) -> list[FieldError]:
    """A pod that shares a namespace with the host must not turn the host's knobs."""
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


def has_host_sysctl(spec: dict[str, Any]) -> bool:
    """Whether a sysctl would act on a namespace that the pod shares with the host."""
    context = spec.get("securityContext") or {}
    return any(
        _validate_host_sysctl(sysctl.get("name") or "", spec, "")
        for sysctl in context.get("sysctls") or ()
    )
