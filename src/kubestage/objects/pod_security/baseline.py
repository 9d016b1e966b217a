"""The checks of the baseline level: known ways out of a container are closed."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects.pod_security.finding import (
    SecurityFinding,
    containers,
    contexts,
    named,
    pod_context,
    quoted,
    setters,
    several,
)
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.pod_security.finding import Check

_APPARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_APPARMOR_TYPES: Final = frozenset({"RuntimeDefault", "Localhost"})
_SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
SECCOMP_TYPES: Final = frozenset({"RuntimeDefault", "Localhost"})
_CAPABILITIES: Final = frozenset(
    {
        "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
        "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
    }
)  # fmt: skip
_NAMESPACES: Final = ("hostNetwork", "hostPID", "hostIPC")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS: Final = ("postStart", "preStop")
_ADDRESSED: Final = ("httpGet", "tcpSocket")


def app_armor_profile(metadata: Json, spec: Json) -> SecurityFinding | None:
    """The runtime's profile, or one on the host, and no other."""
    values: set[str] = set()
    own = _forbidden_type(pod_context(spec), "appArmorProfile", _APPARMOR_TYPES, values)
    bad = [
        name
        for name, context in contexts(spec)
        if _forbidden_type(context, "appArmorProfile", _APPARMOR_TYPES, values)
    ]
    annotations = sorted(
        f"{key}={field.quote(value)}"
        for key, value in (metadata.get("annotations") or {}).items()
        if key.startswith(_APPARMOR) and not _is_profile(value, "runtime/default")
    )
    who = [each for each in (setters(bad, pod=own),) if each]
    if annotations:
        who.append(several(annotations, "annotation"))
    if not who:
        return None
    listed = [*sorted(values), *annotations]
    return SecurityFinding(
        several(listed, "forbidden AppArmor profile"),
        f"{' and '.join(who)} must not set AppArmor profile type to {quoted(listed)}",
    )


def _forbidden_type(context: Json, key: str, allowed: Collection[str], found: set[str]) -> bool:
    """Whether a context has a profile of a forbidden type, which is added to those found."""
    profile = context.get(key)
    if profile is None or profile.get("type") in allowed:
        return False
    found.add(profile.get("type") or "")
    return True


def _is_profile(value: str, *allowed: str) -> bool:
    return not value or value in allowed or value.startswith("localhost/")


def capabilities(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """No capability beyond the default ones is added."""
    bad, added = adding(spec, _CAPABILITIES)
    if not bad:
        return None
    return SecurityFinding("non-default capabilities", must_not_add(bad, added))


def adding(spec: Json, allowed: Collection[str]) -> tuple[list[str], list[str]]:
    """The containers that add other capabilities than the allowed ones, and which these are."""
    bad: list[str] = []
    found: set[str] = set()
    for name, context in contexts(spec):
        added = (context.get("capabilities") or {}).get("add") or ()
        others = [each for each in added if each not in allowed]
        if others:
            bad.append(name)
            found.update(others)
    return bad, sorted(found)


def must_not_add(bad: list[str], added: list[str]) -> str:
    """What is wrong with capabilities that are added."""
    return f"{named(bad)} must not include {quoted(added)} in securityContext.capabilities.add"


def host_namespaces(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """No namespace of the host is shared."""
    shared = [f"{name}=true" for name in _NAMESPACES if spec.get(name)]
    return SecurityFinding("host namespaces", ", ".join(shared)) if shared else None


def host_path_volumes(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """No directory of the host is mounted."""
    bad = [
        each.get("name") or ""
        for each in spec.get("volumes") or ()
        if each.get("hostPath") is not None
    ]
    if not bad:
        return None
    return SecurityFinding("hostPath volumes", f"{several(bad, 'volume')} {quoted(bad)}")


def host_ports(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """No port of the host is taken."""
    bad: list[str] = []
    ports: set[str] = set()
    for name, container in containers(spec):
        taken = [each["hostPort"] for each in container.get("ports") or () if each.get("hostPort")]
        if taken:
            bad.append(name)
            ports.update(map(str, taken))
    if not bad:
        return None
    return SecurityFinding(
        "hostPort",
        f"{named(bad)} {several(bad, 'uses', 'use')} {several(ports, 'hostPort')} "
        f"{', '.join(sorted(ports))}",
    )


def host_probes_and_host_lifecycle(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """Probes and life cycle handlers reach only the pod."""
    bad: set[str] = set()
    hosts: set[str] = set()
    for name, container in containers(spec):
        found = set(_hosts(container))
        if found:
            bad.add(name)
            hosts |= found
    if not bad:
        return None
    return SecurityFinding(
        "probe or lifecycle host",
        f"{named(sorted(bad))} {several(bad, 'uses', 'use')} "
        f"{several(hosts, 'probe or lifecycle host')} {quoted(sorted(hosts))}",
    )


def _hosts(container: Json) -> Iterator[str]:
    lifecycle = container.get("lifecycle") or {}
    actions = [container.get(each) for each in _PROBES]
    actions += [lifecycle.get(each) for each in _HANDLERS]
    for action in actions:
        for form in _ADDRESSED:
            host = ((action or {}).get(form) or {}).get("host")
            if host:
                yield host


def privileged(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """No container is privileged."""
    bad = [name for name, context in contexts(spec) if context.get("privileged")]
    if not bad:
        return None
    return SecurityFinding(
        "privileged", f"{named(bad)} must not set securityContext.privileged=true"
    )


def proc_mount(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """Parts of /proc stay masked."""
    bad: list[str] = []
    kinds: set[str] = set()
    for name, context in contexts(spec):
        if context.get("procMount") not in (None, "Default"):
            bad.append(name)
            kinds.add(context["procMount"])
    if not bad:
        return None
    allowed = quoted(sorted(kinds))
    return SecurityFinding(
        "procMount", f"{named(bad)} must not set securityContext.procMount to {allowed}"
    )


def _se_linux_options(
    types: Collection[str], _metadata: Json, spec: Json
) -> SecurityFinding | None:
    bad_types: set[str] = set()
    others: set[str] = set()

    def is_forbidden(context: Json) -> bool:
        options = context.get("seLinuxOptions") or {}
        allowed = options.get("type") or ""
        set_fields = [key for key in ("user", "role") if options.get(key)]
        others.update(set_fields)
        if allowed in types:
            return bool(set_fields)
        bad_types.add(allowed)
        return True

    own = is_forbidden(pod_context(spec))
    who = setters([name for name, context in contexts(spec) if is_forbidden(context)], pod=own)
    if not who:
        return None
    data = []
    if bad_types:
        data.append(f"{several(bad_types, 'type')} {quoted(sorted(bad_types))}")
    data += [f"{key} may not be set" for key in ("user", "role") if key in others]
    return SecurityFinding(
        "seLinuxOptions", f"{who} set forbidden securityContext.seLinuxOptions: {'; '.join(data)}"
    )


def se_linux_options(types: Collection[str]) -> Check:
    """The check that SELinux options have one of the types, and neither user nor role."""
    return functools.partial(_se_linux_options, frozenset(types))


def seccomp_annotations(metadata: Json, spec: Json) -> SecurityFinding | None:
    """As `seccomp_profile`, from the time when profiles were annotations."""
    annotations = metadata.get("annotations") or {}
    keys = [_SECCOMP_POD, *(_SECCOMP_CONTAINER + name for name, _ in containers(spec))]
    bad = sorted(
        {
            f"{key}={field.quote(annotations[key])}"
            for key in keys
            if key in annotations
            and not (
                annotations[key]
                and _is_profile(annotations[key], "runtime/default", "docker/default")
            )
        }
    )
    if not bad:
        return None
    return SecurityFinding(
        "seccompProfile", f"forbidden {several(bad, 'annotation')} {', '.join(bad)}"
    )


def seccomp_profile(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """The filter of system calls is not switched off."""
    values: set[str] = set()
    own = _forbidden_type(pod_context(spec), "seccompProfile", SECCOMP_TYPES, values)
    bad = [
        name
        for name, context in contexts(spec)
        if _forbidden_type(context, "seccompProfile", SECCOMP_TYPES, values)
    ]
    who = setters(bad, pod=own)
    if not who:
        return None
    allowed = quoted(sorted(values))
    return SecurityFinding(
        "seccompProfile", f"{who} must not set securityContext.seccompProfile.type to {allowed}"
    )


def _sysctls(allowed: Collection[str], _metadata: Json, spec: Json) -> SecurityFinding | None:
    names = [each.get("name") or "" for each in pod_context(spec).get("sysctls") or ()]
    bad = [name for name in names if name not in allowed]
    return SecurityFinding("forbidden sysctls", ", ".join(bad)) if bad else None


def sysctls(allowed: Collection[str]) -> Check:
    """The check that only some settings of the kernel are changed."""
    return functools.partial(_sysctls, frozenset(allowed))


def windows_host_process(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """No container is a process of a Windows host."""
    bad = [name for name, context in contexts(spec) if _is_host_process(context)]
    who = setters(bad, pod=_is_host_process(pod_context(spec)))
    if not who:
        return None
    text = f"{who} must not set securityContext.windowsOptions.hostProcess=true"
    return SecurityFinding("hostProcess", text)


def _is_host_process(context: Json) -> bool:
    return bool((context.get("windowsOptions") or {}).get("hostProcess"))
