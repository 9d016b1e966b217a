"""Volumes: the scheduler decides, the controllers bind and provision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_pod
from tests.server.scheduler_contract import scheduler_calls as calls
from tests.server.scheduler_contract.go_client import Refused
from tests.server.scheduler_contract.informers import Reflector, following

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.server.scheduler_contract.go_client import GoClient


VOLUMES = "/api/v1/persistentvolumes"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
ZONE = "topology.kubernetes.io/zone"


def storage_class(client: GoClient, name: str, provisioner: str) -> None:
    client.post(
        CLASSES,
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": name},
            "provisioner": provisioner,
            "volumeBindingMode": "WaitForFirstConsumer",
        },
    )


def volume(client: GoClient, name: str, class_name: str) -> Json:
    terms = [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["b"]}]}]
    spec = {
        "capacity": {"storage": "10Gi"},
        "accessModes": ["ReadWriteOnce"],
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": class_name,
        "local": {"path": "/mnt/disk"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
    }
    metadata = {"name": name}
    made = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}
    return client.post(VOLUMES, made)


def claim(client: GoClient, namespace: str, class_name: str) -> Json:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": class_name,
        "resources": {"requests": {"storage": "5Gi"}},
    }
    metadata = {"name": "data"}
    path = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    return client.post(
        path,
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec},
    )


def pod_with_claim(client: GoClient, namespace: str) -> Json:
    pod = make_pod("p", cpu="100m")
    pod["metadata"] = {"name": "p"}
    pod["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    return client.post(f"/api/v1/namespaces/{namespace}/pods", pod)


def with_claim(found: Json, asked: Json) -> Json:
    """A volume as the scheduler gives it to a claim."""
    metadata = found["metadata"]
    annotations = {**metadata.get("annotations", {}), BOUND_BY_CONTROLLER: "yes"}
    reference = calls.reference({**asked, "apiVersion": "v1", "kind": "PersistentVolumeClaim"})
    return {
        **found,
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {**metadata, "annotations": annotations},
        "spec": {**found["spec"], "claimRef": reference},
    }


def with_node(asked: Json, node: str) -> Json:
    """A claim for which a node was chosen."""
    metadata = asked["metadata"]
    annotations = {**metadata.get("annotations", {}), SELECTED_NODE: node}
    return {**asked, "metadata": {**metadata, "annotations": annotations}}


def is_fully_bound(found: Json) -> bool:
    """What the scheduler waits for before it binds the pod."""
    annotations = found["metadata"].get("annotations", {})
    return bool(found["spec"].get("volumeName")) and BIND_COMPLETED in annotations


def runs(pods: Reflector, namespace: str) -> None:
    pods.wait(lambda found: found[f"{namespace}/p"]["status"]["phase"] == "Running")


def test_a_volume_that_was_chosen_is_bound_to_its_claim(client: GoClient, namespace: str) -> None:
    class_name, name = f"local-{namespace}", f"disk-{namespace}"
    claims = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    with (
        following(client, VOLUMES) as volumes,
        following(client, claims) as asked,
        following(client, f"/api/v1/namespaces/{namespace}/pods") as pods,
    ):
        storage_class(client, class_name, "kubernetes.io/no-provisioner")
        volume(client, name, class_name)
        claim(client, namespace, class_name)
        pod = pod_with_claim(client, namespace)
        volumes.wait(lambda found: found[name]["status"].get("phase") == "Available")
        waiting = client.get(f"{claims}/data")
        assert waiting["status"]["phase"] == "Pending"
        assert "volumeName" not in waiting["spec"]
        updated = client.put(f"{VOLUMES}/{name}", with_claim(volumes.objects[name], waiting))
        assert updated["spec"]["claimRef"]["uid"] == waiting["metadata"]["uid"]
        asked.wait(lambda found: is_fully_bound(found[f"{namespace}/data"]))
        asked.wait(lambda found: found[f"{namespace}/data"]["status"]["phase"] == "Bound")
        volumes.wait(lambda found: found[name]["status"]["phase"] == "Bound")
        assert asked.objects[f"{namespace}/data"]["spec"]["volumeName"] == name
        calls.bind(client, pod, "node-1")
        runs(pods, namespace)


def test_a_volume_that_has_changed_meanwhile_is_a_conflict(
    client: GoClient, namespace: str
) -> None:
    class_name, name = f"local-{namespace}", f"disk-{namespace}"
    with following(client, VOLUMES) as volumes:
        old = volume(client, name, class_name)
        volumes.wait(lambda found: found[name]["status"].get("phase") == "Available")
    asked = claim(client, namespace, class_name)
    with pytest.raises(Refused) as refused:
        client.put(f"{VOLUMES}/{name}", with_claim(old, asked))
    assert (refused.value.code, refused.value.reason) == (409, "Conflict")


def test_a_volume_is_made_on_the_node_that_was_chosen(client: GoClient, namespace: str) -> None:
    class_name = f"fast-{namespace}"
    claims = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    with (
        following(client, claims) as asked,
        following(client, f"/api/v1/namespaces/{namespace}/pods") as pods,
    ):
        storage_class(client, class_name, "csi.example.com")
        claim(client, namespace, class_name)
        pod = pod_with_claim(client, namespace)
        asked.wait(lambda found: f"{namespace}/data" in found)
        waiting = client.get(f"{claims}/data")
        assert waiting["status"]["phase"] == "Pending"
        updated = client.put(f"{claims}/data", with_node(waiting, "node-2"))
        assert updated["metadata"]["annotations"][SELECTED_NODE] == "node-2"
        asked.wait(lambda found: is_fully_bound(found[f"{namespace}/data"]))
        bound = asked.objects[f"{namespace}/data"]
        assert bound["metadata"]["annotations"][SELECTED_NODE] == "node-2"
        made = client.get(f"{VOLUMES}/{bound['spec']['volumeName']}")
        assert made["spec"]["claimRef"]["name"] == "data"
        calls.bind(client, pod, "node-2")
        runs(pods, namespace)
