"""Extended resources that devices stand behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.cache import Cache
from kubestage.scheduler.devices import extended_resources
from kubestage.scheduler.replay.cluster import ReplayCluster
from tests.scheduler.devices import machines
from tests.scheduler.plugins import clusters

if TYPE_CHECKING:
    from kubestage.aliases import Json

GPU = "example.com/gpu"


def container(name: str, requests: Json, **parts: Any) -> Json:
    return {"name": name, "image": "web", "resources": {"requests": requests}, **parts}


def lister(*classes: Json) -> ReplayCluster:
    return ReplayCluster(classes, Cache())


def born(name: str, when: str, resource: str) -> Json:
    device_class = machines.device_class(name, extendedResourceName=resource)
    device_class["metadata"]["creationTimestamp"] = when
    return device_class


def test_a_class_is_known_by_the_resource_it_names_and_by_its_own_name() -> None:
    found = extended_resources.classes_by_resource(
        lister(machines.device_class("gpu", extendedResourceName=GPU))
    )
    assert set(found) == {GPU, "deviceclass.resource.kubernetes.io/gpu"}


def test_of_two_classes_for_one_resource_the_newer_is_meant_and_then_the_first_by_name() -> None:
    old, new = born("a", "2026-01-01T00:00:00Z", GPU), born("b", "2026-01-02T00:00:00Z", GPU)
    twin = born("aa", "2026-01-02T00:00:00Z", GPU)
    for classes, winner in (((old, new), "b"), ((new, old), "b"), ((new, twin), "aa")):
        found = extended_resources.classes_by_resource(lister(*classes))
        assert found[GPU]["metadata"]["name"] == winner
    late = extended_resources.classes_by_resource(lister(new, old))
    assert "deviceclass.resource.kubernetes.io/a" not in late


def test_only_vendors_resources_matter_and_only_if_a_class_stands_behind_one() -> None:
    cluster = lister(machines.device_class("gpu", extendedResourceName=GPU))
    requests = {GPU: "2", "example.com/nic": "1", "cpu": "1", "hugepages-2Mi": "2Mi"}
    pod = clusters.pod(requests=requests)
    assert extended_resources.requested_amounts(pod, cluster) == {GPU: 2, "example.com/nic": 1}
    assert extended_resources.requested_amounts(pod, lister()) == {}
    assert extended_resources.requested_amounts(clusters.pod(requests={GPU: "0"}), cluster) == {}
    implicit = clusters.pod(requests={"deviceclass.resource.kubernetes.io/gpu": "1"})
    assert extended_resources.requested_amounts(implicit, cluster)


def test_a_node_provides_a_resource_itself_or_by_devices_or_not_at_all() -> None:
    classes = {GPU: machines.device_class()}
    amounts = {GPU: 1, "example.com/nic": 1}
    left = extended_resources.left_to_devices
    assert left(amounts, classes, {GPU: 4, "example.com/nic": 0}) == frozenset()
    assert left(amounts, classes, {GPU: 0, "example.com/nic": 1}) == frozenset({GPU})
    assert left(amounts, classes, {"example.com/nic": 1}) == frozenset({GPU})
    assert left(amounts, classes, {GPU: 4}) is None


def test_each_container_that_lasts_has_a_request_of_its_own() -> None:
    pod = clusters.pod(
        containers=[
            container("one", {GPU: "2", "cpu": "1"}),
            container("none", {"cpu": "1"}),
            container("two", {GPU: "1"}),
        ]
    )
    found = extended_resources.node_claim(pod, frozenset({GPU}), {GPU: machines.device_class()})
    exact = {"deviceClassName": "gpu", "allocationMode": "ExactCount"}
    assert found.requests == (
        {"name": "container-0-request-1", "exactly": {**exact, "count": 2}},
        {"name": "container-2-request-0", "exactly": {**exact, "count": 1}},
    )
    assert [(each["containerName"], each["requestName"]) for each in found.mappings] == [
        ("one", "container-0-request-1"),
        ("two", "container-2-request-0"),
    ]


def test_init_containers_use_what_comes_after_them_and_share_the_rest() -> None:
    pod = clusters.pod(
        initContainers=[
            container("small", {GPU: "1"}),
            container("large", {GPU: "4"}),
            container("sidecar", {GPU: "1"}, restartPolicy="Always"),
            container("medium", {GPU: "3"}),
        ],
        containers=[container("main", {GPU: "1"})],
    )
    found = extended_resources.node_claim(pod, frozenset({GPU}), {GPU: machines.device_class()})
    assert {each["name"]: each["exactly"]["count"] for each in found.requests} == {
        "container-1-request-0": 2,
        "container-2-request-0": 1,
        "container-4-request-0": 1,
    }
    used = [(each["containerName"], each["requestName"][10]) for each in found.mappings]
    assert used == [
        ("sidecar", "2"), ("main", "4"), ("small", "2"),
        ("large", "2"), ("large", "4"), ("large", "1"), ("medium", "4"), ("medium", "1"),
    ]  # fmt: skip


def test_a_claim_that_an_earlier_attempt_left_is_found_again() -> None:
    pod = clusters.pod()
    owner = {"kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": True}
    marked = {"annotations": {extended_resources.ANNOTATION: "true"}, "ownerReferences": [owner]}
    left = machines.claim("left", metadata=marked)
    unmarked = machines.claim("other", metadata={"ownerReferences": [owner]})
    assert extended_resources.claim_for(pod, [unmarked, left]) is left
    made = extended_resources.claim_for(pod, [unmarked])
    assert extended_resources.is_in_memory(made)
    assert made["metadata"]["generateName"] == "incoming-extended-resources-"
