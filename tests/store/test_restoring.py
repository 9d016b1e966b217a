"""A store that goes on where an earlier one ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.errors import Expired
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store import restoring
from kubestage.store.restoring import ObjectKey, Past
from kubestage.store.store import Store

if TYPE_CHECKING:
    from kubestage.aliases import Json

POD = ("v1", "Pod")
CONFIG_MAP = ("v1", "ConfigMap")
WIDGET = ("example.org/v1", "Widget")


def past_of(store: Store, **changes: Any) -> Past:
    """What a store would leave, through bytes and back."""
    objects = [
        (ObjectKey(each.kind.group, each.kind.plural, key), msgspec.json.decode(_text(obj)))
        for each in store.collections()
        for key, obj in each.objects.items()
    ]
    objects.sort(key=lambda entry: int(entry[1]["metadata"]["resourceVersion"]))
    garbage = [ObjectKey(kind.group, kind.plural, key) for kind, key in store.garbage.queue]
    past = Past(store.revision, store.clock.unix_ns, 1, objects, garbage)
    return msgspec.structs.replace(past, **changes)


def restored(past: Past) -> Store:
    store = Store(
        Clock(past.unix_ns), Streams(0, past.boot), first_revision=past.revision, seeded=False
    )
    restoring.restore(store, past)
    return store


def _new() -> Store:
    return Store(Clock(), Streams(0))


def _text(obj: Json) -> bytes:
    return msgspec.json.encode(obj)


def _config_map(name: str, **metadata: Any) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}}


def _definition(*, served: bool = True) -> Json:
    version = {
        "name": "v1",
        "served": served,
        "storage": True,
        "schema": {
            "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        },
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.org"},
        "spec": {
            "group": "example.org",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version],
        },
    }


def _widget(name: str) -> Json:
    return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": name}}


def _owned_by(owner: Json) -> list[Json]:
    metadata = owner["metadata"]
    return [
        {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": metadata["name"],
            "uid": metadata["uid"],
        }
    ]


def test_every_object_comes_back_byte_for_byte_and_in_the_same_order() -> None:
    store = _new()
    for name in ("z", "a", "m"):
        store.create(_config_map(name, labels={"app": name}))
    store.patch(CONFIG_MAP, "a", {"data": {"some": "text"}})
    back = restored(past_of(store))
    for each in store.collections():
        assert {key: _text(obj) for key, obj in each.objects.items()} == {
            key: _text(obj) for key, obj in back.ledger.collection(each.kind).objects.items()
        }
    assert back.resource_version == store.resource_version
    assert [each["metadata"]["name"] for each in back.list(CONFIG_MAP).items] == ["a", "m", "z"]


def test_the_next_version_is_newer_than_all_that_was_seen() -> None:
    store = _new()
    store.create(_config_map("a"))
    back = restored(past_of(store, revision=5_000))
    assert back.create(_config_map("b"))["metadata"]["resourceVersion"] == "5001"
    assert back.get(CONFIG_MAP, "a")["metadata"]["resourceVersion"] == str(store.revision)


def test_what_was_before_is_forgotten_and_what_is_after_is_told() -> None:
    store = _new()
    store.create(_config_map("a"))
    back = restored(past_of(store))
    revision = back.ledger.revision
    with pytest.raises(Expired):
        back.watch(CONFIG_MAP, resource_version=str(revision - 1))
    watch = back.watch(CONFIG_MAP, resource_version=str(revision))
    back.patch(CONFIG_MAP, "a", {"data": {"k": "v"}})
    assert [event.type for event in watch.poll()] == ["MODIFIED"]


def test_nobody_is_told_of_what_comes_back() -> None:
    store = _new()
    store.create(_config_map("a"))
    back = restored(past_of(store))
    assert not back.ledger.undelivered
    assert all(each.log.end == 0 for each in back.ledger.collections())


def test_selectors_find_what_comes_back() -> None:
    store = _new()
    store.create(_config_map("a", labels={"app": "web"}))
    store.create(_config_map("b", labels={"app": "db"}))
    back = restored(past_of(store))
    found = back.list(CONFIG_MAP, label_selector="app=db").items
    assert [each["metadata"]["name"] for each in found] == ["b"]


def test_custom_resources_come_back_with_their_kind_even_if_made_before_it_was_changed() -> None:
    store = _new()
    store.create(_definition())
    store.create(_widget("w"))
    definition = store.get(
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"), "widgets.example.org"
    )
    store.update({**definition, "metadata": {**definition["metadata"], "labels": {"a": "b"}}})
    back = restored(past_of(store))
    assert back.get(WIDGET, "w") == store.get(WIDGET, "w")
    back.create(_widget("another"))


def test_objects_of_a_kind_that_is_not_served_are_kept_until_it_is() -> None:
    store = _new()
    store.create(_definition())
    widget = store.create(_widget("w"))
    past = past_of(store)
    hidden = [
        (place, {**obj, "spec": _definition(served=False)["spec"]})
        if place.plural == "customresourcedefinitions"
        else (place, obj)
        for place, obj in past.objects
    ]
    back = restored(msgspec.structs.replace(past, objects=hidden))
    assert back.kinds.get(*WIDGET) is None
    kept = next(each for each in back.ledger.collections() if each.kind.plural == "widgets")
    assert kept.objects == {"default/w": widget}
    assert kept.kind.namespaced


def test_dependents_that_come_back_follow_their_owner() -> None:
    store = _new()
    owner = store.create(_config_map("owner"))
    store.create(_config_map("dependent", ownerReferences=_owned_by(owner)))
    back = restored(past_of(store))
    back.delete(CONFIG_MAP, "owner")
    assert list(back.read(CONFIG_MAP)) == []


def test_the_garbage_collector_goes_on_with_what_it_had_to_look_at() -> None:
    store = Store(Clock(), Streams(0), garbage="manual")
    owner = store.create(_config_map("owner"))
    store.create(_config_map("dependent", ownerReferences=_owned_by(owner)))
    store.delete(CONFIG_MAP, "owner")
    past = past_of(store)
    assert past.garbage == [ObjectKey("", "configmaps", "default/dependent")]
    back = restored(past)
    back.settle()
    assert list(back.read(CONFIG_MAP)) == []


def test_what_lacks_its_owner_from_the_start_is_left_alone() -> None:
    store = _new()
    gone = {"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "u"}
    store.create(_config_map("orphan", ownerReferences=[gone]))
    back = restored(past_of(store))
    back.settle()
    assert list(back.read(CONFIG_MAP)) == ["default/orphan"]


def test_another_boot_makes_up_other_names_and_uids() -> None:
    store = _new()
    past = past_of(store)
    base = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "x-"}}
    made = [
        each.create(base)["metadata"]
        for each in (store, restored(past), restored(msgspec.structs.replace(past, boot=2)))
    ]
    assert len({each["uid"] for each in made}) == 3
    assert len({each["name"] for each in made}) == 3
