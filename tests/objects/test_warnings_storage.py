from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import warnings

STORAGE = "storage.k8s.io/v1"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
ADVICE = 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
TOKENS = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to "
    "prevent possible logging of tokens in volume attributes"
)


def make(api_version: str, kind: str, **parts: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, **parts}


TERM = {"matchExpressions": [{"key": OLD_ZONE, "operator": "In", "values": ["z"]}]}


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        (
            make("v1", "PersistentVolume", spec={"persistentVolumeReclaimPolicy": "Recycle"}),
            (
                "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. "
                "Instead, the recommended approach is to use dynamic provisioning."
            ),
        ),
        (
            make(
                "v1",
                "PersistentVolume",
                spec={"nodeAffinity": {"required": {"nodeSelectorTerms": [TERM]}}},
            ),
            (
                "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: "
                f"{OLD_ZONE} is {ADVICE}"
            ),
        ),
        (
            make("v1", "PersistentVolume", spec={"storageos": {}}),
            "spec.storageOS: deprecated in v1.22, non-functional in v1.25+",
        ),
        (
            make(
                STORAGE,
                "StorageClass",
                allowedTopologies=[{"matchLabelExpressions": [{"key": OLD_ZONE}]}],
            ),
            f"allowedTopologies[0].matchLabelExpressions[0].key: {ADVICE}",
        ),
        (
            make(STORAGE, "CSIStorageCapacity", nodeTopology={"matchLabels": {OLD_ZONE: "z"}}),
            f"nodeTopology.matchLabels.{OLD_ZONE}: {ADVICE}",
        ),
        (
            make(STORAGE, "CSIStorageCapacity", nodeTopology=TERM),
            f"nodeTopology.matchExpressions[0].key: {OLD_ZONE} is {ADVICE}",
        ),
        (make(STORAGE, "CSIDriver", spec={"tokenRequests": [{"audience": "a"}]}), TOKENS),
        (
            make("node.k8s.io/v1", "RuntimeClass", scheduling={"nodeSelector": {OLD_ZONE: "z"}}),
            f"scheduling.nodeSelector: {ADVICE}",
        ),
        (
            make("resource.k8s.io/v1", "ResourceSlice", spec={"driver": "D.x"}),
            ('spec.driver: driver names should be lowercase; "D.x" contains uppercase characters'),
        ),
    ],
)
def test_advice_about_new_objects(obj: dict[str, Any], text: str) -> None:
    assert warnings.on_create(obj) == [text]


def test_old_annotations_of_volumes_have_a_field_now() -> None:
    obj = make("v1", "PersistentVolume")
    key = "volume.beta.kubernetes.io/mount-options"
    obj["metadata"]["annotations"] = {key: "ro"}
    assert warnings.on_create(obj) == warnings.on_update(obj, obj)
    assert warnings.on_create(obj) == [
        f'metadata.annotations[{key}]: deprecated since v1.31; use "mountOptions" attribute instead'
    ]


def test_tokens_are_spoken_of_when_they_change() -> None:
    old = make(STORAGE, "CSIDriver", spec={"tokenRequests": [{"audience": "a"}]})
    new = make(STORAGE, "CSIDriver", spec={"tokenRequests": [{"audience": "b"}]})
    assert warnings.on_update(old, old) == []
    assert warnings.on_update(new, old) == [TOKENS]
    new["spec"]["serviceAccountTokenInSecrets"] = True
    assert warnings.on_update(new, old) == []


def test_some_advice_comes_with_every_change() -> None:
    spec = {"schedule": "TZ=UTC * * * * *"}
    job = make("batch/v1", "CronJob", spec=spec)
    (text,) = warnings.on_update(job, job)
    assert text.startswith("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead")
    claims = [{"spec": {"resources": {"requests": {"storage": "100m"}}}}]
    stateful = make("apps/v1", "StatefulSet", spec={"volumeClaimTemplates": claims})
    (text,) = warnings.on_update(stateful, stateful)
    assert text.startswith("spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fract")
