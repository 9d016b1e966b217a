"""What dra-example-driver v0.2.0 leaves in a cluster."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from kubestage.objects import names

if TYPE_CHECKING:
    from kubestage.aliases import Json

DRIVER: Final = "gpu.example.com"
DAEMON_SET: Final = "dra-example-driver-kubeletplugin"
MANIFESTS: Final = "dra-example-driver"
DEVICES: Final = 8
"""How many each node has, as the manifests say."""

_API: Final = "resource.k8s.io/v1"
_ACCOUNT: Final = "dra-example-driver-service-account"
_LABELS: Final = {
    "app.kubernetes.io/name": "dra-example-driver",
    "app.kubernetes.io/instance": "dra-example-driver",
    "app.kubernetes.io/component": "kubeletplugin",
}


def installed(namespace: str, workers: int, extended_resource: str) -> list[Json]:
    """The objects by which the driver is installed, in the order in which they are made."""
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        _device_class(extended_resource),
        _quota(namespace, workers),
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": _ACCOUNT, "namespace": namespace},
        },
        _daemon_set(namespace),
    ]


def _device_class(extended_resource: str) -> Json:
    spec: Json = {"selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]}
    if extended_resource:
        spec["extendedResourceName"] = extended_resource
    return {"apiVersion": _API, "kind": "DeviceClass", "metadata": {"name": DRIVER}, "spec": spec}


def _quota(namespace: str, workers: int) -> Json:
    """Lets the driver's pods be critical for their nodes, on as many nodes as there are."""
    scope = {
        "scopeName": "PriorityClass",
        "operator": "In",
        "values": ["system-node-critical"],
    }
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": DAEMON_SET, "namespace": namespace, "labels": _LABELS},
        "spec": {"hard": {"pods": str(workers)}, "scopeSelector": {"matchExpressions": [scope]}},
    }


def _daemon_set(namespace: str) -> Json:
    container = {
        "name": "plugin",
        "image": "dra-example-driver/dra-example-driver:v0.2.0",
        "imagePullPolicy": "Always",
        "command": ["dra-example-kubeletplugin"],
        "env": [{"name": "NUM_DEVICES", "value": str(DEVICES)}],
    }
    tolerated = {"effect": "NoSchedule", "key": "google.com/tpu", "operator": "Exists"}
    template = {
        "metadata": {"labels": _LABELS},
        "spec": {
            "serviceAccountName": _ACCOUNT,
            "containers": [container],
            "tolerations": [tolerated],
        },
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": DAEMON_SET, "namespace": namespace, "labels": _LABELS},
        "spec": {"selector": {"matchLabels": _LABELS}, "template": template},
    }


def resource_slice(node: Json) -> Json:
    """The devices of a node as the driver publishes them."""
    metadata = node["metadata"]
    name = metadata["name"]
    owner = {
        "apiVersion": "v1",
        "kind": "Node",
        "name": name,
        "uid": metadata.get("uid", ""),
        "controller": True,
    }
    # The driver's devices are the same whenever it starts on a node.
    rng = random.Random(name)
    return {
        "apiVersion": _API,
        "kind": "ResourceSlice",
        "metadata": {"generateName": f"{name}-{DRIVER}-", "ownerReferences": [owner]},
        "spec": {
            "driver": DRIVER,
            "nodeName": name,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "devices": [_device(number, names.uid(rng)) for number in range(DEVICES)],
        },
    }


def _device(number: int, uid: str) -> Json:
    return {
        "name": f"gpu-{number}",
        "attributes": {
            "index": {"int": number},
            "uuid": {"string": f"gpu-{uid}"},
            "model": {"string": "LATEST-GPU-MODEL"},
            "driverVersion": {"version": "1.0.0"},
        },
        "capacity": {"memory": {"value": "80Gi"}},
    }
