from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import pytest

import kubestage
from tests.store.samples import (
    CONFIG_MAP,
    WIDGET,
    config_map,
    make_store,
    owned_by,
    pod,
    replica_set,
    widget,
    widgets_definition,
)

if TYPE_CHECKING:
    from kubestage.store.log import Change
    from kubestage.store.store import Store


@pytest.fixture
def store() -> Store:
    return make_store()


def test_subscribers_hear_of_every_change_in_order(store: Store) -> None:
    heard: list[Change] = []
    store.subscribe(heard.append)
    store.create(config_map("a"))
    store.patch(CONFIG_MAP, "a", {"data": {"a": "2"}})
    store.patch(CONFIG_MAP, "a", {"data": {"a": "2"}})
    store.delete(CONFIG_MAP, "a")
    assert [(each.type, each.key) for each in heard] == [
        ("ADDED", "default/a"),
        ("MODIFIED", "default/a"),
        ("DELETED", "default/a"),
    ]
    assert heard[1].old is heard[0].new


def test_changes_made_while_hearing_are_heard_after(store: Store) -> None:
    heard: list[str] = []

    def copy(change: Change) -> None:
        name = change.new["metadata"]["name"]
        heard.append(f"first {name}")
        if name == "a":
            store.create(config_map("b"))
            assert "default/b" in store.read(CONFIG_MAP)

    store.subscribe(copy)
    store.subscribe(lambda change: heard.append(f"second {change.new['metadata']['name']}"))
    store.create(config_map("a"))
    assert heard == ["first a", "second a", "first b", "second b"]


def test_a_verb_is_done_before_it_is_told(store: Store) -> None:
    """A pod that goes at once is marked and removed; nobody sees it in between."""
    seen: list[bool] = []
    store.create(pod("p"))
    store.subscribe(lambda _: seen.append("default/p" in store.read(("v1", "Pod"))))
    store.delete(("v1", "Pod"), "p")
    assert seen == [False, False]


def test_garbage_is_gone_before_anybody_is_told(store: Store) -> None:
    owner = store.create(config_map("owner"))
    store.create(config_map("child", ownerReferences=owned_by(owner)))
    counts: list[int] = []
    store.subscribe(lambda _: counts.append(len(store.read(CONFIG_MAP))))
    store.delete(CONFIG_MAP, "owner")
    assert counts == [0, 0]


def test_an_unsubscribed_callback_is_not_called(store: Store) -> None:
    heard: list[Change] = []
    listen = heard.append
    store.subscribe(listen)
    store.create(config_map("a"))
    store.unsubscribe(listen)
    store.create(config_map("b"))
    assert [each.key for each in heard] == ["default/a"]


def test_a_callback_may_be_for_some_kinds_only(store: Store) -> None:
    heard: list[str] = []
    store.create(config_map("before"))
    store.subscribe(lambda change: heard.append(f"pods {change.key}"), [("", "Pod")])
    store.subscribe(lambda change: heard.append(f"all {change.key}"))
    store.subscribe(lambda change: heard.append(f"sets {change.key}"), [("apps", "ReplicaSet")])
    store.create(config_map("a"))
    store.create(pod("p"))
    store.create(replica_set("r"))
    assert heard == [
        "all default/a",
        "pods default/p",
        "all default/p",
        "all default/r",
        "sets default/r",
    ]


def test_a_callback_for_some_kinds_can_be_unsubscribed(store: Store) -> None:
    heard: list[Change] = []
    listen = heard.append
    store.subscribe(listen, [("", "Pod")])
    store.create(pod("p"))
    store.unsubscribe(listen)
    store.create(pod("q"))
    assert [each.key for each in heard] == ["default/p"]


def test_changes_made_while_hearing_reach_those_who_asked_for_their_kind(store: Store) -> None:
    heard: list[str] = []

    def make(_: Change) -> None:
        store.create(config_map("made"))

    store.subscribe(lambda change: heard.append(change.key), [("", "ConfigMap")])
    store.subscribe(make, [("", "Pod")])
    store.create(pod("p"))
    assert heard == ["default/made"]


def test_only_a_binding_is_told_as_one(store: Store) -> None:
    heard: list[Change] = []
    for name in "abc":
        store.create(pod(name))
    store.subscribe(heard.append)
    store.create(pod("d"))
    store.bind("a", "default", "n1")
    store.bind("b", "default", "n1", annotations={"x": "y"})
    store.bind("c", "default", "n1", labels={"x": "y"})
    store.patch(("v1", "Pod"), "a", {"metadata": {"annotations": {"x": "z"}}})
    assert [each.is_binding for each in heard] == [False, True, True, False, False]


def test_a_callback_that_fails_loses_no_change(store: Store) -> None:
    heard: list[str] = []

    def fail_once(change: Change) -> None:
        if not heard:
            heard.append("failed")
            raise RuntimeError
        heard.append(change.key)

    store.subscribe(fail_once)
    with pytest.raises(RuntimeError):
        store.create(config_map("a"))
    store.create(config_map("b"))
    assert heard == ["failed", "default/b"]
    assert "default/a" in store.read(CONFIG_MAP)


def test_collections_come_in_the_order_of_the_kind_table() -> None:
    kinds = [("apps/v1", "Deployment"), ("v1", "Pod"), ("storage.k8s.io/v1", "CSINode")]
    orders = []
    for used in (kinds, kinds[::-1]):
        store = make_store()
        for kind in used:
            store.read(kind)
        found = [(each.kind.api_version, each.kind.kind) for each in store.collections()]
        orders.append([each for each in found if each in kinds])
    assert orders == [[kinds[1], kinds[0], kinds[2]]] * 2


def test_custom_kinds_come_last_in_the_order_of_their_definitions(store: Store) -> None:
    store.create(widgets_definition())
    other = widgets_definition()
    other["metadata"]["name"] = "gadgets.example.com"
    other["spec"]["names"] = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget"}
    store.create(other)
    store.create({**widget("g"), "kind": "Gadget"})
    store.read(("kubestage.dev/v1alpha1", "NodeGroup"))
    store.create(widget("w"))
    assert [each.kind.kind for each in store.collections()][-3:] == [
        "NodeGroup",
        "Widget",
        "Gadget",
    ]
    assert store.collection(WIDGET).kind.kind == "Widget"


def test_the_ledger_is_private_to_the_store() -> None:
    root = pathlib.Path(kubestage.__file__).parent
    reaching = [
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if path.parent != root / "store" and "store.ledger" in path.read_text()
    ]
    assert reaching == []
