from __future__ import annotations

from tests.objects.validation.pod_specs import container, problems, spec

WINDOWS = "Forbidden: cannot be set for a windows pod"


def test_the_system_is_named_and_known() -> None:
    assert problems(spec(os={})) == ["spec.os.name: Required value"]
    assert problems(spec(os={"name": "plan9"})) == [
        'spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'
    ]
    assert problems(spec(os={"name": "linux"})) == []


def test_linux_pods_have_no_windows_options() -> None:
    options = {"windowsOptions": {"runAsUserName": "u"}}
    given = spec(
        os={"name": "linux"},
        securityContext=options,
        containers=[container(securityContext=options)],
        initContainers=[container("i", securityContext=options)],
    )
    detail = (
        "securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"
    )
    assert problems(given) == [
        f"spec.{detail}",
        f"spec.initContainers[0].{detail}",
        f"spec.containers[0].{detail}",
    ]


def test_windows_pods_have_nothing_of_linux() -> None:
    context = {
        "seLinuxOptions": {"level": "s0"},
        "fsGroup": 1,
        "fsGroupChangePolicy": "Always",
        "runAsUser": 1,
        "supplementalGroups": [1],
        "seLinuxChangePolicy": "Recursive",
        "sysctls": [],
    }
    given = spec(
        os={"name": "windows"},
        hostIPC=True,
        hostPID=False,
        hostUsers=True,
        shareProcessNamespace=False,
        securityContext=context,
        containers=[
            container(
                securityContext={
                    "capabilities": {},
                    "readOnlyRootFilesystem": False,
                    "allowPrivilegeEscalation": False,
                    "procMount": "Default",
                }
            )
        ],
    )
    fields = (
        "securityContext.seLinuxOptions",
        "hostUsers",
        "hostIPC",
        "securityContext.fsGroup",
        "securityContext.fsGroupChangePolicy",
        "shareProcessNamespace",
        "securityContext.runAsUser",
        "securityContext.supplementalGroups",
        "securityContext.seLinuxChangePolicy",
        "containers[0].securityContext.capabilities",
        "containers[0].securityContext.readOnlyRootFilesystem",
        "containers[0].securityContext.allowPrivilegeEscalation",
        "containers[0].securityContext.procMount",
    )
    assert problems(given) == [f"spec.{field}: {WINDOWS}" for field in fields]
