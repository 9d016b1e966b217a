"""Each check, at the versions at which it changed, in the words of the API server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.pod_security import registry
from kubestage.objects.pod_security.levels import LevelVersion

if TYPE_CHECKING:
    from kubestage.aliases import Json

SAFE: Json = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
APPARMOR = "container.apparmor.security.beta.kubernetes.io/a"
SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"


def container(name: str, safe: bool = True, **context: Any) -> Json:
    return {"name": name, "image": "i", "securityContext": {**(SAFE if safe else {}), **context}}


def found(
    level: str,
    spec: Json,
    version: str = "latest",
    annotations: dict[str, str] | None = None,
) -> list[str]:
    metadata = {"annotations": annotations or {}}
    return [str(each) for each in registry.findings(LevelVersion(level, version), metadata, spec)]


def test_a_plain_pod_is_told_everything_that_the_restricted_level_wants() -> None:
    plain = {"containers": [{"name": "c", "image": "i"}]}
    assert found("baseline", plain) == []
    assert found("restricted", plain) == [
        (
            'allowPrivilegeEscalation != false (container "c" must set '
            "securityContext.allowPrivilegeEscalation=false)"
        ),
        (
            'unrestricted capabilities (container "c" must set '
            'securityContext.capabilities.drop=["ALL"])'
        ),
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
        (
            'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to '
            '"RuntimeDefault" or "Localhost")'
        ),
    ]
    assert found("privileged", {"hostPID": True, **plain}) == []


def test_a_safe_pod_passes_at_every_version() -> None:
    spec = {"containers": [container("a")], "initContainers": [container("b")]}
    for minor in range(registry.NEWEST + 2):
        assert found("restricted", spec, f"v1.{minor}") == []


BASELINE: list[tuple[Json, str]] = [
    (
        {"hostNetwork": True, "hostIPC": True},
        "host namespaces (hostNetwork=true, hostIPC=true)",
    ),
    (
        {"volumes": [{"name": "v", "hostPath": {"path": "/"}}, {"name": "w", "hostPath": {}}]},
        'hostPath volumes (volumes "v", "w")',
    ),
    (
        {"containers": [{**container("a"), "ports": [{"hostPort": 90}, {"hostPort": 8080}]}]},
        'hostPort (container "a" uses hostPorts 8080, 90)',
    ),
    (
        {"containers": [container("a", privileged=True)], "initContainers": [container("b")]},
        'privileged (container "a" must not set securityContext.privileged=true)',
    ),
    (
        {"ephemeralContainers": [container("e", privileged=True)]},
        'privileged (container "e" must not set securityContext.privileged=true)',
    ),
    (
        {"containers": [container("a", capabilities={"add": ["SYS_ADMIN", "CHOWN", "BPF"]})]},
        (
            'non-default capabilities (container "a" must not include "BPF", "SYS_ADMIN" in '
            "securityContext.capabilities.add)"
        ),
    ),
    (
        {
            "securityContext": {"seLinuxOptions": {"type": "foo", "user": "u", "role": "r"}},
            "containers": [
                container("a", seLinuxOptions={"type": "container_t"}),
                container("b", seLinuxOptions={"type": "bar"}),
            ],
        },
        (
            'seLinuxOptions (pod and container "b" set forbidden securityContext.seLinuxOptions: '
            'types "bar", "foo"; user may not be set; role may not be set)'
        ),
    ),
    (
        {
            "securityContext": {"seccompProfile": {"type": "Unconfined"}},
            "containers": [
                container("a", seccompProfile={"type": "Unconfined"}),
                container("b", seccompProfile={"type": "Unconfined"}),
            ],
        },
        (
            'seccompProfile (pod and containers "a", "b" must not set '
            'securityContext.seccompProfile.type to "Unconfined")'
        ),
    ),
    (
        {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}},
        'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
    ),
    (
        {"securityContext": {"sysctls": [{"name": "a.b"}, {"name": "net.ipv4.tcp_rmem"}]}},
        "forbidden sysctls (a.b)",
    ),
    (
        {
            "securityContext": {"windowsOptions": {"hostProcess": True}},
            "containers": [container("a", windowsOptions={"hostProcess": True})],
        },
        (
            'hostProcess (pod and container "a" must not set '
            "securityContext.windowsOptions.hostProcess=true)"
        ),
    ),
    (
        {"containers": [container("a", procMount="Unmasked")]},
        'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ),
    (
        {
            "containers": [
                {
                    **container("a"),
                    "livenessProbe": {"httpGet": {"host": "example.com"}},
                    "lifecycle": {"preStop": {"tcpSocket": {"host": "10.0.0.1"}}},
                },
                {**container("b"), "readinessProbe": {"tcpSocket": {"port": 1}}},
            ]
        },
        (
            'probe or lifecycle host (container "a" uses probe or lifecycle hosts "10.0.0.1", '
            '"example.com")'
        ),
    ),
]


@pytest.mark.parametrize(("spec", "text"), BASELINE)
def test_baseline(spec: Json, text: str) -> None:
    assert found("baseline", spec) == [text]


RESTRICTED: list[tuple[Json, str]] = [
    (
        {"containers": [container("a", capabilities={"drop": ["ALL"], "add": ["NET_ADMIN"]})]},
        (
            'unrestricted capabilities (container "a" must not include "NET_ADMIN" in '
            "securityContext.capabilities.add)"
        ),
    ),
    (
        {
            "containers": [
                container("a", capabilities={"add": ["CHOWN", "NET_BIND_SERVICE"]}),
                container("b", capabilities={"drop": ["CHOWN"]}),
            ]
        },
        (
            'unrestricted capabilities (containers "a", "b" must set '
            'securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN" in '
            "securityContext.capabilities.add)"
        ),
    ),
    (
        {
            "containers": [container("a")],
            "volumes": [
                {"name": "v", "hostPath": {"path": "/"}},
                {"name": "w", "nfs": {"server": "s"}},
                {"name": "x", "emptyDir": {}},
            ],
        },
        'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
    ),
    (
        {"securityContext": {"runAsNonRoot": False}, "containers": [container("a")]},
        "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)",
    ),
    (
        {"containers": [container("a", runAsUser=0), container("b", runAsUser=1)]},
        'runAsUser=0 (container "a" must not set runAsUser=0)',
    ),
    (
        {"hostUsers": False, "containers": [container("a", procMount="Unmasked")]},
        'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ),
]


@pytest.mark.parametrize(("spec", "text"), RESTRICTED)
def test_restricted(spec: Json, text: str) -> None:
    assert found("restricted", spec) == [text]


def since(level: str, spec: Json, annotations: dict[str, str] | None = None) -> list[int]:
    """The versions at which a pod is not let in."""
    versions = range(registry.NEWEST + 1)
    return [each for each in versions if found(level, spec, f"v1.{each}", annotations)]


def between(first: int, last: int = registry.NEWEST) -> list[int]:
    return list(range(first, last + 1))


def test_checks_change_with_versions() -> None:
    plain = {"containers": [container("a", allowPrivilegeEscalation=None)]}
    assert since("restricted", plain) == between(8)
    windows = {**plain, "os": {"name": "windows"}}
    assert since("restricted", windows) == between(8, 24)
    keeping = {"containers": [container("a", capabilities=None)]}
    assert since("restricted", keeping) == between(22)
    root = {"containers": [container("a", runAsUser=0)]}
    assert since("restricted", root) == between(23)
    assert since("restricted", {**root, "hostUsers": False}) == between(23, 34)
    unconfined = {"containers": [container("a", seccompProfile={"type": "Unconfined"})]}
    assert since("baseline", unconfined) == between(19)
    engine = {"containers": [container("a", seLinuxOptions={"type": "container_engine_t"})]}
    assert since("baseline", engine) == between(0, 30)
    unmasked = {"hostUsers": False, "containers": [container("a", procMount="Unmasked")]}
    assert since("baseline", unmasked) == between(0, 34)
    assert since("restricted", unmasked) == between(0)
    probe = {**container("a"), "startupProbe": {"httpGet": {"host": "h"}}}
    assert since("baseline", {"containers": [probe]}) == between(34)


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("kernel.shm_rmid_forced", None),
        ("net.ipv4.ip_local_reserved_ports", 26),
        ("net.ipv4.tcp_fin_timeout", 28),
        ("net.ipv4.tcp_wmem", 31),
        ("kernel.msgmax", registry.NEWEST),
    ],
)
def test_sysctls_become_safe(name: str, last: int | None) -> None:
    spec = {"securityContext": {"sysctls": [{"name": name, "value": "1"}]}}
    assert since("baseline", spec) == ([] if last is None else between(0, last))


def test_profiles_in_annotations() -> None:
    spec = {"containers": [container("a")]}
    assert since("baseline", spec, {SECCOMP: "unconfined"}) == between(0, 18)
    assert found("baseline", spec, "v1.18", {SECCOMP: "unconfined"}) == [
        f'seccompProfile (forbidden annotation {SECCOMP}="unconfined")'
    ]
    for allowed in ("runtime/default", "docker/default", "localhost/x"):
        assert found("baseline", spec, "v1.18", {SECCOMP: allowed}) == []
    assert found("baseline", spec, annotations={APPARMOR: "unconfined"}) == [
        (
            "forbidden AppArmor profile (annotation must not set AppArmor profile type to "
            f'"{APPARMOR}="unconfined"")'
        )
    ]
    for allowed in ("runtime/default", "localhost/x", ""):
        assert found("baseline", spec, annotations={APPARMOR: allowed}) == []
