"""Pods with a volume of their own each, in three zones.

Of four pods, two have a claim that is bound to a volume of one zone, one has a claim that the
scheduler matches with one of the volumes that are there, and one has a claim that a driver makes a
volume for where the pod goes. Both of the last wait for their first consumer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import scheduler_lists

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


_STORAGE: Final = "storage.k8s.io/v1"
_DRIVER: Final = "disk.example.com"
_LIMIT: Final = 39
_BOUND: Final = {
    "pv.kubernetes.io/bind-completed": "yes",
    "pv.kubernetes.io/bound-by-controller": "yes",
}
KINDS: Final = ("bound", "bound", "matched", "made")


def objects(nodes: int, pods: int) -> Iterator[Json]:
    """Classes, nodes with their drivers, volumes and claims, then pods."""
    yield _class("bound", _DRIVER, "Immediate")
    yield _class("matched", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")
    yield _class("made", _DRIVER, "WaitForFirstConsumer")
    for index in range(nodes):
        node = scheduler_lists.node(index)
        yield node
        yield _drivers(node["metadata"]["name"])
    for index in range(pods):
        kind = KINDS[index % len(KINDS)]
        if kind != "made":
            yield _volume(index, kind)
        yield _claim(index, kind)
    for index in range(pods):
        claim = {"claimName": f"claim-{index:05d}"}
        mounted = [{"name": "data", "persistentVolumeClaim": claim}]
        yield scheduler_lists.pod(index, volumes=mounted)


def zone_of(index: int) -> str:
    """Where the volume of a number is; those that are bound come in pairs, so in all zones."""
    return f"zone-{index % scheduler_lists.ZONES}"


def _class(name: str, provisioner: str, mode: str) -> Json:
    return {
        "apiVersion": _STORAGE,
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": mode,
    }


def _drivers(node_name: str) -> Json:
    driver = {"name": _DRIVER, "nodeID": node_name, "allocatable": {"count": _LIMIT}}
    return {
        "apiVersion": _STORAGE,
        "kind": "CSINode",
        "metadata": {"name": node_name},
        "spec": {"drivers": [driver]},
    }


def _volume(index: int, kind: str) -> Json:
    zone = {"key": scheduler_lists.ZONE, "operator": "In", "values": [zone_of(index)]}
    spec: Json = {
        "capacity": {"storage": "10Gi"},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": kind,
        "csi": {"driver": _DRIVER, "volumeHandle": f"volume-{index:05d}"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}},
    }
    if kind == "bound":
        spec["claimRef"] = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": "default",
            "name": f"claim-{index:05d}",
            "uid": f"uid-claim-{index:05d}",
        }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"volume-{index:05d}"},
        "spec": spec,
        "status": {"phase": "Bound" if kind == "bound" else "Available"},
    }


def _claim(index: int, kind: str) -> Json:
    name = f"claim-{index:05d}"
    metadata: Json = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    spec: Json = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "5Gi"}},
        "storageClassName": kind,
    }
    status: Json = {"phase": "Pending"}
    if kind == "bound":
        metadata["annotations"] = _BOUND
        spec["volumeName"] = f"volume-{index:05d}"
        status = {"phase": "Bound"}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }
