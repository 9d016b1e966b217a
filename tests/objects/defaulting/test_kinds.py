"""Defaults of kinds beside pods and the workloads that are recorded."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import defaulting

RBAC = "rbac.authorization.k8s.io"


def _complete(api_version: str, kind: str, **fields: Any) -> dict[str, Any]:
    return defaulting.default({"apiVersion": api_version, "kind": kind, **fields})


@pytest.mark.parametrize("kind", ["RoleBinding", "ClusterRoleBinding"])
def test_role_bindings_name_the_group_of_roles_and_people(kind: str) -> None:
    subjects = [{"kind": each, "name": "x"} for each in ("User", "Group", "ServiceAccount")]
    bound = _complete(f"{RBAC}/v1", kind, subjects=subjects, roleRef={"kind": "Role", "name": "r"})
    assert bound["roleRef"] == {"apiGroup": RBAC, "kind": "Role", "name": "r"}
    assert [each.get("apiGroup") for each in bound["subjects"]] == [RBAC, RBAC, None]


def test_roles_only_get_their_shape() -> None:
    assert _complete(f"{RBAC}/v1", "Role")["rules"] is None


def test_claims_for_devices_ask_for_exactly_one() -> None:
    tolerating = {"deviceClassName": "gpu", "tolerations": [{"key": "a"}]}
    every = {"name": "s", "deviceClassName": "gpu", "allocationMode": "All"}
    requests = [
        {"name": "a", "exactly": tolerating},
        {"name": "b", "firstAvailable": [every, {"name": "t", "deviceClassName": "gpu"}]},
    ]
    claim = _complete(
        "resource.k8s.io/v1", "ResourceClaim", spec={"devices": {"requests": requests}}
    )
    exactly = claim["spec"]["devices"]["requests"][0]["exactly"]
    assert (exactly["allocationMode"], exactly["count"]) == ("ExactCount", 1)
    assert exactly["tolerations"] == [{"key": "a", "operator": "Equal"}]
    first, second = claim["spec"]["devices"]["requests"][1]["firstAvailable"]
    assert "count" not in first
    assert second["count"] == 1
    wrapped = _complete(
        "resource.k8s.io/v1",
        "ResourceClaimTemplate",
        spec={"spec": {"devices": {"requests": requests}}},
    )
    assert wrapped["spec"]["spec"] == claim["spec"]


def test_tolerations_of_allocated_devices_are_completed() -> None:
    result = {"request": "a", "driver": "d", "pool": "p", "device": "x", "tolerations": [{}]}
    status = {"allocation": {"devices": {"results": [result]}}}
    claim = _complete("resource.k8s.io/v1", "ResourceClaim", status=status)
    results = claim["status"]["allocation"]["devices"]["results"]
    assert results[0]["tolerations"] == [{"operator": "Equal"}]


def test_taints_of_devices_are_dated_by_the_callers_clock() -> None:
    device = {
        "name": "x",
        "taints": [{"key": "a", "effect": "NoSchedule"}],
        "nodeAllocatableResourceMappings": {"cpu": {}},
    }
    offer = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "spec": {"driver": "d", "pool": {"name": "p"}, "devices": [device]},
    }
    now = "2026-01-01T00:00:00Z"
    dated = defaulting.default(offer, now=now)["spec"]["devices"][0]
    assert dated["taints"][0]["timeAdded"] == now
    assert dated["nodeAllocatableResourceMappings"] == {"cpu": {"allocationMultiplier": "1"}}
    assert "timeAdded" not in defaulting.default(offer)["spec"]["devices"][0]["taints"][0]


def test_drivers_attach_and_persist() -> None:
    assert _complete("storage.k8s.io/v1", "CSIDriver")["spec"] == {
        "attachRequired": True,
        "podInfoOnMount": False,
        "storageCapacity": False,
        "fsGroupPolicy": "ReadWriteOnceWithFSType",
        "volumeLifecycleModes": ["Persistent"],
        "requiresRepublish": False,
        "seLinuxMount": False,
    }


def test_attachments_complete_the_volume_they_carry() -> None:
    inline = {"capacity": {"storage": "1.0001"}, "rbd": {"monitors": [], "image": "i"}}
    spec = {"attacher": "a", "nodeName": "n", "source": {"inlineVolumeSpec": inline}}
    attached = _complete("storage.k8s.io/v1", "VolumeAttachment", spec=spec)
    volume = attached["spec"]["source"]["inlineVolumeSpec"]
    assert volume["capacity"] == {"storage": "1001m"}
    assert volume["rbd"] == {
        "monitors": [],
        "image": "i",
        "pool": "rbd",
        "user": "admin",
        "keyring": "/etc/ceph/keyring",
    }
    assert "volumeMode" not in volume


def test_endpoints_speak_tcp() -> None:
    port = {"port": 80}
    subsets = _complete("v1", "Endpoints", subsets=[{"ports": [port]}])["subsets"]
    assert subsets == [{"ports": [{"port": 80, "protocol": "TCP"}]}]
    ports = _complete("discovery.k8s.io/v1", "EndpointSlice", ports=[port])["ports"]
    assert ports == [{"name": "", "port": 80, "protocol": "TCP"}]


def test_network_policies_govern_what_they_have_rules_for() -> None:
    rule = {"ports": [{"port": 80}]}
    both = _complete("networking.k8s.io/v1", "NetworkPolicy", spec={"egress": [rule]})["spec"]
    assert both["policyTypes"] == ["Ingress", "Egress"]
    assert both["egress"][0]["ports"] == [{"port": 80, "protocol": "TCP"}]
    inward = _complete("networking.k8s.io/v1", "NetworkPolicy", spec={"ingress": [rule]})["spec"]
    assert inward["policyTypes"] == ["Ingress"]
    assert inward["ingress"][0]["ports"] == [{"port": 80, "protocol": "TCP"}]


def test_ingress_classes_are_configured_by_the_cluster() -> None:
    parameters = {"kind": "K", "name": "n"}
    spec = _complete("networking.k8s.io/v1", "IngressClass", spec={"parameters": parameters})[
        "spec"
    ]
    assert spec["parameters"] == {**parameters, "scope": "Cluster"}
    assert _complete("networking.k8s.io/v1", "IngressClass")["spec"] == {}


def test_ingresses_only_get_their_shape() -> None:
    ingress = _complete("networking.k8s.io/v1", "Ingress", spec={"rules": [{"host": ""}]})
    assert ingress["spec"] == {"rules": [{}]}
    assert ingress["status"] == {"loadBalancer": {}}


def test_secrets_are_opaque() -> None:
    assert _complete("v1", "Secret")["type"] == "Opaque"


def test_replication_controllers_take_labels_from_their_template() -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": []}}
    controller = _complete("v1", "ReplicationController", spec={"template": template})
    assert controller["spec"]["replicas"] == 1
    assert controller["spec"]["selector"] == {"app": "web"}
    assert controller["metadata"]["labels"] == {"app": "web"}
    assert controller["spec"]["template"]["spec"]["restartPolicy"] == "Always"
    assert _complete("v1", "ReplicationController")["spec"] == {"replicas": 1}


def test_an_empty_allocatable_is_kept_from_being_filled() -> None:
    capacity = {"cpu": "4.0001"}
    filled = _complete("v1", "Node", status={"capacity": capacity})["status"]
    assert filled["capacity"] == filled["allocatable"] == {"cpu": "4001m"}
    emptied = _complete("v1", "Node", status={"capacity": capacity, "allocatable": {}})["status"]
    assert "allocatable" not in emptied


def test_an_empty_list_of_scaling_policies_is_kept_from_being_filled() -> None:
    behavior: dict[str, Any] = {"scaleUp": {"policies": []}, "scaleDown": None}
    spec = {"scaleTargetRef": {"kind": "D", "name": "d"}, "maxReplicas": 3, "behavior": behavior}
    scaler = _complete("autoscaling/v2", "HorizontalPodAutoscaler", spec=spec)["spec"]
    assert scaler["behavior"]["scaleUp"] == {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Max",
    }
    assert scaler["behavior"]["scaleDown"] == {
        "selectPolicy": "Max",
        "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
    }


def test_definitions_derive_their_names_and_first_stored_version() -> None:
    service = {"namespace": "n", "name": "s"}
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}}
    spec = {
        "group": "example.com",
        "names": {"kind": "Widget", "plural": "widgets"},
        "scope": "Namespaced",
        "versions": [
            {"name": "v1beta1", "served": True, "storage": False},
            {"name": "v1", "served": True, "storage": True},
        ],
        "conversion": {"strategy": "Webhook", "webhook": webhook},
    }
    crd = _complete("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=spec)
    assert crd["spec"]["names"]["singular"] == "widget"
    assert crd["spec"]["names"]["listKind"] == "WidgetList"
    assert crd["status"]["storedVersions"] == ["v1"]
    assert crd["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["port"] == 443


def test_an_empty_definition_has_no_names_to_derive() -> None:
    crd = _complete("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    assert crd["spec"]["names"] == {"plural": "", "kind": ""}
    assert crd["spec"]["conversion"] == {"strategy": "None"}
    assert crd["status"]["storedVersions"] is None


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "ServiceAccount"),
        ("v1", "ConfigMap"),
        ("coordination.k8s.io/v1", "Lease"),
        ("policy/v1", "PodDisruptionBudget"),
        ("storage.k8s.io/v1", "CSINode"),
        ("resource.k8s.io/v1", "DeviceClass"),
    ],
)
def test_some_kinds_have_no_defaults(api_version: str, kind: str) -> None:
    obj = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}}
    assert defaulting.default(obj).items() >= obj.items()
