from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.pod_specs import container, problems, spec

VOLUMES = [
    {"name": "dir", "emptyDir": {}},
    {"name": "claim", "persistentVolumeClaim": {"claimName": "p"}},
    {"name": "made", "ephemeral": {"volumeClaimTemplate": {"spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}},
]  # fmt: skip
MOUNTS = "spec.containers[0].volumeMounts"
DEVICES = "spec.containers[0].volumeDevices"


def _problems(**fields: Any) -> list[str]:
    return problems(spec(volumes=VOLUMES, containers=[container(**fields)]))


@pytest.mark.parametrize(
    ("mount", "expected"),
    [
        ({"name": "dir", "mountPath": "/a", "readOnly": True, "subPath": "b/c"}, []),
        ({"name": "dir"}, [f"{MOUNTS}[0].mountPath: Required value"]),
        (
            {"mountPath": "/a"},
            [f"{MOUNTS}[0].name: Required value", f'{MOUNTS}[0].name: Not found: ""'],
        ),
        (
            {"name": "dir", "mountPath": "/a", "subPath": "/b", "subPathExpr": "../c"},
            [
                f'{MOUNTS}.subPath: Invalid value: "/b": must be a relative path',
                (
                    f'{MOUNTS}[0].subPathExpr: Invalid value: "../c": subPathExpr and subPath are '
                    "mutually exclusive"
                ),
                f"{MOUNTS}.subPathExpr: Invalid value: \"../c\": must not contain '..'",
            ],
        ),
        (
            {"name": "dir", "mountPath": "/a", "mountPropagation": "Both"},
            [
                (
                    f'{MOUNTS}.mountPropagation: Unsupported value: "Both": supported values: '
                    '"Bidirectional", "HostToContainer", "None"'
                )
            ],
        ),
        (
            {"name": "dir", "mountPath": "/a", "mountPropagation": "Bidirectional"},
            [
                (
                    f"{MOUNTS}.mountPropagation: Forbidden: Bidirectional mount propagation is "
                    "available only to privileged containers"
                )
            ],
        ),
        ({"name": "dir", "mountPath": "/a", "recursiveReadOnly": "Disabled"}, []),
        (
            {"name": "dir", "mountPath": "/a", "recursiveReadOnly": "Deep"},
            [
                (
                    f'{MOUNTS}.recursiveReadOnly: Unsupported value: "Deep": supported values: '
                    '"Disabled", "Enabled", "IfPossible"'
                )
            ],
        ),
        (
            {
                "name": "dir",
                "mountPath": "/a",
                "recursiveReadOnly": "Enabled",
                "mountPropagation": "HostToContainer",
            },
            [
                (
                    f"{MOUNTS}.recursiveReadOnly: Forbidden: may only be specified when readOnly "
                    "is true"
                ),
                (
                    f"{MOUNTS}.recursiveReadOnly: Forbidden: may only be specified when "
                    "mountPropagation is None or not specified"
                ),
            ],
        ),
    ],
)
def test_mounts(mount: dict[str, Any], expected: list[str]) -> None:
    assert _problems(volumeMounts=[mount]) == expected


def test_a_path_is_mounted_once() -> None:
    mounts = [{"name": "dir", "mountPath": "/a"}, {"name": "claim", "mountPath": "/a"}]
    assert _problems(volumeMounts=mounts) == [
        f'{MOUNTS}[1].mountPath: Invalid value: "/a": must be unique'
    ]


def test_a_volume_is_mounted_or_attached_but_not_both() -> None:
    assert _problems(
        volumeMounts=[{"name": "claim", "mountPath": "/a"}],
        volumeDevices=[{"name": "claim", "devicePath": "/a"}],
    ) == [
        f'{MOUNTS}[0].name: Invalid value: "claim": must not already exist in volumeDevices',
        (
            f'{MOUNTS}[0].mountPath: Invalid value: "/a": must not already exist as a path in '
            "volumeDevices"
        ),
        f'{DEVICES}[0].name: Invalid value: "claim": must not already exist in volumeMounts',
        (
            f'{DEVICES}[0].devicePath: Invalid value: "/a": must not already exist as a path in '
            "volumeMounts"
        ),
    ]


@pytest.mark.parametrize(
    ("devices", "expected"),
    [
        ([{"name": "claim", "devicePath": "/x"}, {"name": "made", "devicePath": "/y"}], []),
        (
            [{}],
            [
                f"{DEVICES}[0].name: Required value",
                f'{DEVICES}[0].name: Not found: ""',
                f"{DEVICES}[0].devicePath: Required value",
            ],
        ),
        (
            [{"name": "dir", "devicePath": "/a/../b"}],
            [
                (
                    f'{DEVICES}[0].name: Invalid value: "dir": can only use volume source type of '
                    "PersistentVolumeClaim or Ephemeral for block mode"
                ),
                (
                    f'{DEVICES}[0].devicePath: Invalid value: "/a/../b": can not contain backsteps '
                    "('..')"
                ),
            ],
        ),
        (
            [{"name": "claim", "devicePath": "/x"}, {"name": "claim", "devicePath": "/x"}],
            [
                f'{DEVICES}[1].name: Invalid value: "claim": must be unique',
                f'{DEVICES}[1].devicePath: Invalid value: "/x": must be unique',
            ],
        ),
    ],
)
def test_devices(devices: list[dict[str, Any]], expected: list[str]) -> None:
    assert _problems(volumeDevices=devices) == expected


def test_a_volume_with_an_error_of_its_own_cannot_be_mounted() -> None:
    given = spec(
        volumes=[{"name": "v", "secret": {}}],
        containers=[container(volumeMounts=[{"name": "v", "mountPath": "/a"}])],
    )
    assert problems(given) == [
        "spec.volumes[0].secret.secretName: Required value",
        f'{MOUNTS}[0].name: Not found: "v"',
    ]
