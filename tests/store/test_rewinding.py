"""A store that is what it was."""

from __future__ import annotations

import pytest

from kubestage.errors import Expired
from kubestage.stage import Stage
from kubestage.store import rewinding
from kubestage.testing import make_node, make_pod
from tests.server.journal.serving import CONFIG_MAP, config_map, texts

POD = ("v1", "Pod")
LAMPS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "lamps.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"plural": "lamps", "kind": "Lamp"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }
        ],
    },
}
LAMP = ("example.com/v1", "Lamp")


def test_everything_is_as_it_was_and_versions_go_on() -> None:
    store = Stage().store
    store.create(make_node("n1"))
    store.create(make_pod("stays"))
    store.create(make_pod("goes", labels={"app": "web"}))
    before, revision = texts(store), store.revision
    store.create(make_pod("comes"))
    store.delete(POD, "goes")
    store.patch(POD, "stays", {"metadata": {"labels": {"app": "web"}}})
    store.create(config_map("new"))
    newest = store.revision
    rewinding.rewind(store, revision)
    assert texts(store) == before
    found = store.list(POD, "default", label_selector="app=web").items
    assert [each["metadata"]["name"] for each in found] == ["goes"]
    assert not store.list(CONFIG_MAP, "default", field_selector="metadata.name=new").items
    assert store.revision == newest
    rewinding.rewind(store, revision)
    assert texts(store) == before


def test_a_watch_that_saw_more_is_told_to_list_again() -> None:
    store = Stage().store
    watch = store.watch(POD)
    revision = store.revision
    store.create(make_pod("p"))
    assert len(watch.poll()) == 1
    rewinding.rewind(store, revision)
    with pytest.raises(Expired):
        watch.poll(store.revision)


def test_kinds_come_and_go_with_their_definitions() -> None:
    store = Stage().store
    revision = store.revision
    store.create(LAMPS)
    assert store.kinds.get(*LAMP) is not None
    defined = store.revision
    store.create({"apiVersion": LAMP[0], "kind": LAMP[1], "metadata": {"name": "desk"}})
    store.delete(("apiextensions.k8s.io/v1", "CustomResourceDefinition"), "lamps.example.com")
    assert store.kinds.get(*LAMP) is None
    rewinding.rewind(store, defined)
    assert store.kinds.get(*LAMP) is not None
    assert not store.list(LAMP, "default").items
    rewinding.rewind(store, revision)
    assert store.kinds.get(*LAMP) is None
