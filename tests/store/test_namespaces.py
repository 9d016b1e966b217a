from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import Conflict, Forbidden, NotFound
from kubestage.store import garbage, namespaces
from kubestage.store.deletion import DeleteOptions
from tests.store.samples import CONFIG_MAP, NAMESPACE, POD, config_map, make_store, names, pod

if TYPE_CHECKING:
    from kubestage.store.store import Store


@pytest.fixture
def store() -> Store:
    made = make_store()
    made.create(namespaces.manifest("shop"))
    return made


def test_four_namespaces_are_always_there() -> None:
    found = make_store().list(NAMESPACE).items
    assert names(found) == ["default", "kube-node-lease", "kube-public", "kube-system"]
    for namespace in found:
        name = namespace["metadata"]["name"]
        assert namespace["metadata"]["labels"] == {"kubernetes.io/metadata.name": name}
        assert namespace["spec"] == {"finalizers": ["kubernetes"]}
        assert namespace["status"] == {"phase": "Active"}


def test_a_store_can_begin_empty() -> None:
    store = make_store(seeded=False)
    assert store.resource_version == "1"
    assert not store.read(NAMESPACE)


def test_nothing_is_created_in_a_missing_namespace(store: Store) -> None:
    with pytest.raises(NotFound, match=r'^namespaces "none" not found$'):
        store.create(config_map("a", "none"))


def test_namespaces_can_be_made_on_demand() -> None:
    store = make_store(implicit_namespaces=True)
    store.create(config_map("a", "fresh"))
    assert store.get(NAMESPACE, "fresh")["status"] == {"phase": "Active"}


def test_an_empty_namespace_goes_at_once(store: Store) -> None:
    ending = store.delete(NAMESPACE, "shop")
    assert not ending.removed
    assert ending.object["status"] == {"phase": "Terminating"}
    with pytest.raises(NotFound):
        store.get(NAMESPACE, "shop")


def test_a_namespace_takes_its_contents_along(store: Store) -> None:
    store.create(config_map("a", "shop"))
    store.create(pod("p", "shop"))
    store.create(config_map("a"))
    store.delete(NAMESPACE, "shop")
    assert list(store.read(CONFIG_MAP)) == ["default/a"]
    assert not store.read(POD)
    assert "shop" not in store.read(NAMESPACE)


def test_a_namespace_waits_for_what_cannot_go_yet(store: Store) -> None:
    store.create(pod("p", "shop"))
    store.bind("p", "shop", "n1")
    store.create(config_map("held", "shop", finalizers=["x.io/f"]))
    store.delete(NAMESPACE, "shop")
    assert store.get(NAMESPACE, "shop")["status"]["phase"] == "Terminating"
    store.delete(POD, "p", "shop", DeleteOptions(grace_period_seconds=0))
    assert "shop" in store.read(NAMESPACE)
    store.patch(CONFIG_MAP, "held", {"metadata": {"finalizers": None}}, "shop")
    assert "shop" not in store.read(NAMESPACE)


def test_nothing_new_is_let_into_a_namespace_that_ends(store: Store) -> None:
    store.create(config_map("held", "shop", finalizers=["x.io/f"]))
    store.delete(NAMESPACE, "shop")
    with pytest.raises(Forbidden) as refusal:
        store.create(config_map("new", "shop"))
    assert refusal.value.message == (
        'configmaps "new" is forbidden: unable to create new content in namespace shop '
        "because it is being terminated"
    )
    assert refusal.value.details["causes"][0]["reason"] == "NamespaceTerminating"


def test_by_hand_a_namespace_stays_until_collected() -> None:
    store = make_store(garbage="manual")
    store.create(namespaces.manifest("shop"))
    store.create(config_map("a", "shop"))
    first = store.delete(NAMESPACE, "shop").object
    assert store.delete(NAMESPACE, "shop").object is first
    assert store.get(CONFIG_MAP, "a", "shop")
    garbage.collect(store)
    assert "shop" not in store.read(NAMESPACE)


def test_a_finalizer_of_its_own_holds_an_empty_namespace(store: Store) -> None:
    store.patch(NAMESPACE, "shop", {"metadata": {"finalizers": ["x.io/f"]}})
    store.delete(NAMESPACE, "shop")
    assert store.get(NAMESPACE, "shop")["spec"] == {}
    store.patch(NAMESPACE, "shop", {"metadata": {"finalizers": None}})
    assert "shop" not in store.read(NAMESPACE)


def test_other_finalizers_of_the_spec_hold_it_too(store: Store) -> None:
    held = namespaces.manifest("held")
    held["spec"] = {"finalizers": ["kubernetes", "x.io/f"]}
    store.create(held)
    store.delete(NAMESPACE, "held")
    assert store.get(NAMESPACE, "held")["spec"] == {"finalizers": ["x.io/f"]}


def test_what_was_ending_already_is_waited_for(store: Store) -> None:
    store.create(config_map("a", "shop", finalizers=["x.io/f"]))
    ending = store.delete(CONFIG_MAP, "a", "shop").object
    store.delete(NAMESPACE, "shop")
    assert store.get(CONFIG_MAP, "a", "shop") is ending
    patched = store.patch(NAMESPACE, "shop", {"metadata": {"labels": {"x": "1"}}})
    assert store.get(NAMESPACE, "shop") is patched


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_some_namespaces_may_not_go(store: Store, name: str) -> None:
    with pytest.raises(Forbidden, match=r"this namespace may not be deleted"):
        store.delete(NAMESPACE, name)


def test_preconditions_are_worded_as_for_no_other_kind(store: Store) -> None:
    message = 'on namespaces "shop": Precondition failed: UID in precondition: x, UID in object'
    with pytest.raises(Conflict, match=message):
        store.delete(NAMESPACE, "shop", options=DeleteOptions(uid="x"))
    with pytest.raises(Conflict, match=r"ResourceVersion in precondition: 1, ResourceVersion in"):
        store.delete(NAMESPACE, "shop", options=DeleteOptions(resource_version="1"))


def test_a_rehearsal_ends_nothing(store: Store) -> None:
    shown = store.delete(NAMESPACE, "shop", options=DeleteOptions(dry_run=True)).object
    assert shown["status"]["phase"] == "Terminating"
    assert store.get(NAMESPACE, "shop")["status"]["phase"] == "Active"


@pytest.mark.parametrize(
    ("options", "finalizers"),
    [
        (DeleteOptions(), ["x.io/y"]),
        (DeleteOptions(propagation_policy="Background"), ["x.io/y"]),
        (DeleteOptions(propagation_policy="Orphan"), ["x.io/y", "orphan"]),
        (DeleteOptions(propagation_policy="Foreground"), ["x.io/y", "foregroundDeletion"]),
        (DeleteOptions(orphan_dependents=True), ["x.io/y", "orphan"]),
        (DeleteOptions(orphan_dependents=False), ["x.io/y", "foregroundDeletion"]),
    ],
)
def test_the_policy_becomes_a_finalizer(options: DeleteOptions, finalizers: list[str]) -> None:
    store = make_store(garbage="manual")
    shop = namespaces.manifest("shop")
    store.create({**shop, "metadata": {"name": "shop", "finalizers": ["x.io/y"]}})

    ending = store.delete(NAMESPACE, "shop", options=options).object

    assert ending["metadata"]["finalizers"] == finalizers


def test_a_namespace_goes_when_what_it_was_to_wait_for_is_gone(store: Store) -> None:
    store.delete(NAMESPACE, "shop", options=DeleteOptions(propagation_policy="Foreground"))

    assert "shop" not in store.read(NAMESPACE)
