from __future__ import annotations

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
