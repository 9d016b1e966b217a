"""Which checks make up a level in a version of Kubernetes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.pod_security import baseline, levels, restricted
from kubestage.objects.pod_security.restricted import unless_user_namespace, unless_windows

if TYPE_CHECKING:
    from kubestage.objects.pod_security.finding import Check, SecurityFinding
    from kubestage.objects.pod_security.levels import LevelVersion


class SecurityRule(NamedTuple):
    """A check under its identifier: how it reads from each minor version on.

    A rule of the restricted level may take the place of a weaker one of the baseline.
    """

    name: str
    versions: dict[int, Check]
    replaces: str = ""

    def at(self, minor: int) -> Check | None:
        """The check as a version has it; None where it was not known yet."""
        since = max((each for each in self.versions if each <= minor), default=None)
        return None if since is None else self.versions[since]


_SE_LINUX: Final = ("", "container_t", "container_init_t", "container_kvm_t")
_SYSCTLS: Final = (
    "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start",
)  # fmt: skip
_SYSCTLS_27: Final = (*_SYSCTLS, "net.ipv4.ip_local_reserved_ports")
_SYSCTLS_29: Final = (
    *_SYSCTLS_27, "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes",
)  # fmt: skip
_SYSCTLS_32: Final = (*_SYSCTLS_29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")

# In the order in which findings are listed.
_BASELINE: Final = (
    SecurityRule("appArmorProfile", {0: baseline.app_armor_profile}),
    SecurityRule("capabilities_baseline", {0: baseline.capabilities}),
    SecurityRule("hostNamespaces", {0: baseline.host_namespaces}),
    SecurityRule("hostPathVolumes", {0: baseline.host_path_volumes}),
    SecurityRule("hostPorts", {0: baseline.host_ports}),
    SecurityRule("hostProbesAndHostLifecycle", {34: baseline.host_probes_and_host_lifecycle}),
    SecurityRule("privileged", {0: baseline.privileged}),
    SecurityRule(
        "procMount", {0: baseline.proc_mount, 35: unless_user_namespace(baseline.proc_mount)}
    ),
    SecurityRule(
        "seLinuxOptions",
        {
            0: baseline.se_linux_options(_SE_LINUX),
            31: baseline.se_linux_options((*_SE_LINUX, "container_engine_t")),
        },
    ),
    SecurityRule(
        "seccompProfile_baseline",
        {0: baseline.seccomp_annotations, 19: baseline.seccomp_profile},
    ),
    SecurityRule(
        "sysctls",
        {
            0: baseline.sysctls(_SYSCTLS),
            27: baseline.sysctls(_SYSCTLS_27),
            29: baseline.sysctls(_SYSCTLS_29),
            32: baseline.sysctls(_SYSCTLS_32),
        },
    ),
    SecurityRule("windowsHostProcess", {0: baseline.windows_host_process}),
)
_RESTRICTED: Final = (
    SecurityRule(
        "allowPrivilegeEscalation",
        {
            8: restricted.allow_privilege_escalation,
            25: unless_windows(restricted.allow_privilege_escalation),
        },
    ),
    SecurityRule(
        "capabilities_restricted",
        {22: restricted.capabilities, 25: unless_windows(restricted.capabilities)},
        replaces="capabilities_baseline",
    ),
    SecurityRule("procMount_restricted", {35: baseline.proc_mount}, replaces="procMount"),
    SecurityRule(
        "restrictedVolumes", {0: restricted.restricted_volumes}, replaces="hostPathVolumes"
    ),
    SecurityRule(
        "runAsNonRoot",
        {0: restricted.run_as_non_root, 35: unless_user_namespace(restricted.run_as_non_root)},
    ),
    SecurityRule(
        "runAsUser",
        {23: restricted.run_as_user, 35: unless_user_namespace(restricted.run_as_user)},
    ),
    SecurityRule(
        "seccompProfile_restricted",
        {19: restricted.seccomp, 25: unless_windows(restricted.seccomp)},
        replaces="seccompProfile_baseline",
    ),
)
NEWEST: Final = max(since for rule in (*_BASELINE, *_RESTRICTED) for since in rule.versions)
"""The minor version that brought the last change."""


@functools.cache
def _checks(level: str, minor: int) -> tuple[Check, ...]:
    added = _RESTRICTED if level == levels.RESTRICTED else ()
    replaced = {rule.replaces for rule in added if rule.at(minor) is not None}
    rules = [rule for rule in _BASELINE if rule.name not in replaced]
    found = (rule.at(minor) for rule in (*rules, *added))
    return tuple(check for check in found if check is not None)


def findings(
    level: LevelVersion, metadata: dict[str, Any], spec: dict[str, Any]
) -> list[SecurityFinding]:
    """Everything that keeps a pod from a level."""
    if level.is_privileged:
        return []
    checks = _checks(level.level, levels.minor(level.version, NEWEST))
    found = (check(metadata, spec) for check in checks)
    return [each for each in found if each is not None]
