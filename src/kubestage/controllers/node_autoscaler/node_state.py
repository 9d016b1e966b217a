"""The state of a node: whether it is ready, and the autoscaler's marks on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import integers
from kubestage.objects import taints, timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.resource_totals import Resource


TO_BE_DELETED: Final = "ToBeDeletedByClusterAutoscaler"
DELETION_CANDIDATE: Final = "DeletionCandidateOfClusterAutoscaler"
SCALE_DOWN_DISABLED: Final = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
GPUS: Final = (
    "nvidia.com/gpu",
    "habana.ai/gaudi",
    "gpu.intel.com/xe",
    "amd.com/gpu",
    "microsoft.com/directx",
)

_DELETION_TIME_NS: Final = 5 * 60 * SECOND_NS
_STABLE_AFTER_NS: Final = 60 * SECOND_NS
_STARTUP_PREFIXES: Final = (
    "ignore-taint.cluster-autoscaler.kubernetes.io/",
    "startup-taint.cluster-autoscaler.kubernetes.io/",
)
_STATUS_PREFIX: Final = "status-taint.cluster-autoscaler.kubernetes.io/"
_NOT_READY_TAINTS: Final = frozenset(
    {
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/network-unavailable",
    }
)
_CONDITION_TAINTS: Final = _NOT_READY_TAINTS | {
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.cloudprovider.kubernetes.io/shutdown",
    "cloud.google.com/impending-node-termination",
    "NodeWithImpairedVolumes",
}


def gpu_of(offered: Resource) -> str | None:
    """The kind of GPU that a node offers, the first if there are several; None without any."""
    return next((name for name in GPUS if offered.scalars.get(name)), None)


def taints_of(node: Json) -> list[Json]:
    """The taints of a node."""
    found: list[Json] = (node.get("spec") or {}).get("taints") or []
    return found


def readiness(node: Json) -> tuple[bool, int]:
    """Whether a node is ready to run pods, and since when it is or is not, in unix nanoseconds."""
    ready, found, since_ns = True, False, 0
    for each in (node.get("status") or {}).get("conditions") or ():
        kind, status = each["type"], each["status"]
        if kind == "Ready":
            found = True
            ready = ready and status == "True"
        elif kind in ("DiskPressure", "NetworkUnavailable"):
            ready = ready and status != "True"
        else:
            continue
        if each.get("lastTransitionTime"):
            since_ns = max(since_ns, timestamps.parse_time(each["lastTransitionTime"]))
    for taint in taints_of(node):
        if taint["key"] in _NOT_READY_TAINTS:
            ready = False
            if taint.get("timeAdded"):
                since_ns = max(since_ns, timestamps.parse_time(taint["timeAdded"]))
        elif taint["key"].startswith(_STARTUP_PREFIXES):
            ready = False
    return ready and found, since_ns


def is_ready(node: Json) -> bool:
    """Whether a node is ready to run pods."""
    return readiness(node)[0]


def is_example(node: Json, now_ns: int) -> bool:
    """Whether new nodes of its group are likely to be as this one is."""
    ready, since_ns = readiness(node)
    is_closed = (node.get("spec") or {}).get("unschedulable") or has_taint(node, TO_BE_DELETED)
    return ready and since_ns + _STABLE_AFTER_NS < now_ns and not is_closed


def has_taint(node: Json, key: str) -> bool:
    """Whether a node has a taint."""
    return any(each["key"] == key for each in taints_of(node))


def is_being_deleted(node: Json, now_ns: int) -> bool:
    """Whether a node was marked for deletion a short while ago."""
    for taint in taints_of(node):
        value = taint.get("value") or ""
        if taint["key"] == TO_BE_DELETED and value.isdecimal():
            return now_ns - integers.parse(value) * SECOND_NS < _DELETION_TIME_NS
    return False


def mark(key: str, effect: str, now_ns: int) -> Json:
    """A mark with the time at which it was made."""
    return {"key": key, "value": str(now_ns // SECOND_NS), "effect": effect}


def to_be_deleted(now_ns: int) -> Json:
    """The mark of a node that is about to go."""
    return mark(TO_BE_DELETED, taints.NO_SCHEDULE, now_ns)


def lasting_taints(node: Json) -> list[Json]:
    """The taints that a new node of the same group would have, too."""
    return [each for each in taints_of(node) if _is_lasting(each["key"])]


def _is_lasting(key: str) -> bool:
    passing = key in (TO_BE_DELETED, DELETION_CANDIDATE) or key in _CONDITION_TAINTS
    return not passing and not key.startswith((*_STARTUP_PREFIXES, _STATUS_PREFIX))
