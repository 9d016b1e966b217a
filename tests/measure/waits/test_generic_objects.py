"""WaitForGenericK8sObjects counts objects of any kind by their conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.measure.facilities import Facilities
from kubestage.measure.waits.generic_objects import WaitForGenericK8sObjects
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make

if TYPE_CHECKING:
    from kubestage.aliases import Json

SERVICES: Json = {"objectGroup": "", "objectVersion": "v1", "objectResource": "services"}
BOXES: Json = {"objectGroup": "x.dev", "objectVersion": "v2", "objectResource": "boxes"}


def thing(name: str, namespace: str = "test-1", version: str = "v1", **conditions: str) -> Json:
    told = [{"type": type_, "status": status} for type_, status in conditions.items()]
    return {
        "apiVersion": version,
        "kind": "Service" if version == "v1" else "Box",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "status": {"conditions": told},
    }


def waiting(cluster: FakeCluster, about: Json, prefix: str = "", **raw: Any) -> Asked:
    offered = Facilities(namespace_prefix=prefix)
    return Asked(make(WaitForGenericK8sObjects, cluster, offered), **about, **raw)


EVERYWHERE = {"allNamespaces": True}


def test_being_there_is_enough_without_conditions_and_is_seen_at_once() -> None:
    cluster = FakeCluster()
    cluster.put(thing("a"))
    asked = waiting(cluster, SERVICES, namespaceRange=EVERYWHERE, minDesiredObjectCount=1)
    cluster.moments.run(60)
    assert (asked.at_s, asked.outcome.errors) == (0.05, ())


def test_it_looks_every_half_minute() -> None:
    cluster = FakeCluster()
    asked = waiting(
        cluster,
        SERVICES,
        namespaceRange=EVERYWHERE,
        minDesiredObjectCount=1,
        successfulConditions=["Ready=True"],
    )
    cluster.moments.run(1)
    cluster.put(thing("a", Other="True", Ready="True"))
    cluster.put(thing("b", Ready="False"))
    cluster.moments.run(60)
    assert (asked.at_s, asked.outcome.errors) == (30.05, ())


def test_only_the_namespaces_of_the_range_count() -> None:
    cluster = FakeCluster()
    for number in range(5):
        cluster.put(thing("a", f"test-{number}"))
    cluster.put(thing("a", "other-1"))
    raw = {"namespaceRange": {"min": 2.0, "max": 3}, "minDesiredObjectCount": 3, "timeout": "40s"}
    asked = waiting(cluster, SERVICES, prefix="test", **raw)
    cluster.moments.run(60)
    assert asked.at_s == 40
    (error,) = asked.outcome.errors
    assert error == (
        'WaitForGenericK8sObjects: objects: "/v1, Resource=services", namespaces: "test-(2-3)": '
        "timeout while waiting for 3 objects to be successful or failed - currently there are: "
        "successful=0 failed=0 count=2"
    )
    other = {"min": 1, "max": 1, "prefix": "other"}
    asked = waiting(cluster, SERVICES, namespaceRange=other, minDesiredObjectCount=1)
    cluster.moments.run(1)
    assert asked.outcome.errors == ()


def test_too_many_failed_objects_are_named() -> None:
    cluster = FakeCluster()
    for name in "ab":
        cluster.put(thing(name, Broken="True"))
    cluster.put(thing("c", Ready="True", Broken="True"))
    asked = waiting(
        cluster,
        SERVICES,
        namespaceRange=EVERYWHERE,
        minDesiredObjectCount=3,
        maxFailedObjectCount=1,
        successfulConditions=["Ready=True"],
        failedConditions=["Broken=True"],
    )
    cluster.moments.run(1)
    (error,) = asked.outcome.errors
    assert error.endswith(
        'namespaces: "*": too many failed objects, expected at most 1 - currently there are: '
        "successful=1 failed=2 count=3 failed-objects=[test-1/a,test-1/b]"
    )


def test_the_kind_of_a_custom_resource_is_looked_up() -> None:
    cluster = FakeCluster()
    cluster.put(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "boxes.x.dev"},
            "spec": {"names": {"kind": "Box"}},
        }
    )
    cluster.put(thing("a", "", "x.dev/v2"))
    cluster.put(thing("b", "ns", "x.dev/v2"))
    asked = waiting(cluster, BOXES, minDesiredObjectCount=1)
    cluster.moments.run(1)
    assert asked.outcome.errors == ()


def test_an_unknown_resource_is_an_error() -> None:
    cluster = FakeCluster()
    asked = waiting(cluster, BOXES, minDesiredObjectCount=1)
    cluster.moments.run(1)
    assert asked.outcome.errors[0].startswith("no resource 'boxes' of x.dev/v2: ")


def test_half_a_range_is_an_error() -> None:
    with pytest.raises(InputError, match="min and max are missing"):
        waiting(FakeCluster(), SERVICES, namespaceRange={"min": 1}, minDesiredObjectCount=1)
