"""What it costs to evict pods, and how that shrinks as a node nears the end of its life."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.golang import durations, floats
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

BASE: Final = 1.0
"""What disrupting a node costs by itself."""

_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_LIMIT: Final = 10.0


class Lifetime(NamedTuple):
    """When something was created, and for how many seconds it may live."""

    created_ns: int
    total: float

    def remaining(self, now_ns: int) -> float:
        """The share that is left."""
        if self.total == 0:
            return 0.0
        age = (now_ns - self.created_ns) / durations.SECOND
        return max(0.0, min((self.total - age) / self.total, 1.0))


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


def lifetime_of(node_claim: Json) -> Lifetime | None:
    """When a NodeClaim was created, and for how long it may live; None if it does not expire."""
    expire_after = node_claim["spec"].get("expireAfter")
    if expire_after is None or expire_after == "Never":
        return None
    total = durations.parse_duration(expire_after) / durations.SECOND
    return Lifetime(timestamps.parse_time(node_claim["metadata"]["creationTimestamp"]), total)


def remaining_lifetime(node_claim: Json, now_ns: int) -> float:
    """The share of its life that a NodeClaim has before it, 1 if it does not expire."""
    lifetime = lifetime_of(node_claim)
    return 1.0 if lifetime is None else lifetime.remaining(now_ns)
