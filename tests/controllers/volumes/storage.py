"""Claims, volumes and classes for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.garbage_collector import GarbageCollectorController
from kubestage.controllers.settings import Settings
from kubestage.controllers.volumes.binder import PersistentVolumeController
from kubestage.controllers.volumes.protection import (
    PVCProtectionController,
    PVProtectionController,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json

CLAIM = ("v1", "PersistentVolumeClaim")
VOLUME = ("v1", "PersistentVolume")
LOOPS = (
    PersistentVolumeController,
    PVCProtectionController,
    PVProtectionController,
    GarbageCollectorController,
)
WITH_HOST_PATHS = Settings(in_tree_provisioners=frozenset({"kubernetes.io/host-path"}))


def claim(name: str = "data", size: str = "1Gi", storage_class: str = "sc", **spec: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}},
            "storageClassName": storage_class,
            **spec,
        },
    }


def volume(name: str = "pv", size: str = "1Gi", storage_class: str = "sc", **spec: Any) -> Json:
    source = {} if "hostPath" in spec else {"nfs": {"server": "files", "path": "/x"}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": size},
            "storageClassName": storage_class,
            "persistentVolumeReclaimPolicy": "Retain",
            **source,
            **spec,
        },
    }


def storage_class(name: str = "sc", provisioner: str = "example.com/csi", **fields: Any) -> Json:
    annotations = fields.pop("annotations", {})
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, "annotations": annotations},
        "provisioner": provisioner,
        **fields,
    }
