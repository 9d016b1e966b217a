from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.pod_specs import problems, spec

AT = "spec.volumes[0]"
PAIRS = "must be a host:port pair or multiple pairs separated by commas"


def _problems(kind: str, source: dict[str, Any]) -> list[str]:
    return problems(spec(volumes=[{"name": "v", kind: source}]))


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("glusterfs", ("endpoints", "path")),
        ("persistentVolumeClaim", ("claimName",)),
        ("rbd", ("monitors", "image")),
        ("cephfs", ("monitors",)),
        ("azureFile", ("secretName", "shareName")),
        ("vsphereVolume", ("volumePath",)),
        ("photonPersistentDisk", ("pdID",)),
        ("portworxVolume", ("volumeID",)),
        ("scaleIO", ("gateway", "system", "volumeName")),
        ("awsElasticBlockStore", ("volumeID",)),
        ("cinder", ("volumeID",)),
        ("flexVolume", ("driver",)),
        ("azureDisk", ("diskName", "diskURI")),
        ("storageos", ("volumeName",)),
    ],
)
def test_kinds_that_need_certain_fields(kind: str, keys: tuple[str, ...]) -> None:
    assert _problems(kind, {}) == [f"{AT}.{kind}.{key}: Required value" for key in keys]
    assert _problems(kind, dict.fromkeys(keys, "x")) == []


@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [
        (
            "awsElasticBlockStore",
            {"volumeID": "x", "partition": 256},
            [".partition: Invalid value: 256: must be between 1 and 255, inclusive"],
        ),
        (
            "nfs",
            {"server": "s"},
            [
                ".path: Required value",
                '.path: Invalid value: "": must be an absolute path',
            ],
        ),
        ("cinder", {"volumeID": "x", "secretRef": {}}, [".secretRef.name: Required value"]),
        (
            "iscsi",
            {"chapAuthSession": True, "lun": 256},
            [
                ".targetPortal: Required value",
                ".iqn: Required value",
                ".lun: Invalid value: 256: must be between 0 and 255, inclusive",
                ".secretRef: Required value",
            ],
        ),
        (
            "iscsi",
            {"targetPortal": "p", "iqn": "wwn.1", "initiatorName": "iqn.2001-04.com.example"},
            [
                '.iqn: Invalid value: "wwn.1": must be valid format starting with iqn, eui, or naa',
                '.initiatorname: Invalid value: "iqn.2001-04.com.example": must be valid format',
            ],
        ),
        ("iscsi", {"targetPortal": "p", "iqn": "iqn.2001-04.com.example:storage.disk1"}, []),
        ("iscsi", {"targetPortal": "p", "iqn": f"naa.{'A' * 32}"}, []),
        (
            "fc",
            {},
            [".targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"],
        ),
        ("fc", {"wwids": ["w"]}, []),
        (
            "fc",
            {"targetWWNs": ["a<b"], "wwids": ["w"]},
            [
                (
                    '.targetWWNs: Invalid value: ["a\\u003cb"]: targetWWNs and wwids can not be '
                    "specified simultaneously"
                ),
                ".lun: Required value: lun is required if targetWWNs is specified",
            ],
        ),
        (
            "fc",
            {"targetWWNs": ["a"], "lun": -1},
            [".lun: Invalid value: -1: must be between 0 and 255, inclusive"],
        ),
        ("quobyte", {}, [f".registry: Required value: {PAIRS}", ".volume: Required value"]),
        (
            "quobyte",
            {"registry": "h:1", "tenant": "t" * 65, "volume": "v"},
            [
                (
                    ".tenant: Required value: must be a UUID and may not exceed a length of 64 "
                    "characters"
                )
            ],
        ),
        ("quobyte", {"registry": "h:1,[::1]:2", "volume": "v"}, []),
        (
            "flocker",
            {},
            [": Required value: one of datasetName and datasetUUID is required"],
        ),
        (
            "flocker",
            {"datasetName": "a/b", "datasetUUID": "u"},
            [
                (
                    ': Invalid value: "resource": datasetName and datasetUUID can not be specified '
                    "simultaneously"
                ),
                ".datasetName: Invalid value: \"a/b\": must not contain '/'",
            ],
        ),
        (
            "flexVolume",
            {"driver": "d", "options": {"Foo.K8s.IO/x": "1", "k8s.io": "2", "myk8s.io": "3"}},
            [
                (
                    '.options[Foo.K8s.IO/x]: Invalid value: "Foo.K8s.IO/x": kubernetes.io and '
                    "k8s.io namespaces are reserved"
                ),
                (
                    '.options[k8s.io]: Invalid value: "k8s.io": kubernetes.io and k8s.io '
                    "namespaces are reserved"
                ),
            ],
        ),
        (
            "azureDisk",
            {"diskName": "d", "diskURI": "u", "cachingMode": "All", "kind": "Managed"},
            [
                (
                    '.cachingMode: Unsupported value: "All": supported values: "None", "ReadOnly", '
                    '"ReadWrite"'
                ),
                (
                    '.diskURI: Unsupported value: "u": supported values: "/subscriptions/{sub-id}/'
                    'resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"'
                ),
            ],
        ),
        (
            "azureDisk",
            {"diskName": "d", "diskURI": "u", "kind": "Shared"},
            [
                (
                    '.diskURI: Unsupported value: "u": supported values: '
                    '"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"'
                )
            ],
        ),
        (
            "storageos",
            {"volumeName": "a.b", "volumeNamespace": "c.d"},
            [
                '.volumeName: Invalid value: "a.b": must not contain dots',
                '.volumeNamespace: Invalid value: "c.d": must not contain dots',
            ],
        ),
    ],
)
def test_kinds_with_rules_of_their_own(
    kind: str, source: dict[str, Any], expected: list[str]
) -> None:
    assert _problems(kind, source) == [f"{AT}.{kind}{problem}" for problem in expected]


@pytest.mark.parametrize(
    "registry", ["h", "h:1:2", "[::1]", "[::1]x:1", "[a[b]:1", "h]:1", "h:1]", "[h:1"]
)
def test_a_registry_is_a_host_and_a_port(registry: str) -> None:
    assert _problems("quobyte", {"registry": registry, "volume": "v"}) == [
        f'{AT}.quobyte.registry: Invalid value: "{registry}": {PAIRS}'
    ]
