from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import kinds
from kubestage.objects.quota import amounts, evaluators

TABLE = kinds.KindTable()
NOW = 1_767_225_600 * 10**9
SCOPE_FIELDS = ("scopeName", "operator", "values")


def row(api_version: str, kind: str) -> kinds.Kind:
    found = TABLE.get(api_version, kind)
    assert found is not None
    return found


POD = row("v1", "Pod")


def used(kind: kinds.Kind, obj: dict[str, Any]) -> dict[str, str]:
    return amounts.write(evaluators.usage(kind, {"metadata": {}, **obj}, NOW))


def pod(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    made = [{"name": f"c{index}", "resources": each} for index, each in enumerate(containers)]
    return {"metadata": {}, "spec": {"containers": made, **spec}}


def test_a_pod_uses_what_its_containers_ask_for() -> None:
    one = {"requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"cpu": "1"}}
    other = {"requests": {"cpu": "0.4", "hugepages-2Mi": "4Mi", "example.com/gpu": "2"}}
    assert used(POD, pod(one, other)) == {
        "count/pods": "1",
        "cpu": "500m",
        "hugepages-2Mi": "4Mi",
        "limits.cpu": "1",
        "memory": "1Gi",
        "pods": "1",
        "requests.cpu": "500m",
        "requests.example.com/gpu": "2",
        "requests.hugepages-2Mi": "4Mi",
        "requests.memory": "1Gi",
    }


@pytest.mark.parametrize(
    ("metadata", "phase", "charged"),
    [
        ({}, "Running", True),
        ({}, "Succeeded", False),
        ({}, "Failed", False),
        (
            {"deletionTimestamp": "2025-12-31T23:59:50Z", "deletionGracePeriodSeconds": 30},
            "Running",
            True,
        ),
        (
            {"deletionTimestamp": "2025-12-31T23:59:20Z", "deletionGracePeriodSeconds": 30},
            "Running",
            False,
        ),
    ],
)
def test_a_pod_that_is_over_is_only_counted(
    metadata: dict[str, Any], phase: str, charged: bool
) -> None:
    made = {**pod({}), "metadata": metadata, "status": {"phase": phase}}
    assert used(POD, made) == {"count/pods": "1"} | ({"pods": "1"} if charged else {})


@pytest.mark.parametrize(
    ("spec", "ports", "balancers"),
    [
        ({"type": "ClusterIP", "ports": [{}, {}]}, "0", "0"),
        ({"type": "NodePort", "ports": [{}, {}]}, "2", "0"),
        ({"type": "LoadBalancer", "ports": [{}, {}]}, "2", "1"),
        (
            {
                "type": "LoadBalancer",
                "allocateLoadBalancerNodePorts": False,
                "ports": [{}, {"nodePort": 30001}],
            },
            "1",
            "1",
        ),
    ],
)
def test_services_use_ports_and_load_balancers(
    spec: dict[str, Any], ports: str, balancers: str
) -> None:
    assert used(row("v1", "Service"), {"spec": spec}) == {
        "count/services": "1",
        "services": "1",
        "services.loadbalancers": balancers,
        "services.nodeports": ports,
    }


def test_a_claim_uses_whole_bytes_of_its_class() -> None:
    claim = {
        "metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}},
        "spec": {"resources": {"requests": {"storage": "1500m"}}, "storageClassName": "new"},
    }
    assert used(row("v1", "PersistentVolumeClaim"), claim) == {
        "count/persistentvolumeclaims": "1",
        "old.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
        "old.storageclass.storage.k8s.io/requests.storage": "2",
        "persistentvolumeclaims": "1",
        "requests.storage": "2",
    }


def test_what_was_allocated_counts_if_it_is_more() -> None:
    claim = {
        "spec": {"resources": {"requests": {"storage": "1Gi"}}},
        "status": {"allocatedResources": {"storage": "2Gi"}},
    }
    assert used(row("v1", "PersistentVolumeClaim"), claim)["requests.storage"] == "2Gi"


def test_devices_count_by_class_in_the_worst_case() -> None:
    requests = [
        {"exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}},
        {
            "firstAvailable": [
                {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 3},
                {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1},
                {"deviceClassName": "nic", "allocationMode": "All"},
            ]
        },
    ]
    claim = {"spec": {"devices": {"requests": requests}}}
    assert used(row("resource.k8s.io/v1", "ResourceClaim"), claim) == {
        "count/resourceclaims.resource.k8s.io": "1",
        "gpu.deviceclass.resource.k8s.io/devices": "5",
        "nic.deviceclass.resource.k8s.io/devices": "32",
    }


def test_other_kinds_are_counted_and_events_are_not() -> None:
    assert used(row("apps/v1", "Deployment"), {}) == {"count/deployments.apps": "1"}
    assert used(row("v1", "Secret"), {}) == {"count/secrets": "1", "secrets": "1"}
    assert used(row("v1", "Event"), {}) == {}


AFFINITY = {
    "podAntiAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "podAffinityTerm": {"topologyKey": "z", "namespaceSelector": {}}}
        ]
    }
}


@pytest.mark.parametrize(
    ("spec", "scope", "fits"),
    [
        ({"activeDeadlineSeconds": 0}, ("Terminating", "Exists"), True),
        ({}, ("Terminating", "Exists"), False),
        ({}, ("NotTerminating", "Exists"), True),
        ({}, ("BestEffort", "Exists"), True),
        ({}, ("NotBestEffort", "Exists"), False),
        ({}, ("PriorityClass", "Exists"), False),
        ({"priorityClassName": "high"}, ("PriorityClass", "Exists"), True),
        ({"priorityClassName": "high"}, ("PriorityClass", "In", ["high", "low"]), True),
        ({"priorityClassName": "high"}, ("PriorityClass", "In", ["low"]), False),
        ({"priorityClassName": "high"}, ("PriorityClass", "NotIn", ["low"]), True),
        ({}, ("PriorityClass", "NotIn", ["low"]), True),
        ({}, ("PriorityClass", "DoesNotExist"), True),
        ({}, ("CrossNamespacePodAffinity", "Exists"), False),
        ({"affinity": AFFINITY}, ("CrossNamespacePodAffinity", "Exists"), True),
        ({}, ("VolumeAttributesClass", "Exists"), False),
    ],
)
def test_pods_are_in_scopes(spec: dict[str, Any], scope: tuple[Any, ...], fits: bool) -> None:
    requirement = dict(zip(SCOPE_FIELDS, scope, strict=False))
    quota = {"spec": {"scopeSelector": {"matchExpressions": [requirement]}}}
    evaluator = evaluators.of(POD)
    assert evaluator is not None
    assert evaluator.fits_scopes(quota, pod({}, **spec)) is fits


def test_claims_are_in_scope_by_any_attributes_class_they_have_or_want() -> None:
    claim = {
        "metadata": {},
        "spec": {"volumeAttributesClassName": "gold"},
        "status": {"currentVolumeAttributesClassName": "silver"},
    }
    evaluator = evaluators.of(row("v1", "PersistentVolumeClaim"))
    assert evaluator is not None
    for values, fits in ((["silver"], True), (["gold"], True), (["bronze"], False)):
        requirement = {"scopeName": "VolumeAttributesClass", "operator": "In", "values": values}
        quota = {"spec": {"scopeSelector": {"matchExpressions": [requirement]}}}
        assert evaluator.fits_scopes(quota, claim) is fits


def test_a_total_covers_what_is_limited_and_known() -> None:
    hard = {"pods": "9", "requests.cpu": "9", "count/deployments.apps": "9", "nonsense": "9"}
    quota = {"spec": {"hard": hard, "scopes": ["NotBestEffort"]}}
    pods = [pod({"requests": {"cpu": "100m"}}), pod({"requests": {"cpu": "1"}}), pod({})]

    def listed(kind: kinds.Kind) -> list[dict[str, Any]]:
        return pods if kind.kind == "Pod" else [{"metadata": {}}]

    total = evaluators.total(quota, [POD, POD, row("apps/v1", "Deployment")], listed, NOW)
    # Deployments are in no scope at all.
    assert amounts.write(total) == {
        "count/deployments.apps": "0",
        "pods": "2",
        "requests.cpu": "1100m",
    }
