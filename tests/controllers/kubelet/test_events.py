"""Events of kubelets: counted, combined, held back, and silent where nobody may write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet.events import NORMAL, Events
from tests.controllers.kubelet.clusters import Cluster

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.node import Node

EVENT = ("v1", "Event")


def teller() -> tuple[Cluster, Events, Node]:
    cluster = Cluster(nodes_by_kwok=True)
    cluster.node()
    cluster.run("1s")
    node = cluster.kubelet.nodes.get("n1")
    assert node is not None
    return cluster, Events(cluster.store), node


def test_the_same_again_is_counted() -> None:
    cluster, events, node = teller()
    for _ in range(3):
        events.node(node, NORMAL, "Reason", "text")
        cluster.run("1s")
    (event,) = cluster.store.read(EVENT).values()
    assert event["count"] == 3
    assert event["firstTimestamp"] == "2026-01-01T00:00:01Z"
    assert event["lastTimestamp"] == "2026-01-01T00:00:03Z"
    assert event["involvedObject"] == {"kind": "Node", "name": "n1", "apiVersion": "v1"}
    assert event["reportingInstance"] == "n1"


def test_many_different_messages_of_one_reason_are_combined() -> None:
    cluster, events, node = teller()
    for number in range(15):
        events.node(node, NORMAL, "Reason", f"text {number}")
    found = list(cluster.store.read(EVENT).values())
    assert len(found) == 10
    combined = [event for event in found if event["count"] > 1]
    assert [event["message"] for event in combined] == ["(combined from similar events): text 14"]
    assert combined[0]["count"] == 6


def test_too_many_are_held_back_and_let_through_as_time_passes() -> None:
    cluster, events, node = teller()
    for _ in range(40):
        events.node(node, NORMAL, "Reason", "text")
    (event,) = cluster.store.read(EVENT).values()
    assert event["count"] == 25
    cluster.run("5m")
    events.node(node, NORMAL, "Reason", "text")
    (event,) = cluster.store.read(EVENT).values()
    assert event["count"] == 41


def test_an_event_that_was_removed_begins_anew_with_its_count() -> None:
    cluster, events, node = teller()
    events.node(node, NORMAL, "Reason", "text")
    cluster.store.delete_collection(EVENT, "default")
    events.node(node, NORMAL, "Reason", "text")
    (event,) = cluster.store.read(EVENT).values()
    assert event["count"] == 2


def test_names_of_one_instant_differ() -> None:
    cluster, events, node = teller()
    for number in range(3):
        events.node(node, NORMAL, f"Reason{number}", "text")
    assert len(cluster.store.read(EVENT)) == 3


def test_a_namespace_that_ends_takes_none() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    container = {"name": "c", "image": "app:1"}
    metadata = {"name": "web", "namespace": "team", "finalizers": ["x.io/f"]}
    pod = {"metadata": metadata, "spec": {"containers": [container]}}
    cluster.store.create({"apiVersion": "v1", "kind": "Pod", **pod})
    cluster.store.bind("web", "team", "n1")
    cluster.run("10s")
    before = cluster.reasons()
    assert "Started" in before
    cluster.store.delete(("v1", "Namespace"), "team")
    cluster.run("1m")
    assert "Killing" not in cluster.reasons()


def test_pods_are_told_of_with_the_version_and_container_that_is_meant() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.pod()
    version = cluster.store.get(("v1", "Pod"), "web")["metadata"]["resourceVersion"]
    cluster.run("10s")
    found = [e for e in cluster.store.read(EVENT).values() if e["reason"] == "Started"]
    involved = found[0]["involvedObject"]
    assert involved["resourceVersion"] == version
    assert involved["fieldPath"] == "spec.containers{c}"
    assert found[0]["source"] == {"component": "kubelet", "host": "n1"}
