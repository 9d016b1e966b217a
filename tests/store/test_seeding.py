from __future__ import annotations

from typing import Any

from kubestage.sim import Clock, Streams
from kubestage.store.store import Store
from tests.store.samples import NAMESPACE, make_store


def test_what_is_there_from_the_start_is_owned_by_who_made_it_if_anybody_asks() -> None:
    assert "managedFields" not in make_store().get(NAMESPACE, "default")["metadata"]
    made = make_store(seeded_by="kube-apiserver").get(NAMESPACE, "default")["metadata"]
    (entry,) = made["managedFields"]
    assert entry["manager"] == "kube-apiserver"
    assert list(entry["fieldsV1"]["f:metadata"]["f:labels"]) == [
        ".",
        "f:kubernetes.io/metadata.name",
    ]


def _pristine(store: Store) -> dict[str, dict[str, Any]]:
    rows = (("v1", "Namespace"), ("scheduling.k8s.io/v1", "PriorityClass"))
    return {key: obj for row in rows for key, obj in store.read(row).items()}


def test_what_every_cluster_has_is_put_in_order_when_a_store_starts_over() -> None:
    """Labels that somebody added are gone, and what was deleted is there again, with its uid."""
    streams = Streams(5)
    store = Store(Clock(), streams)
    before = _pristine(store)
    store.patch(("v1", "Namespace"), "default", {"metadata": {"labels": {"team": "a"}}})
    store.delete(("v1", "Namespace"), "kube-node-lease")
    revision = store.revision
    streams.rewind()
    store.start_over()
    after = _pristine(store)
    assert list(after) == list(before)
    assert store.revision > revision
    for key, obj in after.items():
        metadata = {**obj["metadata"], "resourceVersion": ""}
        assert metadata == {**before[key]["metadata"], "resourceVersion": ""}


def test_what_is_in_order_is_left_alone() -> None:
    streams = Streams(5)
    store = Store(Clock(), streams)
    before, revision = _pristine(store), store.revision
    streams.rewind()
    store.start_over()
    assert _pristine(store) == before
    assert store.revision == revision
