from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import AlreadyExists, Invalid, NotFound
from kubestage.store import namespaces
from tests.store.samples import (
    NAMESPACE,
    NODE,
    make_store,
    pod,
    replica_set,
    widget,
    widgets_definition,
)

if TYPE_CHECKING:
    from kubestage.store.store import Store


@pytest.fixture
def store() -> Store:
    return make_store()


def test_a_recorded_object_is_loaded_as_it_was(store: Store) -> None:
    recorded = pod("a", uid="11111111-2222-4333-8444-555555555555", resourceVersion="777")
    recorded["metadata"]["creationTimestamp"] = "2020-02-02T02:02:02Z"
    recorded["spec"]["nodeName"] = "n1"
    recorded["status"] = {"phase": "Running", "qosClass": "BestEffort", "hostIP": "10.0.0.1"}
    loaded = store.load(recorded)
    assert loaded["metadata"]["uid"] == recorded["metadata"]["uid"]
    assert loaded["metadata"]["creationTimestamp"] == "2020-02-02T02:02:02Z"
    assert loaded["metadata"]["resourceVersion"] == store.resource_version
    assert loaded["status"] == recorded["status"]
    assert "tolerations" not in loaded["spec"]
    with pytest.raises(AlreadyExists):
        store.load(recorded)
    with pytest.raises(Invalid):
        store.load({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "Bad_"}})


def test_a_loaded_object_without_identity_gets_one(store: Store) -> None:
    loaded = store.load({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})
    assert loaded["metadata"]["uid"]
    assert loaded["metadata"]["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert store.get(NODE, "n") is loaded


def test_what_was_not_recorded_is_filled_in(store: Store) -> None:
    assert store.load(pod("a"))["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    namespace = store.load(namespaces.manifest("shop"))
    assert namespace["status"] == {"phase": "Active"}
    assert namespace["spec"] == {"finalizers": ["kubernetes"]}
    assert namespace["metadata"]["labels"] == {"kubernetes.io/metadata.name": "shop"}
    assert store.load(replica_set("r"))["metadata"]["generation"] == 1


def test_what_every_cluster_has_gives_way_to_the_recorded_one(store: Store) -> None:
    recorded = namespaces.manifest("default")
    recorded["metadata"]["labels"] = {"team": "shop"}
    store.load(recorded)
    assert store.get(NAMESPACE, "default")["metadata"]["labels"]["team"] == "shop"
    classes = ("scheduling.k8s.io/v1", "PriorityClass")
    store.load(store.get(classes, "system-node-critical"))


def test_a_recorded_pod_is_not_prepared_a_second_time(store: Store) -> None:
    given = pod("a", labels={"app": "web", "hash": "1"})
    given["spec"]["topologySpreadConstraints"] = [
        {
            "maxSkew": 1,
            "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
            "matchLabelKeys": ["hash"],
        }
    ]
    recorded = store.create(given)
    other = make_store()
    assert other.load(recorded)["spec"] == recorded["spec"]


def test_a_loaded_definition_serves_its_kind(store: Store) -> None:
    loaded = store.load(widgets_definition())
    assert {each["type"] for each in loaded["status"]["conditions"]} == {
        "NamesAccepted",
        "Established",
    }
    assert store.load(widget("w", spec={"x": 1}))["spec"] == {"x": 1}


def test_namespaces_are_minded_as_on_create(store: Store) -> None:
    with pytest.raises(NotFound):
        store.load(pod("a", "none"))
    assert make_store(implicit_namespaces=True).load(pod("a", "none"))
