"""What a pod means for those who send it requests: whether it serves, and how fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import quantity
from kubestage.traffic import replicas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json


_OVER: Final = ("Succeeded", "Failed")
_NO_NODE: Final[Json] = {}


def stock_of(pod: Json, container: str) -> str:
    """The stock where a pod's replica belongs."""
    status = pod.get("status") or {}
    if status.get("phase") in _OVER:
        return replicas.TERMINATED
    if "deletionTimestamp" in pod["metadata"]:
        found = _status_of(status, container)
        is_over = found is not None and "terminated" in (found.get("state") or {})
        return replicas.TERMINATED if is_over else replicas.TERMINATING
    for condition in status.get("conditions") or ():
        if condition["type"] == "Ready" and condition["status"] == "True":
            return replicas.ACTIVE
    return replicas.LAUNCHING


def disruption_of(pod: Json) -> str:
    """Why the cluster ends a pod, if it is the cluster that does: evicted, preempted, and so on."""
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition["type"] == "DisruptionTarget" and condition["status"] == "True":
            return str(condition.get("reason") or "")
    return ""


def container_of(pod: Json, desired: str | None) -> str:
    """The container that does the work: the one that was named, or the first."""
    containers = pod["spec"]["containers"]
    if desired is not None and any(each["name"] == desired for each in containers):
        return desired
    first: str = containers[0]["name"]
    return first


def node_of(pod: Json) -> str:
    """The name of a pod's node, empty if it has none."""
    found: str = pod["spec"].get("nodeName") or ""
    return found


def is_running(pod: Json, container: str) -> bool:
    """Whether a container runs, by the pod's status."""
    found = _status_of(pod.get("status") or {}, container)
    return found is None or "running" in (found.get("state") or {"running": {}})


def starts_of(pod: Json, container: str) -> int:
    """How often a container was started again; each time what it was at is lost."""
    found = _status_of(pod.get("status") or {}, container)
    return 0 if found is None else found.get("restartCount") or 0


def cores_of(pod: Json, container: str, nodes: Mapping[str, Json]) -> float | None:
    """How many cores a container can use: its limit, that of its pod, or all of its node.

    The limit in force is what the kubelet reports, because a change takes time. None is unknown,
    for a pod without a limit whose node is not there.
    """
    spec = pod["spec"]
    found = _status_of(pod.get("status") or {}, container)
    in_force = (found or {}).get("resources")
    stated = next(each for each in spec["containers"] if each["name"] == container)
    for resources in (in_force or stated.get("resources"), spec.get("resources")):
        limit = _cores(((resources or {}).get("limits") or {}).get("cpu"))
        if limit:
            return limit
    node = nodes.get(node_of(pod), _NO_NODE).get("status") or {}
    return _cores((node.get("allocatable") or node.get("capacity") or {}).get("cpu")) or None


def _status_of(status: Json, container: str) -> Json | None:
    for each in status.get("containerStatuses") or ():
        if each["name"] == container:
            found: Json = each
            return found
    return None


def _cores(amount: Any) -> float:
    return 0.0 if amount is None else quantity.milli_value_of(amount) / 1000
