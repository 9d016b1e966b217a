"""Defaults of pods, containers, volumes and their resources."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import defaulting


def _spec(**spec: Any) -> dict[str, Any]:
    spec.setdefault("containers", [{"name": "c", "image": "img:1"}])
    completed = defaulting.default({"apiVersion": "v1", "kind": "Pod", "spec": spec})
    spec_out: dict[str, Any] = completed["spec"]
    return spec_out


def _template_spec(**spec: Any) -> dict[str, Any]:
    template = {"apiVersion": "v1", "kind": "PodTemplate", "template": {"spec": spec}}
    spec_out: dict[str, Any] = defaulting.default(template)["template"]["spec"]
    return spec_out


def _container(**fields: Any) -> dict[str, Any]:
    container: dict[str, Any] = _spec(containers=[{"name": "c", **fields}])["containers"][0]
    return container


def _volume(**source: Any) -> dict[str, Any]:
    volume: dict[str, Any] = _spec(volumes=[{"name": "v", **source}])["volumes"][0]
    return volume


def test_a_template_leaves_open_what_only_a_pod_decides() -> None:
    container = {"name": "c", "resources": {"limits": {"cpu": "1"}}}
    pod, template = _spec(containers=[container]), _template_spec(containers=[container])
    assert pod["enableServiceLinks"] is True
    assert pod["containers"][0]["resources"]["requests"] == {"cpu": "1"}
    assert "enableServiceLinks" not in template
    assert "requests" not in template["containers"][0]["resources"]
    assert template["dnsPolicy"] == "ClusterFirst"


def test_host_network_pods_use_their_ports_on_the_host() -> None:
    ports = [{"containerPort": 80}, {"containerPort": 81, "hostPort": 8081}, {"containerPort": 0}]
    spec = _spec(hostNetwork=True, containers=[{"name": "c", "ports": ports}])
    assert [port.get("hostPort") for port in spec["containers"][0]["ports"]] == [80, 8081, None]


def test_amounts_finer_than_a_thousandth_are_rounded_up() -> None:
    requests = {"cpu": "0.0001", "memory": "1.0005", "example.com/a": "1"}
    rounded = {"cpu": "1m", "memory": "1001m", "example.com/a": "1"}
    assert _container(resources={"requests": requests})["resources"]["requests"] == rounded


def test_pod_level_requests_are_summed_before_they_are_rounded() -> None:
    container = {"name": "c", "resources": {"requests": {"cpu": "500u", "example.com/a": "1"}}}
    spec = _spec(
        containers=[container, container],
        resources={"limits": {"cpu": "2", "memory": "1Gi"}},
    )
    assert spec["resources"]["requests"] == {"cpu": "1m", "memory": "1Gi"}
    assert spec["containers"][0]["resources"]["requests"]["cpu"] == "1m"


def test_pod_level_huge_pages_come_from_the_containers() -> None:
    huge = {"hugepages-2Mi": "4Mi"}
    sidecar = {"name": "s", "restartPolicy": "Always", "resources": {"limits": huge}}
    spec = _spec(
        containers=[{"name": "c", "resources": {"limits": huge}}],
        initContainers=[sidecar],
        resources={"requests": {"cpu": "1"}},
    )
    expected = {"hugepages-2Mi": "8Mi"}
    assert spec["resources"] == {"limits": expected, "requests": {"cpu": "1", **expected}}


def test_pod_level_resources_that_say_nothing_stay_so() -> None:
    limited = [{"name": "c", "resources": {"limits": {"hugepages-2Mi": "4Mi"}}}]
    assert _spec(containers=limited, resources={})["resources"] == {}
    stated = {"requests": {"cpu": "1"}}
    assert _spec(resources=stated)["resources"] == stated


def test_probes_and_hooks_are_completed() -> None:
    container = _container(
        livenessProbe={"httpGet": {"port": 80}},
        readinessProbe={"grpc": {"port": 1}, "periodSeconds": 3},
        lifecycle={"preStop": {"httpGet": {"port": "web", "path": "/bye"}}},
    )
    usual = {"timeoutSeconds": 1, "successThreshold": 1, "failureThreshold": 3}
    assert container["livenessProbe"] == {
        "httpGet": {"path": "/", "port": 80, "scheme": "HTTP"},
        "periodSeconds": 10,
        **usual,
    }
    assert container["readinessProbe"]["grpc"] == {"port": 1, "service": ""}
    assert container["readinessProbe"]["periodSeconds"] == 3
    assert container["lifecycle"]["preStop"]["httpGet"]["scheme"] == "HTTP"


def test_references_from_the_environment_are_completed() -> None:
    names = [
        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "B", "valueFrom": {"fileKeyRef": {"key": "k", "path": "p", "volumeName": "v"}}},
        {"name": "C", "value": "c"},
    ]
    first, second, third = _container(env=names)["env"]
    assert first["valueFrom"]["fieldRef"]["apiVersion"] == "v1"
    assert second["valueFrom"]["fileKeyRef"]["optional"] is False
    assert third == {"name": "C", "value": "c"}


@pytest.mark.parametrize(
    ("given", "completed"),
    [
        ({}, {"emptyDir": {}}),
        ({"emptyDir": {"medium": "Memory"}}, {"emptyDir": {"medium": "Memory"}}),
        ({"secret": {}}, {"secret": {"defaultMode": 420}}),
        ({"configMap": {"defaultMode": 256}}, {"configMap": {"defaultMode": 256}}),
        ({"hostPath": {"path": "/x"}}, {"hostPath": {"path": "/x", "type": ""}}),
        ({"image": {}}, {"image": {"pullPolicy": "IfNotPresent"}}),
        (
            {"image": {"reference": "a"}},
            {"image": {"reference": "a", "pullPolicy": "Always"}},
        ),
    ],
)
def test_volumes_are_completed(given: dict[str, Any], completed: dict[str, Any]) -> None:
    assert _volume(**given) == {"name": "v", **completed}


def test_projected_volumes_are_completed_throughout() -> None:
    item = {"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}
    sources = [{"serviceAccountToken": {"path": "t"}}, {"downwardAPI": {"items": [item]}}]
    projected = _volume(projected={"sources": sources})["projected"]
    assert projected["defaultMode"] == 420
    assert projected["sources"][0]["serviceAccountToken"]["expirationSeconds"] == 3600
    assert projected["sources"][1]["downwardAPI"]["items"][0]["fieldRef"]["apiVersion"] == "v1"
    assert _volume(projected={})["projected"] == {"sources": None, "defaultMode": 420}


def test_claims_inside_a_pod_are_completed() -> None:
    template = {"spec": {"resources": {"requests": {"storage": "1.0001"}}}}
    claim = _volume(ephemeral={"volumeClaimTemplate": template})["ephemeral"]["volumeClaimTemplate"]
    assert claim["spec"] == {
        "volumeMode": "Filesystem",
        "resources": {"requests": {"storage": "1001m"}},
    }


def test_amounts_in_the_status_are_rounded_too() -> None:
    amounts = {"cpu": "0.0001"}
    each = {"name": "c", "allocatedResources": amounts, "resources": {"limits": amounts}}
    status = {"containerStatuses": [each], "allocatedResources": amounts}
    pod = {"apiVersion": "v1", "kind": "Pod", "status": status}
    completed = defaulting.default(pod)["status"]
    assert completed["allocatedResources"] == {"cpu": "1m"}
    assert completed["containerStatuses"][0]["allocatedResources"] == {"cpu": "1m"}
    assert completed["containerStatuses"][0]["resources"] == {"limits": {"cpu": "1m"}}
