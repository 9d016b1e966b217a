from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kubestage.errors import Conflict, NotFound
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.client import StoreClient
from kubestage.scheduler.plugins.spread_constraints import Services
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store import rewinding
from kubestage.store.store import Store
from kubestage.testing import make_node, make_pod, make_service

POD = ("v1", "Pod")


@pytest.fixture
def store() -> Store:
    return Store(Clock(), Streams(0), implicit_namespaces=True)


def test_objects_are_found_by_name_and_listed_in_order(store: Store) -> None:
    client = StoreClient(store)
    for namespace, name in (("b", "two"), ("a", "one"), ("a", "another")):
        store.create(make_service(name, namespace=namespace))
    store.create(make_node("n1"))
    found = client.get("v1", "Service", "one", "a")
    assert found is store.get(("v1", "Service"), "one", "a")
    assert client.get("v1", "Node", "n1") is not None
    assert client.get("v1", "Service", "one", "b") is None
    names = [each["metadata"]["name"] for each in client.list("v1", "Service")]
    assert names == ["another", "one", "two"]
    names = [each["metadata"]["name"] for each in client.list("v1", "Service", "a")]
    assert names == ["another", "one"]
    assert client.list("v1", "Service", "c") == []


def test_a_kind_nobody_has_heard_of_has_no_objects(store: Store) -> None:
    client = StoreClient(store)
    assert client.get("example.com/v1", "Thing", "one") is None
    assert list(client.list("example.com/v1", "Thing")) == []


def test_a_pod_is_bound_only_if_it_is_the_one_that_was_meant(store: Store) -> None:
    client = StoreClient(store)
    first = pod_views.of(store.create(make_pod("web")))
    store.delete(POD, "web", "default")
    second = pod_views.of(store.create(make_pod("web")))
    with pytest.raises(Conflict):
        client.bind(first, "n1")
    client.bind(second, "n1")
    assert store.get(POD, "web")["spec"]["nodeName"] == "n1"


def test_a_status_is_merged_and_none_removes_a_field(store: Store) -> None:
    client = StoreClient(store)
    pod = pod_views.of(store.create(make_pod("web")))
    client.patch_status(pod, {"nominatedNodeName": "n1"})
    assert store.get(POD, "web")["status"]["nominatedNodeName"] == "n1"
    assert store.get(POD, "web")["status"]["phase"] == "Pending"
    client.patch_status(pod, {"nominatedNodeName": None})
    assert "nominatedNodeName" not in store.get(POD, "web")["status"]


def test_deleting_updating_and_telling(store: Store) -> None:
    client = StoreClient(store)
    raw = store.create(make_pod("web"))
    updated = client.update({**raw, "metadata": {**raw["metadata"], "labels": {"a": "b"}}})
    assert updated["metadata"]["labels"] == {"a": "b"}
    client.event(raw, "Normal", "Scheduled", "Binding", "note", "default-scheduler")
    assert len(store.read(("v1", "Event"))) == 1
    client.delete_pod(pod_views.of(raw))
    with pytest.raises(NotFound):
        client.delete_pod(pod_views.of(raw))


def test_events_can_be_switched_off(store: Store) -> None:
    client = StoreClient(store, events=False)
    raw = store.create(make_pod("web"))
    client.event(raw, "Normal", "Scheduled", "Binding", "note", "default-scheduler")
    assert len(store.read(("v1", "Event"))) == 0


def test_a_list_of_all_is_the_same_until_one_of_them_changes(store: Store) -> None:
    client = StoreClient(store)
    for name in ("one", "two"):
        store.create(make_service(name))
    listed = client.list("v1", "Service")
    store.create(make_node("n1"))
    assert client.list("v1", "Service") is listed
    store.delete(("v1", "Service"), "one", "default")
    assert [each["metadata"]["name"] for each in client.list("v1", "Service")] == ["two"]
    assert [each["metadata"]["name"] for each in listed] == ["one", "two"]
    labels = {"metadata": {"labels": {"a": "b"}}}
    changed = store.patch(("v1", "Service"), "two", labels, "default")
    assert list(client.list("v1", "Service")) == [changed]


def test_a_list_is_the_same_until_an_object_of_its_kind_changes(store: Store) -> None:
    client = StoreClient(store)
    store.create(make_service("one", namespace="a"))
    listed = client.list("v1", "Service", "a")
    assert client.list("v1", "Service", "a") is listed
    assert client.list("v1", "Service") is not listed
    store.create(make_pod("web", namespace="a"))
    assert client.list("v1", "Service", "a") is listed
    store.delete(("v1", "Service"), "one", "a")
    store.create(make_service("two", namespace="a"))
    names = [each["metadata"]["name"] for each in client.list("v1", "Service", "a")]
    assert names == ["two"]


def test_a_list_is_read_again_after_changes_were_taken_back(store: Store) -> None:
    client = StoreClient(store)
    store.create(make_service("one", namespace="a"))
    revision = store.revision
    store.create(make_service("two", namespace="a"))
    assert len(client.list("v1", "Service", "a")) == 2
    rewinding.rewind(store, revision)
    store.create(make_service("three", namespace="a"))
    names = [each["metadata"]["name"] for each in client.list("v1", "Service", "a")]
    assert names == ["one", "three"]


def test_the_labels_that_services_select_by_follow_the_services(store: Store) -> None:
    client, services = StoreClient(store), Services()
    pods = [
        pod_views.of(make_pod(name, namespace="a", labels=found))
        for name, found in (("web", {"app": "web", "tier": "x"}), ("db", {"app": "db"}))
    ]

    def selecting() -> list[dict[str, str]]:
        found = [services.selecting(pod, client) for pod in pods]
        assert found == [Services().selecting(pod, client) for pod in pods]
        return found

    assert selecting() == [{}, {}]
    store.create(make_service("web", namespace="a", selector={"app": "web"}))
    store.create(make_service("elsewhere", namespace="b", selector={"app": "db"}))
    assert selecting() == [{"app": "web"}, {}]
    store.create(make_service("tier", namespace="a", selector={"tier": "x"}))
    assert selecting() == [{"app": "web", "tier": "x"}, {}]
    store.delete(("v1", "Service"), "web", "a")
    assert selecting() == [{"tier": "x"}, {}]


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abc"), st.sampled_from("xy"), max_size=3), max_size=6
    ),
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xy"), max_size=4),
)
def test_services_are_found_by_their_pairs_as_one_by_one(
    selectors: list[dict[str, str]], labels: dict[str, str]
) -> None:
    store = Store(Clock(), Streams(0), implicit_namespaces=True)
    for number, selector in enumerate(selectors):
        store.create(make_service(f"s{number}", selector=selector))
    pod = pod_views.of(store.create(make_pod("p", labels=labels)))
    expected: dict[str, str] = {}
    for selector in selectors:
        if selector.items() <= labels.items():
            expected |= selector
    found = Services().selecting(pod, StoreClient(store))
    assert list(found.items()) == list(expected.items())
