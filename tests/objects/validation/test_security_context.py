from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import capabilities, pod_options
from tests.objects.validation.pod_specs import problems, spec, with_container

AT = "spec.containers[0].securityContext"
POD = "spec.securityContext"
RANGE = "must be between 0 and 2147483647, inclusive"


def _shown(**fields: Any) -> str:
    keys = [
        "Capabilities",
        "Privileged",
        "SELinuxOptions",
        "WindowsOptions",
        "RunAsUser",
        "RunAsGroup",
        "RunAsNonRoot",
        "ReadOnlyRootFilesystem",
        "AllowPrivilegeEscalation",
        "ProcMount",
        "SeccompProfile",
        "AppArmorProfile",
    ]
    return "{" + ",".join(f'"{key}":{fields.get(key, "null")}' for key in keys) + "}"


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({"runAsUser": 0, "runAsGroup": 2**31 - 1, "procMount": "Default"}, []),
        ({"privileged": True}, []),
        ({"privileged": False, "allowPrivilegeEscalation": False}, []),
        (
            {"runAsUser": -1, "runAsGroup": 2**31},
            [
                f"{AT}.runAsUser: Invalid value: -1: {RANGE}",
                f"{AT}.runAsGroup: Invalid value: 2147483648: {RANGE}",
            ],
        ),
        (
            {"procMount": "Half"},
            [f'{AT}.procMount: Unsupported value: "Half": supported values: "Default", "Unmasked"'],
        ),
        (
            {"procMount": "Unmasked"},
            [
                (
                    f'{AT}.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use '
                    "`Unmasked`"
                )
            ],
        ),
        (
            {"allowPrivilegeEscalation": False, "capabilities": {"add": ["CAP_SYS_ADMIN"]}},
            [
                f"{AT}: Invalid value: "
                + _shown(
                    Capabilities='{"Add":["CAP_SYS_ADMIN"],"Drop":null}',
                    AllowPrivilegeEscalation="false",
                )
                + ": cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` "
                "CAP_SYS_ADMIN"
            ],
        ),
    ],
)
def test_contexts_of_containers(context: dict[str, Any], expected: list[str]) -> None:
    assert problems(with_container(securityContext=context)) == expected


def test_a_cluster_may_forbid_privileged_containers() -> None:
    given = with_container(securityContext={"privileged": True})
    with capabilities.privileged_pods(allowed=False):
        assert problems(given) == [f"{AT}.privileged: Forbidden: disallowed by cluster policy"]
    assert problems(given) == []


def test_unmasked_proc_needs_users_of_its_own() -> None:
    given = with_container(securityContext={"procMount": "Unmasked"}) | {"hostUsers": False}
    assert problems(given) == []


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (
            {"fsGroup": -1, "runAsUser": -2, "runAsGroup": -3, "supplementalGroups": [0, -4]},
            [
                f"{POD}.fsGroup: Invalid value: -1: {RANGE}",
                f"{POD}.runAsUser: Invalid value: -2: {RANGE}",
                f"{POD}.runAsGroup: Invalid value: -3: {RANGE}",
                f"{POD}.supplementalGroups[1]: Invalid value: -4: {RANGE}",
            ],
        ),
        (
            {
                "fsGroupChangePolicy": "A",
                "supplementalGroupsPolicy": "B",
                "seLinuxChangePolicy": "MountOption",
            },
            [
                (
                    f'{POD}.fsGroupChangePolicy: Unsupported value: "A": supported values: '
                    '"Always", "OnRootMismatch"'
                ),
                (
                    f'{POD}.supplementalGroupsPolicy: Unsupported value: "B": supported values: '
                    '"Merge", "Strict"'
                ),
                (
                    f'{POD}.seLinuxChangePolicy: Unsupported value: "MountOption": supported '
                    'values: "Recursive"'
                ),
            ],
        ),
    ],
)
def test_contexts_of_pods(context: dict[str, Any], expected: list[str]) -> None:
    assert problems(spec(securityContext=context)) == expected


def test_an_old_pod_with_a_policy_may_have_any_known_policy() -> None:
    options = pod_options.PodValidationOptions(allow_only_recursive_selinux_change_policy=False)
    given = spec(securityContext={"seLinuxChangePolicy": "MountOption"})
    assert problems(given, options=options) == []
    given = spec(securityContext={"seLinuxChangePolicy": "X"})
    assert problems(given, options=options) == [
        (
            f'{POD}.seLinuxChangePolicy: Unsupported value: "X": supported values: "MountOption", '
            '"Recursive"'
        )
    ]


def test_processes_are_shared_with_the_pod_or_with_the_host() -> None:
    assert problems(spec(hostPID=True, shareProcessNamespace=True)) == [
        (
            f"{POD}.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID "
            "cannot both be enabled"
        )
    ]


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("net.ipv4.tcp_syncookies", "hostNetwork"),
        ("net/ipv4/conf/eno2.100/rp_filter", "hostNetwork"),
        ("kernel.shm_rmid_forced", "hostIPC"),
        ("kernel/msgmax", "hostIPC"),
        ("fs.mqueue.msg_max", "hostIPC"),
    ],
)
def test_a_pod_does_not_turn_the_hosts_knobs(name: str, flag: str) -> None:
    given = spec(securityContext={"sysctls": [{"name": name, "value": "1"}]})
    assert problems(given) == []
    found = problems(given | {"hostNetwork": True, "hostIPC": True})
    assert found == [
        (
            f"{POD}.sysctls[0].name: Invalid value: \"{name}\": may not be specified when '{flag}' "
            "is true"
        )
    ]
    loose = pod_options.PodValidationOptions(
        allow_namespaced_sysctls_for_host_net_and_host_ipc=True
    )
    assert problems(given | {flag: True}, options=loose) == []


def test_sysctls_are_named_well_and_once() -> None:
    names = ["", "a.b", "a.b", "A", "a" * 254]
    sysctls = [{"name": name, "value": "1"} for name in names]
    regex = r"^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
    detail = f"must have at most 253 characters and match regex {regex}"
    assert problems(spec(securityContext={"sysctls": sysctls})) == [
        f"{POD}.sysctls[0].name: Required value",
        f'{POD}.sysctls[2].name: Duplicate value: "a.b"',
        f'{POD}.sysctls[3].name: Invalid value: "A": {detail}',
        f'{POD}.sysctls[4].name: Invalid value: "{"a" * 254}": {detail}',
    ]
