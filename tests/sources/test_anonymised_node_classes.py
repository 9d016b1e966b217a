"""EC2NodeClasses of anonymised imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.sources.anonymising import node_classes
from kubestage.stage import Stage
from tests.objects.kinds.karpenter_samples import ec2_node_class

if TYPE_CHECKING:
    from kubestage.aliases import Json

SECRET = "secret-of-ours"
ROOT = {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "100Gi", "kmsKeyID": SECRET}}


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"amiSelectorTerms": [{"id": "ami-1"}], "amiFamily": "AL2023"},
        {"amiSelectorTerms": [{"tags": {"team": SECRET}}], "amiFamily": "Custom"},
        {
            "kubelet": {"maxPods": 20, "clusterDNS": [SECRET]},
            "blockDeviceMappings": [ROOT, {"deviceName": SECRET, "ebs": {"snapshotID": SECRET}}],
            "userData": SECRET,
            "tags": {"owner": SECRET},
        },
    ],
)
def test_what_changes_nodes_stays_and_the_class_stays_valid(spec: dict[str, Any]) -> None:
    written: Json = ec2_node_class(role=SECRET, **spec)
    found = node_classes.without_account(written["spec"])
    assert SECRET not in str(found)
    stored = Stage().store.create({**written, "spec": found})
    assert stored["spec"].get("kubelet") == ({"maxPods": 20} if "kubelet" in spec else None)
    if "blockDeviceMappings" in spec:
        kept = {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "100Gi"}}
        assert stored["spec"]["blockDeviceMappings"] == [kept]
