"""How the results of a search are worded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kubestage.sweep.worst import pod_specs

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sweep.worst.case import CaseEvent


def number(value: float | None) -> str:
    """A number without digits that say nothing."""
    return "-" if value is None else f"{value:.6g}"


def details(event: CaseEvent) -> str:
    """What matters of an event: sizes of nodes and pods, the text of a patch."""
    obj = event.object
    if obj is None:
        patch = event.body.get("patch")
        return patch if isinstance(patch, str) else "" if patch is None else json.dumps(patch)
    if obj.get("kind") == "Node":
        return _node(obj)
    return _pods(obj) if event.is_arrival else ""


def _node(obj: Json) -> str:
    status = obj.get("status") or {}
    offered = status.get("allocatable") or status.get("capacity") or {}
    parts = [f"{name} {offered[name]}" for name in offered if name != "pods"]
    if (obj.get("spec") or {}).get("unschedulable"):
        parts.append("cordoned")
    annotations = obj["metadata"].get("annotations") or {}
    parts += [
        f"{name} {annotations[f'kubestage.dev/{name}']}"
        for name in ("fails-after", "recovers-after")
        if f"kubestage.dev/{name}" in annotations
    ]
    return ", ".join(parts)


def _pods(obj: Json) -> str:
    spec = pod_specs.spec_of(obj)
    parts = []
    replicas = pod_specs.replicas_of(obj)
    if replicas is not None:
        parts.append(f"{replicas} x")
    for container in pod_specs.containers(spec):
        requests = (container.get("resources") or {}).get("requests") or {}
        parts += [f"{name} {amount}" for name, amount in requests.items()]
    if spec.get("priorityClassName"):
        parts.append(f"priority {spec['priorityClassName']}")
    return ", ".join(parts)
