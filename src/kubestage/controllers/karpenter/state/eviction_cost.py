"""What it costs to evict pods, and how that shrinks as a node nears the end of its life."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import durations, floats
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

BASE: Final = 1.0
"""What disrupting a node costs by itself."""

_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_LIMIT: Final = 10.0


def of(pod: Json) -> float:
    """The cost of one pod, between -10 and 10; a pod without cost or priority costs 1."""
    cost = 1.0
    text = (pod["metadata"].get("annotations") or {}).get(_DELETION_COST)
    if text is not None:
        deletion_cost = floats.parse(text)
        if deletion_cost is not None:
            cost += deletion_cost / 2.0**27
    priority = pod["spec"].get("priority")
    if priority is not None:
        cost += float(priority) / 2.0**25
    return max(-_LIMIT, min(cost, _LIMIT))


def positive_sum(pods: Iterable[Json]) -> float:
    """The cost of a node: its own, and that of the pods that cost something."""
    cost = BASE
    for pod in pods:
        cost += max(0.0, of(pod))
    return cost


def remaining_lifetime(node_claim: Json, now_ns: int) -> float:
    """The share of its life that a NodeClaim has before it, 1 if it does not expire."""
    expire_after = node_claim["spec"].get("expireAfter")
    if expire_after is None or expire_after == "Never":
        return 1.0
    total = durations.parse_duration(expire_after) / durations.SECOND
    created_ns = timestamps.parse_time(node_claim["metadata"]["creationTimestamp"])
    age = (now_ns - created_ns) / durations.SECOND
    if total == 0:
        return 0.0
    return max(0.0, min((total - age) / total, 1.0))
