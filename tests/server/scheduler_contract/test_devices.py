"""Dynamic resource allocation: claims reserved, allocated and given back by the scheduler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_pod
from tests.server.scheduler_contract import scheduler_calls as calls
from tests.server.scheduler_contract.go_client import Refused
from tests.server.scheduler_contract.informers import Informers

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.server.scheduler_contract.go_client import GoClient


API = "resource.k8s.io/v1"
FINALIZER = "resource.kubernetes.io/delete-protection"
RESULT = {"request": "gpu", "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0"}


def claim(client: GoClient, namespace: str) -> Json:
    exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
    metadata = {"name": "gpus"}
    made = {"apiVersion": API, "kind": "ResourceClaim", "metadata": metadata, "spec": spec}
    return client.post(path(namespace), made)


def path(namespace: str) -> str:
    return f"/apis/{API}/namespaces/{namespace}/resourceclaims"


def pod_with_claim(client: GoClient, namespace: str) -> Json:
    pod = make_pod("p", cpu="100m")
    pod["metadata"] = {"name": "p"}
    pod["spec"]["resourceClaims"] = [{"name": "gpus", "resourceClaimName": "gpus"}]
    pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": "gpus"}]
    return client.post(f"/api/v1/namespaces/{namespace}/pods", pod)


def with_finalizer(found: Json) -> Json:
    metadata = found["metadata"]
    finalizers = [*metadata.get("finalizers", []), FINALIZER]
    return {**found, "metadata": {**metadata, "finalizers": finalizers}}


def allocated(found: Json, pod: Json) -> Json:
    field = {"key": "metadata.name", "operator": "In", "values": ["node-1"]}
    allocation = {
        "devices": {"results": [RESULT]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [field]}]},
        "allocationTimestamp": calls.now()[:19] + "Z",
    }
    metadata = pod["metadata"]
    consumer = {"resource": "pods", "name": metadata["name"], "uid": metadata["uid"]}
    return {**found, "status": {"allocation": allocation, "reservedFor": [consumer]}}


def reserve(client: GoClient, namespace: str, pod: Json) -> Json:
    """What the scheduler does before it binds a pod that has a claim."""
    found = client.get(f"{path(namespace)}/gpus")
    found = client.put(f"{path(namespace)}/gpus", with_finalizer(found))
    assert found["metadata"]["finalizers"] == [FINALIZER]
    assert "allocation" not in found.get("status", {})
    return client.put(f"{path(namespace)}/gpus/status", allocated(found, pod))


def test_a_claim_is_allocated_and_reserved(client: GoClient, namespace: str) -> None:
    claim(client, namespace)
    with Informers(client) as informers:
        pod = pod_with_claim(client, namespace)
        reserved = reserve(client, namespace, pod)
        assert reserved["status"]["allocation"]["devices"]["results"] == [RESULT]
        assert reserved["status"]["reservedFor"][0]["uid"] == pod["metadata"]["uid"]
        claims = informers["resourceclaims"]
        claims.wait(lambda found: "status" in found[f"{namespace}/gpus"])
        calls.bind(client, pod, "node-1")
        key = f"{namespace}/p"
        informers["pods"].wait(lambda found: found[key]["status"]["phase"] == "Running")


def test_a_reservation_is_given_back_by_a_patch(client: GoClient, namespace: str) -> None:
    claim(client, namespace)
    pod = pod_with_claim(client, namespace)
    reserved = reserve(client, namespace, pod)
    uid = pod["metadata"]["uid"]
    change = {
        "metadata": {"uid": reserved["metadata"]["uid"]},
        "status": {"reservedFor": [{"$patch": "delete", "uid": uid}]},
    }
    patched = client.patch(f"{path(namespace)}/gpus/status", change)
    assert not patched["status"].get("reservedFor")
    assert "allocation" in patched["status"]


def test_a_reservation_of_another_claim_of_that_name_is_refused(
    client: GoClient, namespace: str
) -> None:
    claim(client, namespace)
    pod = pod_with_claim(client, namespace)
    reserve(client, namespace, pod)
    change = {
        "metadata": {"uid": "00000000-0000-4000-8000-000000000000"},
        "status": {"reservedFor": [{"$patch": "delete", "uid": pod["metadata"]["uid"]}]},
    }
    with pytest.raises(Refused) as refused:
        client.patch(f"{path(namespace)}/gpus/status", change)
    assert (refused.value.code, refused.value.reason) == (422, "Invalid")


def test_a_claim_is_deallocated(client: GoClient, namespace: str) -> None:
    claim(client, namespace)
    pod = pod_with_claim(client, namespace)
    reserved = reserve(client, namespace, pod)
    cleared = client.put(f"{path(namespace)}/gpus/status", {**reserved, "status": {}})
    assert not cleared.get("status")
