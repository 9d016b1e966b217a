from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.store import garbage
from kubestage.store.deletion import DeleteOptions
from tests.store.samples import (
    CONFIG_MAP,
    NODE,
    POD,
    REPLICA_SET,
    config_map,
    make_store,
    owned_by,
    pod,
    replica_set,
)

if TYPE_CHECKING:
    from kubestage.store.store import Store

FOREGROUND = DeleteOptions(propagation_policy="Foreground")
NOW = DeleteOptions(grace_period_seconds=0)


@pytest.fixture
def store() -> Store:
    return make_store()


def child(store: Store, name: str, *owners: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return store.create(config_map(name, ownerReferences=owned_by(*owners), **metadata))


def left(store: Store) -> list[str]:
    return [key.partition("/")[2] for key in store.read(CONFIG_MAP)]


def test_dependents_go_with_their_owner(store: Store) -> None:
    owner = store.create(config_map("owner"))
    middle = child(store, "middle", owner)
    child(store, "leaf", middle)
    store.create(config_map("other"))
    store.delete(CONFIG_MAP, "owner")
    assert left(store) == ["other"]


def test_dependents_of_other_kinds_go_too(store: Store) -> None:
    owner = store.create(replica_set("r"))
    for index in range(3):
        store.create(pod(f"p{index}", ownerReferences=owned_by(owner)))
    store.delete(REPLICA_SET, "r")
    assert not store.read(POD)


def test_a_dependent_with_another_owner_stays_and_forgets_the_lost_one(store: Store) -> None:
    one, other = store.create(config_map("one")), store.create(config_map("other"))
    child(store, "shared", one, other)
    store.delete(CONFIG_MAP, "one")
    references = store.get(CONFIG_MAP, "shared")["metadata"]["ownerReferences"]
    assert [each["name"] for each in references] == ["other"]
    store.delete(CONFIG_MAP, "other")
    assert left(store) == []


def test_orphans_stay_without_an_owner(store: Store) -> None:
    owner = store.create(config_map("owner"))
    child(store, "child", owner)
    store.delete(CONFIG_MAP, "owner", options=DeleteOptions(propagation_policy="Orphan"))
    assert left(store) == ["child"]
    assert "ownerReferences" not in store.get(CONFIG_MAP, "child")["metadata"]


def test_in_the_foreground_the_owner_goes_last(store: Store) -> None:
    owner = store.create(config_map("owner"))
    child(store, "a", owner)
    child(store, "b", owner)
    watch = store.watch(CONFIG_MAP, resource_version=store.resource_version)
    store.delete(CONFIG_MAP, "owner", options=FOREGROUND)
    gone = [each.object["metadata"]["name"] for each in watch.poll() if each.type == "DELETED"]
    assert gone == ["a", "b", "owner"]


def test_a_blocking_dependent_holds_the_owner(store: Store) -> None:
    owner = store.create(replica_set("r"))
    store.create(pod("p", ownerReferences=owned_by(owner)))
    store.bind("p", "default", "n1")
    store.delete(REPLICA_SET, "r", options=FOREGROUND)
    assert "deletionTimestamp" in store.get(POD, "p")["metadata"]
    assert store.get(REPLICA_SET, "r")["metadata"]["finalizers"] == ["foregroundDeletion"]
    store.delete(POD, "p", options=NOW)
    assert not store.read(REPLICA_SET)


def test_a_dependent_that_does_not_block_is_not_waited_for(store: Store) -> None:
    owner = store.create(replica_set("r"))
    store.create(pod("p", ownerReferences=owned_by(owner, block=False)))
    store.bind("p", "default", "n1")
    store.delete(REPLICA_SET, "r", options=FOREGROUND)
    assert not store.read(REPLICA_SET)
    assert "deletionTimestamp" in store.get(POD, "p")["metadata"]


def test_an_owner_is_released_when_a_dependent_lets_go_of_it(store: Store) -> None:
    owner = store.create(config_map("owner"))
    child(store, "child", owner, finalizers=["x.io/hold"])
    store.delete(CONFIG_MAP, "owner", options=FOREGROUND)
    assert left(store) == ["owner", "child"]
    store.patch(CONFIG_MAP, "child", {"metadata": {"ownerReferences": None}})
    assert left(store) == ["child"]


def test_foreground_deletion_reaches_down_the_chain(store: Store) -> None:
    owner = store.create(config_map("owner"))
    middle = child(store, "middle", owner)
    child(store, "leaf", middle, finalizers=["x.io/hold"])
    store.delete(CONFIG_MAP, "owner", options=FOREGROUND)
    assert left(store) == ["owner", "middle", "leaf"]
    store.patch(CONFIG_MAP, "leaf", {"metadata": {"finalizers": None}})
    assert left(store) == []


def test_a_dependent_that_comes_late_goes_too(store: Store) -> None:
    owner = store.create(config_map("owner"))
    child(store, "held", owner, finalizers=["x.io/hold"])
    store.delete(CONFIG_MAP, "owner", options=FOREGROUND)
    child(store, "late", owner)
    assert left(store) == ["owner", "held"]
    store.create(config_map("adopted"))
    store.patch(CONFIG_MAP, "adopted", {"metadata": {"ownerReferences": owned_by(owner)}})
    assert left(store) == ["owner", "held"]


def test_a_dependent_decides_what_becomes_of_its_own(store: Store) -> None:
    owner = store.create(config_map("owner"))
    middle = child(store, "middle", owner, finalizers=["orphan"])
    child(store, "leaf", middle)
    store.delete(CONFIG_MAP, "owner")
    assert left(store) == ["leaf"]
    assert "ownerReferences" not in store.get(CONFIG_MAP, "leaf")["metadata"]


def test_what_may_not_be_deleted_stays(store: Store) -> None:
    owner = store.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})
    classes = ("scheduling.k8s.io/v1", "PriorityClass")
    patch = {"metadata": {"ownerReferences": owned_by(owner)}}
    store.patch(classes, "system-node-critical", patch)
    store.delete(NODE, "n")
    assert store.get(classes, "system-node-critical")


def test_owners_of_each_other_do_not_wait_for_ever(store: Store) -> None:
    one = store.create(config_map("one"))
    two = child(store, "two", one)
    references = {"metadata": {"ownerReferences": owned_by(two)}}
    store.patch(CONFIG_MAP, "one", references)
    store.delete(CONFIG_MAP, "one", options=FOREGROUND)
    assert left(store) == []


def test_an_owner_of_the_same_name_is_another() -> None:
    store = make_store(garbage="manual")
    child(store, "child", store.create(config_map("owner")))
    store.delete(CONFIG_MAP, "owner")
    store.create(config_map("owner"))
    garbage.collect(store)
    assert left(store) == ["owner"]


def test_owners_without_a_namespace_are_found(store: Store) -> None:
    node = store.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})
    child(store, "child", node)
    store.patch(NODE, "n", {"metadata": {"labels": {"x": "1"}}})
    assert left(store) == ["child"]
    store.delete(NODE, "n")
    assert left(store) == []


def test_by_hand_nothing_happens_until_asked() -> None:
    store = make_store(garbage="manual")
    owner = store.create(config_map("owner"))
    child(store, "child", owner)
    store.delete(CONFIG_MAP, "owner")
    assert left(store) == ["child"]
    garbage.collect(store)
    assert left(store) == []


def test_what_is_done_by_hand_is_told_too() -> None:
    store = make_store(garbage="manual")
    child(store, "child", store.create(config_map("owner")))
    store.delete(CONFIG_MAP, "owner")
    told: list[str] = []
    store.subscribe(lambda change: told.append(change.key))
    garbage.collect(store)
    assert told == ["default/child"]


def test_objects_whose_owner_never_was_are_swept_only_on_request(store: Store) -> None:
    absent = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "uid": "u"}}
    unknown = {"apiVersion": "x.io/v1", "kind": "Odd", "metadata": {"name": "x", "uid": "v"}}
    child(store, "lost", absent)
    child(store, "foreign", unknown)
    store.create(config_map("plain"))
    garbage.collect(store)
    assert left(store) == ["lost", "foreign", "plain"]
    garbage.sweep(store)
    assert left(store) == ["foreign", "plain"]


def test_collection_has_one_order() -> None:
    def run() -> list[str]:
        store = make_store()
        owner = store.create(config_map("owner"))
        for name in "dbca":
            child(store, name, owner)
        watch = store.watch(CONFIG_MAP, resource_version=store.resource_version)
        store.delete(CONFIG_MAP, "owner")
        return [event.object["metadata"]["name"] for event in watch.poll()]

    assert run() == run() == ["owner", "a", "b", "c", "d"]
