"""Which nodes a test may count on: those that are healthy and take pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

_TROUBLES: Final = frozenset(
    {
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/unschedulable",
        "node.kubernetes.io/memory-pressure",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/network-unavailable",
        "node.kubernetes.io/pid-pressure",
        "node.kubernetes.io/out-of-service",
        "node.cloudprovider.kubernetes.io/uninitialized",
        "node.cloudprovider.kubernetes.io/shutdown",
    }
)
_KEEP_OUT: Final = ("NoSchedule", "NoExecute")


def is_schedulable_and_untainted(node: Json) -> bool:
    """Whether a node is ready, schedulable and free of the taints of unhealthy nodes.

    Other taints do not matter.
    """
    spec = node.get("spec") or {}
    if spec.get("unschedulable"):
        return False
    conditions: dict[str, Any] = {}
    for each in (node.get("status") or {}).get("conditions") or ():
        conditions.setdefault(each.get("type"), each.get("status"))
    if conditions.get("Ready") != "True" or conditions.get("NetworkUnavailable") == "True":
        return False
    return not any(
        taint.get("key") in _TROUBLES and taint.get("effect") in _KEEP_OUT
        for taint in spec.get("taints") or ()
    )
