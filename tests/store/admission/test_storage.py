"""Admission of volumes, claims and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Forbidden
from tests.store.samples import make_store

if TYPE_CHECKING:
    from kubestage.store.store import Store

CLAIM = ("v1", "PersistentVolumeClaim")
DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}


def claim(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            **spec,
        },
    }


def storage_class(name: str, annotations: dict[str, str] | None = None, **fields: Any) -> Any:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, "annotations": annotations},
        "provisioner": "x",
        **fields,
    }


@pytest.fixture
def store() -> Store:
    return make_store()


def test_claims_and_volumes_are_protected(store: Store) -> None:
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "v", "finalizers": ["example.com/mine"]},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "hostPath": {"path": "/x"},
        },
    }
    assert store.create(volume)["metadata"]["finalizers"] == [
        "example.com/mine",
        "kubernetes.io/pv-protection",
    ]
    created = store.create(claim("c"))
    assert created["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert created["status"] == {"phase": "Pending"}
    freed = store.patch(CLAIM, "c", {"metadata": {"finalizers": None}})
    assert "finalizers" not in freed["metadata"]


def test_a_protected_claim_waits_for_its_finalizer(store: Store) -> None:
    store.create(claim("c"))
    assert not store.delete(CLAIM, "c").removed
    store.patch(CLAIM, "c", {"metadata": {"finalizers": None}})
    assert not store.list(CLAIM).items


def test_a_claim_without_a_class_gets_the_default(store: Store) -> None:
    store.create(storage_class("plain"))
    assert "storageClassName" not in store.create(claim("a"))["spec"]
    store.create(storage_class("z", DEFAULT))
    store.create(storage_class("b", {"storageclass.beta.kubernetes.io/is-default-class": "true"}))
    assert store.create(claim("c"))["spec"]["storageClassName"] == "b"
    assert store.create(claim("d", storageClassName=""))["spec"]["storageClassName"] == ""
    assert store.create(claim("e", storageClassName="plain"))["spec"]["storageClassName"] == "plain"


def test_the_newest_default_counts(store: Store) -> None:
    for name, created in (("a", "2026-01-01"), ("b", "2026-01-02"), ("c", "2026-01-01")):
        made = storage_class(name, DEFAULT)
        made["metadata"]["creationTimestamp"] = f"{created}T00:00:00Z"
        store.load(made)
    assert store.create(claim("x"))["spec"]["storageClassName"] == "b"


@pytest.mark.parametrize("name", ["small", "gone"])
def test_not_every_claim_can_grow(store: Store, name: str) -> None:
    store.create(storage_class("small"))
    store.create(claim("c", storageClassName=name))
    store.patch(CLAIM, "c", {"status": {"phase": "Bound"}}, subresource="status")
    with pytest.raises(Forbidden) as refusal:
        store.patch(CLAIM, "c", {"spec": {"resources": {"requests": {"storage": "2Gi"}}}})
    assert refusal.value.message == (
        'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized '
        "and the storageclass that provisions the pvc must support resize"
    )


def test_a_bound_claim_of_a_growing_class_grows(store: Store) -> None:
    store.create(storage_class("big", allowVolumeExpansion=True))
    store.create(claim("c", storageClassName="big"))
    store.patch(CLAIM, "c", {"status": {"phase": "Bound"}}, subresource="status")
    size = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
    assert store.patch(CLAIM, "c", size)["spec"]["resources"]["requests"] == {"storage": "2Gi"}
