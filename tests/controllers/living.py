"""Nodes that are heard of and pods that run, without any kubelet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers import leases, pods
from kubestage.objects import timestamps
from kubestage.testing import make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


NODE = ("v1", "Node")


def running(name: str, number: int = 1, *, ready: bool = True, **parts: Any) -> Json:
    """A pod that runs at an address of its own."""
    pod = make_pod(name, **{"node_name": "n1", "labels": {"app": "web"}, **parts})
    address = f"10.0.{number // 250}.{number % 250 + 1}"
    since = "2026-01-01T00:00:00Z"
    status = "True" if ready else "False"
    pod["status"] = {
        "phase": "Running",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "conditions": [{"type": "Ready", "status": status, "lastTransitionTime": since}],
    }
    return pod


def set_ready(stage: Stage, name: str, *, ready: bool) -> None:
    """A pod's readiness changes now."""
    key = f"default/{name}"
    status = stage.store.read(pods.POD)[key]["status"]
    value = "True" if ready else "False"
    condition = {"type": "Ready", "status": value, "lastTransitionTime": stage.now}
    stage.store.record_status(pods.POD, key, {**status, "conditions": [condition]})


def say(stage: Stage, name: str, condition: str, status: str) -> None:
    """A node's kubelet posts one condition."""
    old = stage.store.read(NODE)[name]["status"]
    new = {
        "type": condition,
        "status": status,
        "lastHeartbeatTime": stage.now,
        "lastTransitionTime": stage.now,
    }
    conditions = pods.with_condition(old.get("conditions") or (), new)
    stage.store.record_status(NODE, name, {**old, "conditions": conditions})


def lease(name: str, stage: Stage, *, every: str | None = "10s") -> Json:
    """A node's Lease, renewed now and, unless told otherwise, by itself from now on."""
    metadata: Json = {"name": name, "namespace": leases.NAMESPACE}
    if every is not None:
        metadata["annotations"] = {leases.RENEWED_EVERY: every}
    renewed = timestamps.format_micro_time(stage.clock.unix_ns)
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": metadata,
        "spec": {"holderIdentity": name, "renewTime": renewed},
    }


def fall_silent(stage: Stage, name: str) -> None:
    """A node's Lease stops being renewed; it tells when it was for the last time."""
    found = stage.store.get(leases.LEASE, name, leases.NAMESPACE)
    last_ns = leases.renewed_at_ns(found, stage.clock.unix_ns)
    assert last_ns is not None
    patch = {
        "metadata": {"annotations": {leases.RENEWED_EVERY: None}},
        "spec": {"renewTime": timestamps.format_micro_time(last_ns)},
    }
    stage.store.patch(leases.LEASE, name, patch, leases.NAMESPACE)


def taints(stage: Stage, name: str) -> list[tuple[str, str]]:
    """The taints of a node without the common beginning of their keys, in order."""
    found = stage.store.read(NODE)[name]["spec"].get("taints") or ()
    return sorted((each["key"].rpartition("/")[2], each["effect"]) for each in found)
