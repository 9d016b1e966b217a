"""The phase of a pod's life that a state of it belongs to, and the reason that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

PHASES: Final = (
    "gone",
    "waiting",
    "unschedulable",
    "starting",
    "pulling",
    "initializing",
    "running",
    "ready",
    "crashing",
    "terminating",
    "succeeded",
    "failed",
)
(
    GONE,
    WAITING,
    UNSCHEDULABLE,
    STARTING,
    PULLING,
    INITIALIZING,
    RUNNING,
    READY,
    CRASHING,
    TERMINATING,
    SUCCEEDED,
    FAILED,
) = range(len(PHASES))
"""Phases are written as numbers: their places in `PHASES`.

`waiting` is without a node, `unschedulable` the same after an attempt that failed, `starting` with
a node and before any container runs, `running` is not ready, `crashing` waits for a restart.
"""

_WAITS_TO_RESTART: Final = "CrashLoopBackOff"
_FINISHED: Final = {"Succeeded": SUCCEEDED, "Failed": FAILED}


def phase_of(pod: Json) -> tuple[int, str]:
    """The phase of a pod, and a reason if its status has one; pulls are known by Events alone."""
    status = pod.get("status") or {}
    if "deletionTimestamp" in pod["metadata"]:
        return TERMINATING, status.get("reason") or ""
    phase = status.get("phase")
    if phase in _FINISHED:
        return _FINISHED[phase], status.get("reason") or ""
    if not pod["spec"].get("nodeName"):
        return _without_node(status)
    reason = _waiting_reason(status.get("containerStatuses"))
    if phase != "Running":
        if _is_initializing(status):
            return INITIALIZING, _waiting_reason(status.get("initContainerStatuses"))
        return STARTING, reason
    if reason == _WAITS_TO_RESTART:
        return CRASHING, reason
    ready = _condition(status, "Ready")
    if ready is not None and ready["status"] == "True":
        return READY, ""
    return RUNNING, reason or ((ready or {}).get("reason") or "")


def restarts_of(pod: Json) -> int:
    """How often containers of a pod were restarted."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return sum(each.get("restartCount") or 0 for each in statuses)


def disruption_of(pod: Json) -> str:
    """Why a pod had to go, if it was evicted; preemption has Events of its own."""
    found = _condition(pod.get("status") or {}, "DisruptionTarget")
    if found is None or found["status"] != "True":
        return ""
    reason = found.get("reason") or ""
    if reason == "PreemptionByScheduler":
        return ""
    return ": ".join(part for part in (reason, found.get("message")) if part)


def _without_node(status: Json) -> tuple[int, str]:
    scheduled = _condition(status, "PodScheduled")
    if scheduled is None or scheduled["status"] != "False":
        return WAITING, ""
    reason = scheduled.get("reason") or ""
    return (UNSCHEDULABLE if reason == "Unschedulable" else WAITING), reason


def _is_initializing(status: Json) -> bool:
    statuses = status.get("initContainerStatuses")
    if not statuses:
        return False
    # Before the first container has its state, the pod has only just reached its node.
    return any((each.get("state") or {}).keys() & {"running", "terminated"} for each in statuses)


def _waiting_reason(statuses: list[Json] | None) -> str:
    for each in statuses or ():
        waiting = (each.get("state") or {}).get("waiting")
        if waiting and waiting.get("reason") not in (None, "ContainerCreating", "PodInitializing"):
            reason: str = waiting["reason"]
            return reason
    return ""


def _condition(status: Json, name: str) -> Json | None:
    for each in status.get("conditions") or ():
        if each["type"] == name:
            found: Json = each
            return found
    return None
