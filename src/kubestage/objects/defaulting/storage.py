"""Defaults of storage.k8s.io: classes, drivers and attachments."""

from __future__ import annotations

from typing import Any

from kubestage.objects.defaulting import volumes


def storage_class(obj: dict[str, Any]) -> None:
    """Complete a StorageClass."""
    obj.setdefault("reclaimPolicy", "Delete")
    obj.setdefault("volumeBindingMode", "Immediate")


def csi_driver(obj: dict[str, Any]) -> None:
    """Complete a CSIDriver."""
    spec = obj["spec"]
    spec.setdefault("attachRequired", True)
    spec.setdefault("podInfoOnMount", False)
    spec.setdefault("storageCapacity", False)
    spec.setdefault("fsGroupPolicy", "ReadWriteOnceWithFSType")
    if "volumeLifecycleModes" not in spec:
        spec["volumeLifecycleModes"] = ["Persistent"]
    spec.setdefault("requiresRepublish", False)
    spec.setdefault("seLinuxMount", False)


def volume_attachment(obj: dict[str, Any]) -> None:
    """Complete a VolumeAttachment that carries its volume with it."""
    inline = obj["spec"]["source"].get("inlineVolumeSpec")
    if inline is not None:
        volumes.volume_source(inline)
