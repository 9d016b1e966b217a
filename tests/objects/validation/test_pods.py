"""Whole pods: what the recording meets seldom or never."""

from __future__ import annotations

from typing import Any

from kubestage.objects import defaulting, strategy
from kubestage.objects.validation import rules


def make_pod(**spec: Any) -> dict[str, Any]:
    obj = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "n", "resourceVersion": "1", "uid": "u"},
        "spec": {"containers": [{"name": "c", "image": "i"}], **spec},
    }
    return defaulting.stored(obj)


def change(new: dict[str, Any], old: dict[str, Any], subresource: str = "") -> list[str]:
    prepared = strategy.prepare_for_update(new, old, subresource)
    return [str(error) for error in rules.validate_update(prepared, old, subresource)]


def test_a_plain_pod_is_fine() -> None:
    assert rules.validate_create(make_pod()) == []


def test_ephemeral_containers_come_later() -> None:
    obj = make_pod(ephemeralContainers=[{"name": "e", "image": "i"}])
    assert "spec.ephemeralContainers: Forbidden: cannot be set on create" in [
        str(error) for error in rules.validate_create(obj)
    ]


def test_an_ephemeral_container_can_be_added_and_never_changed() -> None:
    old = make_pod()
    added = make_pod(ephemeralContainers=[{"name": "e", "image": "i"}])
    assert change(added, old, "ephemeralcontainers") == []
    other = make_pod(ephemeralContainers=[{"name": "e", "image": "j"}])
    (text,) = change(other, added, "ephemeralcontainers")
    assert text.startswith(
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed'
    )
    (text,) = change(old, added, "ephemeralcontainers")
    assert text.endswith('existing ephemeral containers "e" may not be removed\n')


def test_a_mirror_pod_has_neither_ephemeral_containers_nor_a_new_size() -> None:
    old = make_pod(nodeName="n1")
    old["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    for subresource, what in (
        ("ephemeralcontainers", "static pods do not support ephemeral containers"),
        ("resize", "static pods cannot be resized"),
    ):
        assert change(old, old, subresource)[-1] == f"[]: Forbidden: {what}"


def test_the_image_may_change_and_little_else() -> None:
    old = make_pod(nodeName="n1")
    new = make_pod(nodeName="n1", containers=[{"name": "c", "image": "j"}])
    new["spec"]["containers"][0]["imagePullPolicy"] = "Always"
    assert change(new, old) == []
    (text,) = change(make_pod(nodeName="n2"), old)
    assert text.startswith("spec: Forbidden: pod updates may not change fields other than")
    assert '- "NodeName": "n1",\n+ "NodeName": "n2",' in text


def test_amounts_spelt_otherwise_are_the_same_amounts() -> None:
    resources = [{"name": "c", "image": "i", "resources": {"limits": {"memory": size}}}
                 for size in ("1e3", "1k")]  # fmt: skip
    old, new = (make_pod(containers=[container]) for container in resources)
    assert old["spec"] != new["spec"]
    assert change(new, old) == []


def report(**status: Any) -> list[str]:
    old = make_pod(nodeName="n1", restartPolicy="Never", resourceClaims=[{"name": "r"}])
    old["status"] = {"phase": "Running", "qosClass": "BestEffort", "containerStatuses": [ENDED]}
    new = {**old, "status": {**old["status"], **status}}
    return change(new, old, "status")


ENDED = {
    "name": "c",
    "state": {"terminated": {"exitCode": 1}},
    "image": "i",
    "imageID": "",
    "ready": False,
    "restartCount": 0,
}


def test_a_container_that_ended_stays_ended_when_it_is_never_restarted() -> None:
    running = {**ENDED, "state": {"running": {}}}
    assert report(containerStatuses=[running]) == [
        (
            "status.containerStatuses[0].state: Forbidden: may not be transitioned to "
            "non-terminated state"
        )
    ]
    assert report(containerStatuses=[ENDED]) == []


def test_claims_in_the_status_are_claims_of_the_spec() -> None:
    entry = {"name": "other", "resourceClaimName": "Bad_"}
    found = report(resourceClaimStatuses=[entry, entry])
    assert [text.split(":")[0] for text in found] == [
        "status.resourceClaimStatuses[0].name",
        "status.resourceClaimStatuses[0].resourceClaimName",
        "status.resourceClaimStatuses[1].name",
        "status.resourceClaimStatuses[1].name",
        "status.resourceClaimStatuses[1].resourceClaimName",
    ]


def test_a_claim_for_extended_resources_names_container_and_resource() -> None:
    mapping = {"containerName": "x", "resourceName": "gpu", "requestName": "r"}
    found = report(extendedResourceClaimStatus={"requestMappings": [mapping]})
    assert [text.split(":")[0] for text in found] == [
        "status.extendedResourceClaimStatus.requestMappings[0].containerName",
        "status.extendedResourceClaimStatus.resourceClaimName",
    ]


def test_device_health_is_told_of_requested_resources() -> None:
    health = [{"resourceID": "1", "health": "Fine"}, {"resourceID": "1", "health": "Healthy"}]
    entry = {**ENDED, "allocatedResourcesStatus": [{"name": "gpu", "resources": health}]}
    found = report(containerStatuses=[entry])
    assert [text.split(": ")[1] for text in found] == [
        "Invalid value",
        "Unsupported value",
        "Duplicate value",
    ]


def test_users_of_containers_are_unix_ids() -> None:
    entry = {**ENDED, "user": {"linux": {"uid": -1, "gid": 0, "supplementalGroups": [-2]}}}
    found = report(containerStatuses=[entry])
    assert [text.split(":")[0] for text in found] == [
        "status.containerStatuses[0].user.linux.uid",
        "status.containerStatuses[0].user.linux.supplementalGroups[0]",
    ]
