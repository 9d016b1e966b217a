"""What kube-scheduler writes, in its own words."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.server.scheduler_contract.go_client import GoClient


CONTROLLER = "default-scheduler"
INSTANCE = "default-scheduler-machine"


def now() -> str:
    """A moment with microseconds."""
    return timestamps.format_micro_time(time.time_ns())


def path_of(pod: Json) -> str:
    """Where a pod is."""
    metadata = pod["metadata"]
    return f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"


def binding(pod: Json, node: str) -> Json:
    """Who goes where; the target has no version."""
    metadata = {name: pod["metadata"][name] for name in ("name", "namespace", "uid")}
    target = {"kind": "Node", "name": node}
    return {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}


def bind(client: GoClient, pod: Json, node: str) -> Json:
    """Bind a pod and tell of it."""
    answer = client.post(f"{path_of(pod)}/binding", binding(pod, node))
    name = pod["metadata"]["name"]
    message = f"Successfully assigned {pod['metadata']['namespace']}/{name} to {node}"
    tell(client, event(pod, "Normal", "Scheduled", "Binding", message))
    return answer


def reference(obj: Json) -> Json:
    """Who an Event is about."""
    metadata = obj["metadata"]
    return {
        "kind": obj["kind"],
        "namespace": metadata.get("namespace", ""),
        "name": metadata["name"],
        "uid": metadata["uid"],
        "apiVersion": obj["apiVersion"],
        "resourceVersion": metadata["resourceVersion"],
    }


def event(
    pod: Json, kind: str, reason: str, action: str, note: str, related: Json | None = None
) -> Json:
    """An Event as client-go's recorder makes it."""
    metadata = pod["metadata"]
    made = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {
            "name": f"{metadata['name']}.{time.time_ns():x}",
            "namespace": metadata["namespace"],
        },
        "eventTime": now(),
        "reportingController": CONTROLLER,
        "reportingInstance": INSTANCE,
        "action": action,
        "reason": reason,
        "regarding": reference(pod),
        "note": note,
        "type": kind,
    }
    return made if related is None else {**made, "related": reference(related)}


def tell(client: GoClient, made: Json) -> Json:
    """Record an Event."""
    return client.post(events_path(made["metadata"]["namespace"]), made)


def events_path(namespace: str) -> str:
    """Where Events are recorded."""
    return f"/apis/events.k8s.io/v1/namespaces/{namespace}/events"


def fail(client: GoClient, pod: Json, message: str, nominated: str = "") -> Json:
    """Say of a pod that it fits nowhere, and where it may fit soon."""
    condition = {
        "lastProbeTime": None,
        "lastTransitionTime": timestamps.format_time(time.time_ns()),
        "message": message,
        "observedGeneration": pod["metadata"].get("generation", 1),
        "reason": "Unschedulable",
        "status": "False",
        "type": "PodScheduled",
    }
    answer = client.patch(f"{path_of(pod)}/status", status_patch(pod, condition, nominated))
    tell(client, event(pod, "Warning", "FailedScheduling", "Scheduling", message))
    return answer


def status_patch(pod: Json, condition: Json, nominated: str = "") -> Json:
    """The difference that a condition makes, as strategic merge patches have it."""
    known = [each["type"] for each in pod["status"].get("conditions", [])]
    order = known if condition["type"] in known else [*known, condition["type"]]
    status: Json = {
        "$setElementOrder/conditions": [{"type": each} for each in order],
        "conditions": [condition],
    }
    if nominated:
        status["nominatedNodeName"] = nominated
    return {"status": status}


def preempt(client: GoClient, victim: Json, preemptor: Json, node: str) -> Json:
    """Have a pod make way for another."""
    condition = {
        "lastProbeTime": None,
        "lastTransitionTime": timestamps.format_time(time.time_ns()),
        "message": f"{CONTROLLER}: preempting to accommodate a higher priority pod",
        "observedGeneration": victim["metadata"].get("generation", 1),
        "reason": "PreemptionByScheduler",
        "status": "True",
        "type": "DisruptionTarget",
    }
    client.patch(f"{path_of(victim)}/status", status_patch(victim, condition))
    answer = client.delete(path_of(victim))
    note = f"Preempted by pod {preemptor['metadata']['uid']} on node {node}"
    tell(client, event(victim, "Normal", "Preempted", "Preempting", note, preemptor))
    return answer
