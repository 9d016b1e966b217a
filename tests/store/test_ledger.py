from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.samples import CONFIG_MAP, config_map, make_store, owned_by, pod

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
