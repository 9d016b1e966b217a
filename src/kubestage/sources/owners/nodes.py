"""Nodes that pods are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods as pod_states
from kubestage.objects import pod_resources, quantity

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.owners.known import Known
    from kubestage.sources.owners.rebuilding import Rebuilt

_REBUILT: Final = "rebuilt just large enough for their pods, as the source does not have them"
_HOSTNAME: Final = "kubernetes.io/hostname"
_PODS: Final = 110


def complete(known: Known, rebuilt: Rebuilt) -> None:
    """Rebuild nodes, just as large as what runs on them: how large they are is not known."""
    bound: dict[str, list[Json]] = {}
    for pod in known.pods:
        name = pod["spec"].get("nodeName")
        if name and known.find("Node", "", name) is None:
            bound.setdefault(name, []).append(pod)
    for name, pods in sorted(bound.items()):
        rebuilt.note(_REBUILT, f"node/{name}", len(pods))
        rebuilt.add(known, _node(name, [each for each in pods if pod_states.is_active(each)]))


def _node(name: str, pods: list[Json]) -> Json:
    totals: dict[str, quantity.Quantity] = {}
    labels = {_HOSTNAME: name, "kubernetes.io/os": "linux"}
    for pod in pods:
        labels |= pod["spec"].get("nodeSelector") or {}
        for resource, amount in pod_resources.requests(pod).items():
            totals[resource] = totals[resource] + amount if resource in totals else amount
    allocatable = {resource: str(amount) for resource, amount in sorted(totals.items())}
    allocatable["pods"] = str(max(_PODS, len(pods)))
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"node-{name}", "labels": labels},
        "spec": {},
        "status": {
            "capacity": allocatable,
            "allocatable": allocatable,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        },
    }
