"""Which pods a node that goes waits for, and in which order they go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.state import pod_state
from kubestage.objects import timestamps
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

_CRITICAL: Final = frozenset({"system-cluster-critical", "system-node-critical"})


def is_waiting(pod: Json, now_ns: int) -> bool:
    """Whether a pod is yet to go."""
    return not pod_state.is_terminal(pod) and is_drainable(pod, now_ns)


def is_drainable(pod: Json, now_ns: int) -> bool:
    """Whether a pod goes when its node does: not if it is stuck, or runs on the node's own."""
    return (
        not pod_state.tolerates_disruption(pod)
        and not _is_stuck(pod, now_ns)
        and not pod_state.is_mirror(pod)
    )


def by_priority(pods: Iterable[Json]) -> tuple[list[Json], ...]:
    """The pods in the order in which they go: critical ones last, of DaemonSets after others."""
    groups: tuple[list[Json], ...] = ([], [], [], [])
    for pod in pods:
        is_critical = (pod["spec"].get("priorityClassName") or "") in _CRITICAL
        groups[2 * is_critical + pod_state.is_daemon(pod)].append(pod)
    return groups


def _is_stuck(pod: Json, now_ns: int) -> bool:
    deleted = pod["metadata"].get("deletionTimestamp")
    return deleted is not None and now_ns - timestamps.parse_time(deleted) > MINUTE_NS
