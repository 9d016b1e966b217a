"""Objects of a cluster with Karpenter, as tests need them."""

from __future__ import annotations

from typing import Any

from kubestage.aliases import Json
from kubestage.objects import timestamps
from kubestage.units import HOUR_NS

START_NS = timestamps.parse_time("2000-01-01T00:00:00Z")
CREATED = timestamps.format_time(START_NS - 2 * HOUR_NS)
NODE_CLASS = {"group": "karpenter.test.sh", "kind": "TestNodeClass", "name": "default"}


def capacity_types(*names: str) -> Json:
    """The requirement that nodes are of these capacity types."""
    return {"key": "karpenter.sh/capacity-type", "operator": "In", "values": list(names)}


def node_pool(name: str = "default", template: Json | None = None, **spec: Any) -> Json:
    """A NodePool of on-demand nodes that consolidates at once and allows everything."""
    disruption = {
        "budgets": [{"nodes": "100%"}],
        "consolidateAfter": "0s",
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
    }
    stated = {
        "expireAfter": "Never",
        "nodeClassRef": NODE_CLASS,
        "requirements": [capacity_types("on-demand")],
        **(template or {}),
    }
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name, "creationTimestamp": CREATED},
        "spec": {"template": {"spec": stated}, "disruption": disruption, **spec},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }


def labels(instance_type: str, pool: str = "default", **more: str) -> dict[str, str]:
    """The labels of a node of some type."""
    return {
        "karpenter.sh/nodepool": pool,
        "karpenter.sh/capacity-type": "on-demand",
        "node.kubernetes.io/instance-type": instance_type,
        "topology.kubernetes.io/zone": "zone-1",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        **more,
    }


def node_claim(name: str, stated: dict[str, str], **spec: Any) -> Json:
    """A NodeClaim whose node has been ready since it was created."""
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "creationTimestamp": CREATED,
            "labels": stated,
        },
        "spec": {"expireAfter": "Never", "nodeClassRef": NODE_CLASS, **spec},
        "status": {
            "providerID": f"sim://{name}",
            "conditions": [
                {"type": kind, "status": "True", "lastTransitionTime": CREATED}
                for kind in ("Launched", "Registered", "Initialized", "Ready", "Consolidatable")
            ],
        },
    }


def node(name: str, stated: dict[str, str], cpu: str = "4", memory: str = "16Gi") -> Json:
    """A ready node."""
    offered = {"cpu": cpu, "memory": memory, "pods": "110"}
    ours = {"karpenter.sh/initialized": "true", "karpenter.sh/registered": "true"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "creationTimestamp": CREATED,
            "labels": {**stated, **ours, "kubernetes.io/hostname": name},
        },
        "spec": {"providerID": f"sim://{name}"},
        "status": {
            "capacity": offered,
            "allocatable": offered,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name: str, node_name: str = "", cpu: str = "1", **metadata: Any) -> Json:
    """A running pod of a ReplicaSet; without a node, one that fits nowhere."""
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "controller": True}
    waiting = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    ready = {"type": "Ready", "status": "True"}
    requests = {"requests": {"cpu": cpu, "memory": "1Gi"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"uid-{name}",
            "creationTimestamp": CREATED,
            "labels": {"app": "web"},
            "ownerReferences": [owner],
            **metadata,
        },
        "spec": {
            **({"nodeName": node_name} if node_name else {}),
            "containers": [{"name": "main", "image": "web", "resources": requests}],
        },
        "status": {
            "phase": "Running" if node_name else "Pending",
            "conditions": [ready if node_name else waiting],
        },
    }


def budget(name: str, allowed: int, **spec: Any) -> Json:
    """A PodDisruptionBudget of all pods that `pod` makes."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, **spec},
        "status": {"disruptionsAllowed": allowed},
    }
