"""The default StorageClass, as clusters of kind, minikube and all providers have one.

A claim that names no class gets it, and the provisioner of simulated volumes does the rest. A
cluster that has any class of its own keeps what it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.store import bootstrap

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store

NAME: Final = "standard"
PROVISIONER: Final = "volumes.kubestage.dev"
_MANAGER: Final = "kubestage"
_DEFAULT: Final = "storageclass.kubernetes.io/is-default-class"


def storage_class() -> Json:
    """The class: volumes are made where the pod is scheduled, and go with their claims."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": NAME, "annotations": {_DEFAULT: "true"}},
        "provisioner": PROVISIONER,
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowVolumeExpansion": True,
    }


def make(store: Store) -> None:
    """Make it, if the cluster has no class."""
    if not store.read(gvk.STORAGE_CLASS):
        bootstrap.add(store, storage_class(), _MANAGER)
        store.settle()


def is_own(obj: Json) -> bool:
    """Whether an object is this class."""
    is_class = (obj.get("apiVersion"), obj.get("kind")) == gvk.STORAGE_CLASS
    return (
        is_class and obj["metadata"].get("name") == NAME and obj.get("provisioner") == PROVISIONER
    )
