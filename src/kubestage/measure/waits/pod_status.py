"""The states of pods, as waits count and report them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from kubestage.aliases import Json


UNKNOWN: Final = "Unknown"
TERMINATING: Final = "Terminating"
RUNNING_AND_READY: Final = "RunningAndReady"
RUNNING_BUT_NOT_READY: Final = "RunningButNotReady"
PENDING_SCHEDULED: Final = "PendingScheduled"
PENDING_NOT_SCHEDULED: Final = "PendingNotScheduled"
INACTIVE: Final = "Inactive"

_MANY: Final = 10
_LONG: Final = 200


def state_of(pod: Json) -> str:
    """The state of a pod: only a ready one counts as running, and none that is terminating."""
    if (pod.get("metadata") or {}).get("deletionTimestamp") is not None:
        return TERMINATING
    status = pod.get("status") or {}
    phase = status.get("phase")
    if phase == "Running":
        for condition in status.get("conditions") or ():
            if condition.get("type") == "Ready" and condition.get("status") == "True":
                return RUNNING_AND_READY
        return RUNNING_BUT_NOT_READY
    if phase == "Pending":
        is_scheduled = (pod.get("spec") or {}).get("nodeName")
        return PENDING_SCHEDULED if is_scheduled else PENDING_NOT_SCHEDULED
    return INACTIVE if phase in ("Succeeded", "Failed") else UNKNOWN


def summary(count: Callable[[Hashable], int], total: int, desired: int, updated: int) -> str:
    """All states of a group of pods in one line."""
    return (
        f"Pods: {total - count(TERMINATING)} created, {desired} desired, "
        f"{count(RUNNING_AND_READY)} running ({updated} updated), "
        f"{count(PENDING_SCHEDULED)} pending scheduled, "
        f"{count(PENDING_NOT_SCHEDULED)} not scheduled, {count(INACTIVE)} inactive, "
        f"{count(TERMINATING)} terminating, {count(UNKNOWN)} unknown, "
        f"{count(RUNNING_BUT_NOT_READY)} runningButNotReady "
    )


def describe(pods: Iterable[Json]) -> str:
    """Which pods are not running and why, the first few of them; empty if all are."""
    bad = [pod for pod in pods if state_of(pod) != RUNNING_AND_READY]
    if not bad:
        return ""
    bad.sort(key=_name)
    parts = [f"{_name(pod)} ({_why(pod)})" for pod in bad[:_MANY]]
    if len(bad) > _MANY:
        parts.append(f"and {len(bad) - _MANY} more")
    return ", ".join(parts)


def _name(pod: Json) -> str:
    meta = pod.get("metadata") or {}
    return f"{meta.get('namespace', '')}/{meta.get('name', '')}"


def _why(pod: Json) -> str:
    state, reason = state_of(pod), _reason(pod)
    return f"{state}: {reason}" if reason else state


def _reason(pod: Json) -> str:
    """What the cluster reports of a pod that is not running."""
    status = pod.get("status") or {}
    if status.get("reason") or status.get("message"):
        return _reason_text(status)
    for name in ("initContainerStatuses", "containerStatuses"):
        for container in status.get(name) or ():
            state = container.get("state") or {}
            troubled = state.get("waiting") or state.get("terminated")
            if troubled:
                return f"container {container.get('name', '')}: {_reason_text(troubled)}"
    for condition in status.get("conditions") or ():
        if condition.get("status") != "True" and condition.get("reason"):
            return _reason_text(condition)
    return ""


def _reason_text(reported: Json) -> str:
    text = " ".join(str(reported[name]) for name in ("reason", "message") if reported.get(name))
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."
