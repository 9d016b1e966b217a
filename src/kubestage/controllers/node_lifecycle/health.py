"""The last heartbeat of a node, and its conditions once that is too long ago."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json

# NetworkUnavailable is not reported by the kubelet.
_REPORTED: Final = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


@dataclasses.dataclass(slots=True)
class NodeHealth:
    """What was last seen of a node. Times are unix nanoseconds.

    `observed_ns` is when the controller observed a heartbeat, by its clock and not by that of the
    node. `ready` is None as long as the kubelet never posted a status.
    """

    observed_ns: int
    ready: str | None = None
    heartbeat: str = ""
    zone: str = ""
    counts: bool = True


def ready_of(node: Json) -> Json | None:
    """A node's Ready condition."""
    return pods.condition(node.get("status"), "Ready")


def observe(known: NodeHealth | None, node: Json, now_ns: int) -> NodeHealth:
    """Read a node's present status."""
    ready = ready_of(node)
    status = None if ready is None else ready["status"]
    heartbeat = "" if ready is None else ready.get("lastHeartbeatTime") or ""
    if known is None:
        created_ns = timestamps.parse_time(node["metadata"]["creationTimestamp"])
        known = NodeHealth(created_ns if ready is None else now_ns)
    elif (known.ready is None) != (ready is None) or known.heartbeat != heartbeat:
        known.observed_ns = now_ns
    known.ready, known.heartbeat = status, heartbeat
    known.zone = zone_of(node)
    labels = node["metadata"].get("labels") or {}
    known.counts = "node.kubernetes.io/exclude-disruption" not in labels
    return known


def silenced(node: Json, now: str) -> Json:
    """The status of a node without a heartbeat for too long."""
    status = dict(node.get("status") or {})
    conditions = list(status.get("conditions") or ())
    for kind in _REPORTED:
        found = pods.condition(status, kind)
        if found is None:
            conditions.append(
                {
                    "type": kind,
                    "status": "Unknown",
                    "lastHeartbeatTime": node["metadata"]["creationTimestamp"],
                    "lastTransitionTime": now,
                    "reason": "NodeStatusNeverUpdated",
                    "message": "Kubelet never posted node status.",
                }
            )
        elif found["status"] != "Unknown":
            unknown = {
                **found,
                "status": "Unknown",
                "lastTransitionTime": now,
                "reason": "NodeStatusUnknown",
                "message": "Kubelet stopped posting node status.",
            }
            conditions = pods.with_condition(conditions, unknown)
    status["conditions"] = conditions
    return status


def zone_of(node: Json) -> str:
    """The region and zone of a node; the old labels win, as upstream has it."""
    labels = node["metadata"].get("labels") or {}
    zone = _either(labels, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
    region = _either(
        labels, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"
    )
    return f"{region}:\0:{zone}" if region or zone else ""


def _either(labels: dict[str, str], first: str, second: str) -> str:
    found = labels.get(first)
    return labels.get(second, "") if found is None else found
