"""Volumes, claims, classes and drivers, and pods that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.scheduler.plugins import clusters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


STORAGE = "storage.k8s.io/v1"
ZONE = "topology.kubernetes.io/zone"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
HOST = "kubernetes.io/hostname"
BOUND = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
SELECTED = "volume.kubernetes.io/selected-node"
DRIVER = "disk.example.com"


def storage_class(name: str, provisioner: str = DRIVER, waits: bool = True, **parts: Any) -> Json:
    """A class; those that do not wait are bound at once."""
    mode = "WaitForFirstConsumer" if waits else "Immediate"
    return {
        "apiVersion": STORAGE, "kind": "StorageClass", "metadata": {"name": name},
        "provisioner": provisioner, "volumeBindingMode": mode, **parts,
    }  # fmt: skip


def claim(name: str, class_name: str | None = "waiting", size: str = "5Gi", **parts: Any) -> Json:
    """A claim; `annotations`, `owner`, `deleted` and `phase` go where they belong."""
    metadata: Json = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    metadata["annotations"] = parts.pop("annotations", {})
    if (owner := parts.pop("owner", None)) is not None:
        reference = {"apiVersion": "v1", "kind": "Pod", "name": owner, "uid": owner}
        metadata["ownerReferences"] = [{**reference, "controller": True}]
    if parts.pop("deleted", False):
        metadata["deletionTimestamp"] = "2026-06-01T00:00:00Z"
    status = {"phase": parts.pop("phase", "Pending")}
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    if class_name is not None:
        parts["storageClassName"] = class_name
    return {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata,
        "spec": {**spec, **parts}, "status": status,
    }  # fmt: skip


def bound_claim(name: str, volume_name: str, **parts: Any) -> Json:
    """A claim that has its volume."""
    return claim(name, annotations=BOUND, volumeName=volume_name, phase="Bound", **parts)


def volume(name: str, class_name: str = "waiting", size: str = "10Gi", **parts: Any) -> Json:
    """A volume; `labels`, `deleted` and `phase` go where they belong, `terms` to its affinity."""
    metadata: Json = {"name": name, "labels": parts.pop("labels", {})}
    if parts.pop("deleted", False):
        metadata["deletionTimestamp"] = "2026-06-01T00:00:00Z"
    if (terms := parts.pop("terms", None)) is not None:
        parts["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    if "awsElasticBlockStore" not in parts:
        parts.setdefault("csi", {"driver": DRIVER, "volumeHandle": name})
    status = {"phase": parts.pop("phase", "Available")}
    spec = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"]}
    return {
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata,
        "spec": {**spec, "storageClassName": class_name, **parts}, "status": status,
    }  # fmt: skip


def reference(name: str, uid: str | None = None) -> Json:
    """What a volume says of the claim that it is meant for."""
    told = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": name}
    return told if uid is None else {**told, "uid": uid}


def within(key: str, *values: str) -> Json:
    """A term of a volume's node affinity."""
    return {"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}


def csi_node(name: str, annotations: Json | None = None, **limits: int | None) -> Json:
    """The drivers of a node; the name of a limit stands for a driver of example.com."""
    drivers: list[Json] = []
    for driver, limit in limits.items():
        told: Json = {"name": f"{driver}.example.com", "nodeID": name}
        drivers.append(told if limit is None else {**told, "allocatable": {"count": limit}})
    metadata = {"name": name, "annotations": annotations or {}}
    kind = {"apiVersion": STORAGE, "kind": "CSINode"}
    return {**kind, "metadata": metadata, "spec": {"drivers": drivers}}


def with_limit(csi: Json, driver: str, limit: int) -> Json:
    """The same with a driver of any name."""
    more = {"name": driver, "nodeID": "n", "allocatable": {"count": limit}}
    return {**csi, "spec": {"drivers": [*csi["spec"]["drivers"], more]}}


def csi_driver(name: str = DRIVER, capacity: bool = True) -> Json:
    """A driver that tells of its capacity, or does not."""
    kind = {"apiVersion": STORAGE, "kind": "CSIDriver", "metadata": {"name": name}}
    return {**kind, "spec": {"storageCapacity": capacity}}


def capacity(name: str, class_name: str = "waiting", **parts: Any) -> Json:
    """A pool of storage."""
    metadata = {"name": name, "namespace": "default"}
    kind = {"apiVersion": STORAGE, "kind": "CSIStorageCapacity", "metadata": metadata}
    return {**kind, "storageClassName": class_name, **parts}


def attachment(name: str, node: str, volume_name: str | None, attacher: str = DRIVER) -> Json:
    """A volume that is attached to a node."""
    source = {} if volume_name is None else {"persistentVolumeName": volume_name}
    kind = {"apiVersion": STORAGE, "kind": "VolumeAttachment", "metadata": {"name": name}}
    return {**kind, "spec": {"attacher": attacher, "nodeName": node, "source": source}}


def using(name: str = "incoming", *claims: str, more: Sequence[Json] = (), **spec: Any) -> PodView:
    """A pod that mounts claims and other volumes."""
    mounted = [
        {"name": f"v{number}", "persistentVolumeClaim": {"claimName": each}}
        for number, each in enumerate(claims)
    ]
    return clusters.pod(name, volumes=[*mounted, *more], **spec)
