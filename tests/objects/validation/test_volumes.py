from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import pod_options
from tests.objects.validation.pod_specs import problems, spec

AT = "spec.volumes[0]"
TEMPLATE = {
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
}


def _problems(*volumes: dict[str, Any], meta: dict[str, Any] | None = None) -> list[str]:
    return problems(spec(volumes=list(volumes)), meta)


def test_a_volume_has_a_kind() -> None:
    assert _problems({"name": "v"}) == [f"{AT}: Required value: must specify a volume type"]


def test_a_volume_has_one_kind_and_the_first_in_upstreams_order_counts() -> None:
    volume: dict[str, Any] = {
        "name": "v",
        "image": {"reference": "x", "pullPolicy": "Always"},
        "downwardAPI": {},
        "cephfs": {"monitors": []},
        "gcePersistentDisk": {},
        "emptyDir": None,
    }
    assert _problems(volume) == [
        f"{AT}.persistentDisk.pdName: Required value",
        f"{AT}.cephFS: Forbidden: may not specify more than 1 volume type",
        f"{AT}.downwarAPI: Forbidden: may not specify more than 1 volume type",
        f"{AT}.image: Forbidden: may not specify more than 1 volume type",
    ]


def test_names_are_labels_and_unique() -> None:
    names = ("v", "v", "", "a.b")
    volumes: list[dict[str, Any]] = [{"name": name, "emptyDir": {}} for name in names]
    assert _problems(*volumes) == [
        'spec.volumes[1].name: Duplicate value: "v"',
        "spec.volumes[2].name: Required value",
        'spec.volumes[3].name: Invalid value: "a.b": must not contain dots',
    ]


def test_a_name_whose_volume_is_broken_is_free_again() -> None:
    assert _problems({"name": "v", "secret": {}}, {"name": "v", "emptyDir": {}}) == [
        f"{AT}.secret.secretName: Required value"
    ]


def test_a_claim_made_for_the_pod_is_not_to_be_used_by_name() -> None:
    volumes = [
        {"name": "scratch", "ephemeral": {"volumeClaimTemplate": TEMPLATE}},
        {"name": "other", "persistentVolumeClaim": {"claimName": "web-scratch"}},
    ]
    assert _problems(*volumes, meta={"name": "web"}) == [
        (
            'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "web-scratch": must '
            "not reference a PVC that gets created for an ephemeral volume"
        )
    ]
    assert _problems(*volumes) == []


def test_the_claim_made_for_the_pod_needs_a_valid_name() -> None:
    pod_name = "p" * 250
    volume = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": TEMPLATE}}
    assert _problems(volume, meta={"name": pod_name}) == [
        (
            f'{AT}.name: Invalid value: "scratch": PVC name "{pod_name}-scratch": must be no more '
            "than 253 characters"
        )
    ]


def test_an_ephemeral_volume_has_a_template() -> None:
    assert _problems({"name": "v", "ephemeral": {}}) == [
        f"{AT}.ephemeral.volumeClaimTemplate: Required value"
    ]


def test_the_name_of_an_iscsi_volume_and_its_portal_are_short_together() -> None:
    source = {"targetPortal": "p" * 60, "iqn": "eui.0123456789ABCDEF", "lun": 0}
    name = "v" * 10
    assert _problems({"name": name, "iscsi": source}) == []
    (problem,) = _problems({"name": name, "iscsi": source | {"initiatorName": source["iqn"]}})
    assert problem == (
        f'{AT}.name: Invalid value: "{name}": Total length of <volume name>:<iscsi.targetPortal> '
        "must be under 64 characters if iscsi.initiatorName is specified."
    )


def test_only_pods_must_know_the_image_of_an_image_volume() -> None:
    given = spec(volumes=[{"name": "v", "image": {"pullPolicy": "Always"}}])
    assert problems(given) == [f"{AT}.image.reference: Required value"]
    assert problems(given, options=pod_options.NEW_TEMPLATE) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"emptyDir": {"sizeLimit": "1Gi"}}, []),
        (
            {"emptyDir": {"sizeLimit": "-1"}},
            ["emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"],
        ),
        ({"hostPath": {}}, ["hostPath.path: Required value"]),
        ({"hostPath": {"path": "/a", "type": ""}}, []),
        (
            {"hostPath": {"path": "/a/..", "type": "Dir"}},
            [
                "hostPath.path: Invalid value: \"/a/..\": must not contain '..'",
                (
                    'hostPath.type: Unsupported value: "Dir": supported values: "", "BlockDevice", '
                    '"CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", '
                    '"Socket"'
                ),
            ],
        ),
        (
            {"gitRepo": {"directory": "/a"}},
            [
                "gitRepo.repository: Required value",
                'gitRepo.directory: Invalid value: "/a": must be a relative path',
            ],
        ),
        (
            {"secret": {"secretName": "s", "defaultMode": 512, "items": [{}]}},
            [
                (
                    "secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 "
                    "(octal), both inclusive"
                ),
                "secret.items[0].key: Required value",
                "secret.items[0].path: Required value",
            ],
        ),
        (
            {"configMap": {"name": "m", "items": [{"key": "k", "path": "..a", "mode": -1}]}},
            [
                "configMap.items[0].path: Invalid value: \"..a\": must not start with '..'",
                (
                    "configMap.items[0].mode: Invalid value: -1: must be a number between 0 and "
                    "0777 (octal), both inclusive"
                ),
            ],
        ),
        (
            {
                "downwardAPI": {
                    "items": [
                        {
                            "path": "a",
                            "fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"},
                            "resourceFieldRef": {},
                        }
                    ]
                }
            },
            [
                (
                    'downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported '
                    'values: "metadata.annotations", "metadata.labels", "metadata.name", '
                    '"metadata.namespace", "metadata.uid"'
                ),
                (
                    'downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not '
                    "be specified simultaneously"
                ),
            ],
        ),
        ({"csi": {"driver": "CSI.example.com"}}, []),
        (
            {"csi": {"driver": "d" * 64, "nodePublishSecretRef": {}}},
            [
                "csi.driver: Too long: may not be more than 63 bytes",
                "csi.nodePublishSecretRef.name: Required value",
            ],
        ),
        (
            {"image": {"reference": "r", "pullPolicy": "Later"}},
            [
                (
                    'image.pullPolicy: Unsupported value: "Later": supported values: "Always", '
                    '"IfNotPresent", "Never"'
                )
            ],
        ),
    ],
)
def test_volumes_of_the_node_the_cluster_and_the_api(
    source: dict[str, Any], expected: list[str]
) -> None:
    assert _problems({"name": "v", **source}) == [f"{AT}.{problem}" for problem in expected]


def test_the_secret_of_a_csi_volume_is_named_as_an_object() -> None:
    source = {"driver": "d", "nodePublishSecretRef": {"name": "S"}}
    (problem,) = _problems({"name": "v", "csi": source})
    assert problem.startswith(f'{AT}.csi.name: Invalid value: "S": a lowercase RFC 1123 subdomain')
