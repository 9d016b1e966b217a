"""The checks of the restricted level: a pod has to give up what it does not need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.pod_security.baseline import (
    SECCOMP_TYPES,
    adding,
    must_not_add,
    seccomp_profile,
)
from kubestage.objects.pod_security.finding import (
    SecurityFinding,
    contexts,
    has_user_namespace,
    is_windows,
    named,
    pod_context,
    quoted,
    setters,
    several,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.pod_security.finding import Check

_VOLUMES: Final = frozenset(
    {
        "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image",
        "persistentVolumeClaim", "projected", "secret",
    }
)  # fmt: skip
_OTHER_VOLUMES: Final = (
    "hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs",
    "rbd", "flexVolume", "cinder", "cephfs", "flocker", "fc", "azureFile", "vsphereVolume",
    "quobyte", "azureDisk", "photonPersistentDisk", "portworxVolume", "scaleIO", "storageos",
)  # fmt: skip


def unless_windows(check: Check) -> Check:
    """A check that has nothing to say about a pod for Windows, where the field is unknown."""

    def checked(metadata: Json, spec: Json) -> SecurityFinding | None:
        return None if is_windows(spec) else check(metadata, spec)

    return checked


def unless_user_namespace(check: Check) -> Check:
    """A check that passes pods whose root is an unprivileged user on the host."""

    def checked(metadata: Json, spec: Json) -> SecurityFinding | None:
        return None if has_user_namespace(spec) else check(metadata, spec)

    return checked


def allow_privilege_escalation(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """No process gets more privileges than its parent."""
    bad = [
        name
        for name, context in contexts(spec)
        if context.get("allowPrivilegeEscalation") is not False
    ]
    if not bad:
        return None
    return SecurityFinding(
        "allowPrivilegeEscalation != false",
        f"{named(bad)} must set securityContext.allowPrivilegeEscalation=false",
    )


def capabilities(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """All capabilities are dropped; only the one for low ports may be added."""
    details = []
    not_dropping = [
        name
        for name, context in contexts(spec)
        if "ALL" not in ((context.get("capabilities") or {}).get("drop") or ())
    ]
    if not_dropping:
        details.append(f'{named(not_dropping)} must set securityContext.capabilities.drop=["ALL"]')
    bad, added = adding(spec, ("NET_BIND_SERVICE",))
    if bad:
        details.append(must_not_add(bad, added))
    return SecurityFinding("unrestricted capabilities", "; ".join(details)) if details else None


def restricted_volumes(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """Only volumes of the cluster itself, or claimed ones."""
    bad: list[str] = []
    kinds: set[str] = set()
    for volume in spec.get("volumes") or ():
        if any(volume.get(kind) is not None for kind in _VOLUMES):
            continue
        bad.append(volume.get("name") or "")
        found = (kind for kind in _OTHER_VOLUMES if volume.get(kind) is not None)
        kinds.add(next(found, "unknown"))
    if not bad:
        return None
    return SecurityFinding(
        "restricted volume types",
        f"{several(bad, 'volume')} {quoted(bad)} {several(bad, 'uses', 'use')} "
        f"{several(kinds, 'restricted volume type')} {quoted(sorted(kinds))}",
    )


def run_as_non_root(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """No container may run as root."""
    pod_value = pod_context(spec).get("runAsNonRoot")
    values = [(name, context.get("runAsNonRoot")) for name, context in contexts(spec)]
    who = setters([name for name, value in values if value is False], pod=pod_value is False)
    if who:
        detail = f"{who} must not set securityContext.runAsNonRoot=false"
        return SecurityFinding("runAsNonRoot != true", detail)
    silent = [name for name, value in values if value is None and not pod_value]
    if not silent:
        return None
    return SecurityFinding(
        "runAsNonRoot != true",
        f"pod or {named(silent)} must set securityContext.runAsNonRoot=true",
    )


def run_as_user(_metadata: Json, spec: Json) -> SecurityFinding | None:
    """No container names root as its user."""
    bad = [name for name, context in contexts(spec) if context.get("runAsUser") == 0]
    who = setters(bad, pod=pod_context(spec).get("runAsUser") == 0)
    return SecurityFinding("runAsUser=0", f"{who} must not set runAsUser=0") if who else None


def seccomp(metadata: Json, spec: Json) -> SecurityFinding | None:
    """Each container has a filter of system calls."""
    found = seccomp_profile(metadata, spec)
    if found is not None:
        return found
    pod_value = pod_context(spec).get("seccompProfile") or {}
    if pod_value.get("type") in SECCOMP_TYPES:
        return None
    silent = [name for name, context in contexts(spec) if context.get("seccompProfile") is None]
    if not silent:
        return None
    return SecurityFinding(
        "seccompProfile",
        f"pod or {named(silent)} must set securityContext.seccompProfile.type to "
        '"RuntimeDefault" or "Localhost"',
    )
