"""Objects as kube-scheduler-simulator hands them on: no kind, but all that a cluster wrote."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

BEGINNING: Final = dt.datetime(2026, 1, 15, 7, 0, 0, tzinfo=dt.UTC)
PREFIX: Final = "kube-scheduler-simulator.sigs.k8s.io/"
CONFIG: Final = "kubescheduler.config.k8s.io/v1"


def at(seconds: float) -> str:
    """A time so many seconds after the recording began, as Go writes it."""
    text = (BEGINNING + dt.timedelta(seconds=seconds)).isoformat()
    return text.replace("+00:00", "Z")


def metadata(name: str, namespace: str | None = None, **more: Any) -> Json:
    """The metadata of an object that was there an hour before."""
    place = {} if namespace is None else {"namespace": namespace}
    return {
        "name": name,
        **place,
        "uid": f"uid-of-{name}",
        "resourceVersion": "183",
        "creationTimestamp": at(-3600),
        "managedFields": [
            {"manager": "simulator", "operation": "Apply", "fieldsV1": {"f:spec": {}}}
        ],
        **more,
    }


def node(name: str, cpu: str = "4", **status: Any) -> Json:
    """A node that is ready."""
    size = {"cpu": cpu, "memory": "32Gi", "pods": "110"}
    return {
        "metadata": metadata(name, labels={"kubernetes.io/hostname": name}),
        "spec": {},
        "status": {
            "capacity": size,
            "allocatable": size,
            "phase": "Running",
            "conditions": [_ready(at(-60))],
            **status,
        },
    }


def _ready(heard: str) -> Json:
    return {
        "type": "Ready",
        "status": "True",
        "lastHeartbeatTime": heard,
        "lastTransitionTime": at(-3500),
        "reason": "KubeletReady",
        "message": "kubelet is posting ready status",
    }


def heartbeat(obj: Json, seconds: float) -> Json:
    """A node after one more heartbeat."""
    return {**obj, "status": {**obj["status"], "conditions": [_ready(at(seconds))]}}


def pod(name: str, cpu: str = "1", *, meta: Json | None = None, **spec: Any) -> Json:
    """A pod that waits for a node, as admission has left it."""
    return {
        "metadata": metadata(name, "shop", **(meta or {})),
        "spec": {
            "containers": [
                {
                    "name": "main",
                    "image": "app:1.0",
                    "resources": {"requests": {"cpu": cpu}},
                    "terminationMessagePath": "/dev/termination-log",
                    "imagePullPolicy": "IfNotPresent",
                }
            ],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "serviceAccountName": "seller",
            "schedulerName": "default-scheduler",
            "priority": 0,
            "preemptionPolicy": "PreemptLowerPriority",
            **spec,
        },
        "status": {"phase": "Pending", "qosClass": "Burstable"},
    }


def bound(obj: Json, node_name: str) -> Json:
    """The pod on a node, and running there."""
    running = {
        "name": "main",
        "image": "app:1.0",
        "imageID": "app@sha256:0",
        "ready": True,
        "started": True,
        "restartCount": 0,
        "state": {"running": {"startedAt": at(-1800)}},
    }
    conditions = [{"type": each, "status": "True"} for each in ("PodScheduled", "Ready")]
    status = {
        "phase": "Running",
        "qosClass": "Burstable",
        "startTime": at(-1801),
        "podIP": "10.244.0.7",
        "conditions": conditions,
        "containerStatuses": [running],
    }
    return {**obj, "spec": {**obj["spec"], "nodeName": node_name}, "status": status}


def ended(obj: Json, begin: float, end: float, code: int = 0, restarts: int = 0) -> Json:
    """The pod when its container has run from one second to another."""
    terminated = {"startedAt": at(begin), "finishedAt": at(end), "exitCode": code}
    main = {"name": "main", "restartCount": restarts, "state": {"terminated": terminated}}
    status = {
        "phase": "Failed" if code else "Succeeded",
        "startTime": at(begin - 2),
        "containerStatuses": [main],
    }
    return {**obj, "status": status}


def claim(name: str, volume: str | None = None, **meta: Any) -> Json:
    """A claim, bound if there is a volume."""
    spec: Json = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "disks",
        "volumeMode": "Filesystem",
    }
    if volume is None:
        return {
            "metadata": metadata(name, "shop", **meta),
            "spec": spec,
            "status": {"phase": "Pending"},
        }
    notes = {
        "pv.kubernetes.io/bind-completed": "yes",
        "pv.kubernetes.io/bound-by-controller": "yes",
    }
    return {
        "metadata": metadata(name, "shop", annotations=notes, **meta),
        "spec": {**spec, "volumeName": volume},
        "status": {
            "phase": "Bound",
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
        },
    }


def volume(name: str, claim_name: str | None = None, **meta: Any) -> Json:
    """A volume, bound if there is a claim."""
    spec: Json = {
        "capacity": {"storage": "1Gi"},
        "hostPath": {"path": "/tmp/data", "type": "DirectoryOrCreate"},
        "accessModes": ["ReadWriteOnce"],
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": "disks",
        "volumeMode": "Filesystem",
    }
    if claim_name is not None:
        spec["claimRef"] = {
            "kind": "PersistentVolumeClaim",
            "apiVersion": "v1",
            "namespace": "shop",
            "name": claim_name,
            "uid": f"uid-of-{claim_name}",
            "resourceVersion": "176",
        }
    phase = "Available" if claim_name is None else "Bound"
    return {"metadata": metadata(name, **meta), "spec": spec, "status": {"phase": phase}}


def namespace(name: str) -> Json:
    """A namespace."""
    return {
        "metadata": metadata(name),
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }


def storage_class() -> Json:
    """The class of all claims and volumes here."""
    return {"metadata": metadata("disks"), "provisioner": "disks.example.com"}


# Keys and forms of the annotations that the scheduler of a published sample has written.
RESULTS: Final = {
    f"{PREFIX}bind-result": '{"DefaultBinder":"success"}',
    f"{PREFIX}filter-result": (
        '{"node-jjfg5":{"NodeName":"passed","NodeResourcesFit":"passed"},'
        '"node-mtb5x":{"NodeName":"passed","NodeResourcesFit":"passed"}}'
    ),
    f"{PREFIX}finalscore-result": (
        '{"node-jjfg5":{"ImageLocality":"0","NodeResourcesFit":"47","TaintToleration":"300"},'
        '"node-mtb5x":{"ImageLocality":"0","NodeResourcesFit":"73","TaintToleration":"300"}}'
    ),
    f"{PREFIX}permit-result": "{}",
    f"{PREFIX}selected-node": "node-mtb5x",
}


def export(**lists: Any) -> Json:
    """An export: all keys are there, and what is not given is empty."""
    empty: Json = {
        "pods": [],
        "nodes": [],
        "pvs": [],
        "pvcs": [],
        "storageClasses": [],
        "priorityClasses": [],
        "schedulerConfig": None,
        "namespaces": [],
    }
    return empty | lists


def line(seconds: float, event: str, kind: str, obj: Json, api_version: str = "v1") -> str:
    """One line of a recording, as the recorder writes it."""
    told = {"apiVersion": api_version, "kind": kind, **obj}
    if event == "Delete":
        own = obj["metadata"]
        named = {"name": own["name"], "namespace": own.get("namespace", "")}
        told = {"apiVersion": api_version, "kind": kind, "metadata": named}
    return json.dumps({"time": at(seconds), "event": event, "resource": told}) + "\n"
