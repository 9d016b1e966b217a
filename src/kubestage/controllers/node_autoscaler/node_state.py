"""The state of a node: whether it is ready, and the autoscaler's marks on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.golang import integers
from kubestage.objects import quantity, taints, timestamps
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


class TaintRules(msgspec.Struct, frozen=True):
    """Which taints pass when a node has started, and which report how it does.

    `startup` and `status` are keys, `startup_prefixes` what keys begin with.
    """

    startup: tuple[str, ...] = ()
    startup_prefixes: tuple[str, ...] = ()
    status: tuple[str, ...] = ()

    def is_startup(self, key: str) -> bool:
        """Whether a node with this taint is not ready yet."""
        return key in self.startup or key.startswith((*_STARTUP_PREFIXES, *self.startup_prefixes))

    def is_status(self, key: str) -> bool:
        """Whether a taint comes and goes."""
        return key in self.status or key.startswith(_STATUS_PREFIX)


NO_RULES: Final = TaintRules()
"""Only what the prefixes say that always hold."""


def gpu_of(offered: Resource) -> str | None:
    """The kind of GPU that a node offers, the first if there are several; None without any."""
    return next((name for name in GPUS if offered.scalars.get(name)), None)


def offers_gpu(node: Json) -> bool:
    """Whether a node offers GPUs of any kind now."""
    offered = (node.get("status") or {}).get("allocatable") or {}
    return any(quantity.value_of(offered.get(name) or "0") for name in GPUS)


def unready_copy(node: Json) -> Json:
    """A node as if it had reported not to be ready."""
    status = node.get("status") or {}
    others = [each for each in status.get("conditions") or () if each["type"] != "Ready"]
    unready = {
        "type": "Ready",
        "status": "False",
        "lastTransitionTime": node["metadata"].get("creationTimestamp"),
    }
    return {**node, "status": {**status, "conditions": [*others, unready]}}


def taints_of(node: Json) -> list[Json]:
    """The taints of a node."""
    found: list[Json] = (node.get("spec") or {}).get("taints") or []
    return found


def readiness(node: Json) -> tuple[bool, int]:
    """Whether a node is ready to run pods, and since when it is or is not, in unix nanoseconds."""
    ready, found, since_ns = True, False, 0
    for each in (node.get("status") or {}).get("conditions") or ():
        kind, status = each.get("type"), each.get("status")
        if kind == "Ready":
            found = True
            ready = ready and status not in ("False", "Unknown")
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
    return ready and found, since_ns


def is_ready(node: Json) -> bool:
    """Whether a node is ready to run pods."""
    return readiness(node)[0]


def is_ready_and_open(node: Json) -> bool:
    """Whether a node is ready, and not closed to pods."""
    return is_ready(node) and not (node.get("spec") or {}).get("unschedulable")


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


def lasting_taints(node: Json, rules: TaintRules = NO_RULES) -> list[Json]:
    """The taints that a new node of the same group would have, too."""
    return [each for each in taints_of(node) if _is_lasting(each["key"], rules)]


def _is_lasting(key: str, rules: TaintRules) -> bool:
    passing = key in (TO_BE_DELETED, DELETION_CANDIDATE) or key in _CONDITION_TAINTS
    return not (passing or rules.is_startup(key) or rules.is_status(key))
